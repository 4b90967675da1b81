import { useState } from 'preact/hooks'
import type { AttemptDetails, Delivery as DeliveryOf, WebhookEndpoint } from '../api/types.ts'
import { Code } from '../parts/code.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { InfoDialog } from '../parts/dialog.tsx'
import { Link } from '../parts/link.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { Countdown } from '../parts/time.tsx'
import { Unfound } from '../parts/unfound.tsx'
import { usePortal } from '../portal.ts'
import { useLoaded } from '../use-loaded.ts'
import { testName } from './check-receiver.tsx'
import { curlOf } from './curl.ts'
import { Attempts, isLeft } from './delivery-attempts.tsx'
import { Answer, RequestCard } from './delivery-exchange.tsx'
import { Ids } from './delivery-ids.tsx'
import { Resend } from './delivery-resend.tsx'

const REFRESH_MS = 5000

const TONES: Record<DeliveryOf['status'], Tone> = {
  pending: 'wait',
  sending: 'wait',
  parked: 'off',
  succeeded: 'good',
  failed: 'bad',
}

/** A delivery: its attempts, requests, responses and next attempt. */
export function Delivery({ id }: { id: string }) {
  const { t, client, answered, endpoints } = usePortal()
  const initial = answered.delivery?.id === id ? answered.delivery : undefined
  const loaded = useLoaded(`delivery ${id}`, (signal) => client.deliveries.get(id, signal), {
    everyMs: REFRESH_MS,
    until: ({ status }) => status === 'succeeded' || status === 'failed',
    initial,
  })
  const delivery = loaded.value
  // Without the endpoints, a button would come later and move the rest.
  if (delivery !== undefined && (endpoints.value !== undefined || endpoints.error !== undefined)) {
    // A deleted endpoint cannot be found any more, but its deliveries can.
    const endpoint = endpoints.value?.find((each) => each.id === delivery.endpoint_id) ?? null
    return <Found delivery={delivery} endpoint={endpoint} error={loaded.error} onReload={loaded.reload} />
  }
  return <Unfound title={t('delivery.title')} view="deliveries" loaded={loaded} />
}

function Found({
  delivery,
  endpoint,
  error,
  onReload,
}: {
  delivery: DeliveryOf
  endpoint: WebhookEndpoint | null
  error: unknown
  onReload: () => Promise<void>
}) {
  const { t, mayChange } = usePortal()
  const [chosen, setChosen] = useState<number | null>(null)
  const { attempts, request_body } = delivery
  const attempt = attempts.find((each) => each.attempt === chosen) ?? attempts.at(-1)
  return (
    <>
      <PageHead
        title={delivery.event_type}
        isMono
        above={{ label: t('deliveries.title'), view: 'deliveries' }}
        sub={<Summary delivery={delivery} endpoint={endpoint} />}
        actions={
          <>
            {attempt !== undefined && endpoint !== null && (
              <CopyCurl
                text={curlOf(urlOf(attempt, endpoint), attempt, request_body, t('delivery.curl.unsigned'))}
              />
            )}
            {mayChange && !delivery.is_test && endpoint !== null && (
              <Resend delivery={delivery} endpointName={endpoint.name} />
            )}
          </>
        }
      />
      <ErrorNotice error={error} onRetry={() => void onReload()} />
      <div class="columns aside-main">
        <div>
          <Attempts delivery={delivery} attempt={attempt} onChoose={setChosen} />
          <Ids delivery={delivery} />
        </div>
        <div>
          {attempt !== undefined && <Answer attempt={attempt} />}
          <RequestCard attempt={attempt} body={request_body} endpoint={endpoint} />
        </div>
      </div>
    </>
  )
}

/** Copies a command. If the browser refuses, it is shown. */
function CopyCurl({ text }: { text: string }) {
  const { t } = usePortal()
  const [isShown, setShown] = useState(false)
  const label = t('delivery.curl')
  return (
    <>
      <CopyButton text={text} label={label} onFailed={() => setShown(true)} />
      {isShown && (
        <InfoDialog isWide title={label} onClose={() => setShown(false)}>
          <p class="lead">{t('copy.failed')}</p>
          <Code text={text} label={label} />
        </InfoDialog>
      )}
    </>
  )
}

/** Where the attempt was sent; with the query, which is not recorded, if the endpoint still has that address. */
function urlOf({ url }: AttemptDetails, endpoint: WebhookEndpoint): string {
  return url === null || endpoint.url.startsWith(url) ? endpoint.url : url
}

/** Whose event it is, where it goes, and how it stands. */
function Summary({ delivery, endpoint }: { delivery: DeliveryOf; endpoint: WebhookEndpoint | null }) {
  const { t } = usePortal()
  const { status, next_attempt_at, quotation_name, endpoint_name, endpoint_id } = delivery
  const text = endpoint?.name ?? endpoint_name ?? endpoint_id
  const name = (
    <strong class="one-line" title={text}>
      {text}
    </strong>
  )
  return (
    <>
      {t('delivery.to')}{' '}
      {endpoint === null ? name : <Link to={{ view: 'endpoints', id: endpoint.id }}>{name}</Link>}
      {quotation_name !== undefined && <> · {quotation_name}</>}
      {delivery.is_test && <> · {testName(delivery.attempts[0]?.check_kind ?? null, t)}</>} ·{' '}
      <Status tone={TONES[status]}>
        {isLeft(delivery) && next_attempt_at !== null && delivery.attempts.length > 0 ? (
          <Countdown to={next_attempt_at}>{(left) => t('attempt.retrying', { in: left })}</Countdown>
        ) : (
          t(`delivery.${status}`)
        )}
      </Status>
    </>
  )
}
