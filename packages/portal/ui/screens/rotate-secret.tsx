import { useState } from 'preact/hooks'
import type { EndpointWithSecret, WebhookEndpoint } from '../api/types.ts'
import { now } from '../clock.ts'
import { FormDialog, SecretDialog } from '../parts/dialog.tsx'
import { Choice } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { VerifySnippet } from './how-to-verify.tsx'

/** Overlaps, in seconds. */
const OVERLAPS = ['86400', '3600', '0'] as const

/** More end the oldest. */
const MAX_PREVIOUS_SECRETS = 3

/** The previous secrets that still sign, newest first. */
export function signing({ previous_secrets }: WebhookEndpoint): WebhookEndpoint['previous_secrets'] {
  return previous_secrets.filter(({ expires_at }) => Date.parse(expires_at) > now.value)
}

export function RotateSecret({
  endpoint,
  onClose,
  onDone,
}: {
  endpoint: WebhookEndpoint
  onClose: () => void
  onDone: (endpoint: WebhookEndpoint) => void
}) {
  const { t, client, format } = usePortal()
  const previous = signing(endpoint)
  const ended = previous[MAX_PREVIOUS_SECRETS - 1]
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('86400')
  const [rotated, setRotated] = useState<EndpointWithSecret | null>(null)
  const action = useAction()
  if (rotated !== null) return <ShowSecret endpoint={rotated} onStored={onDone} />
  return (
    <FormDialog
      title={t('rotate.title', { name: endpoint.name })}
      submit={t('rotate.submit')}
      action={action}
      onClose={onClose}
      onSubmit={async () => setRotated(await client.endpoints.rotate(endpoint.id, Number(overlap)))}
    >
      <p class="lead">{t('rotate.text')}</p>
      {previous.length > 0 && (
        <p class="hint">
          {ended === undefined || overlap === '0'
            ? t('rotate.earlier')
            : t('rotate.ends', { hint: ended.secret_hint, until: format.exact(ended.expires_at) })}
        </p>
      )}
      <Choice
        legend={t('rotate.overlap')}
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS.map((value) => ({ value, label: t(`rotate.overlap.${value}`) }))}
      />
    </FormDialog>
  )
}

/** The secret of an endpoint, and the code that verifies with it. */
export function ShowSecret({
  endpoint,
  onStored,
}: {
  endpoint: EndpointWithSecret
  onStored: (endpoint: WebhookEndpoint) => void
}) {
  const { t } = usePortal()
  const { secret, ...stored } = endpoint
  return (
    <SecretDialog
      isWide
      title={t('secret.shown.title', { name: endpoint.name })}
      text={t('secret.shown.text')}
      secret={secret}
      onStored={() => onStored(stored)}
    >
      <p class="lead">{t('secret.shown.verify')}</p>
      <VerifySnippet url={endpoint.url} secret={secret} />
      <p class="hint">{t('secret.shown.next')}</p>
    </SecretDialog>
  )
}
