import type { Attempt, ReceiverCheck } from '../api/types.ts'
import { apiText } from '../i18n/api-text.ts'
import { en, type TextKey } from '../i18n/en.ts'
import type { Translator } from '../i18n/translate.ts'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { usePortal } from '../portal.ts'
import { SendDialog, type SendingProps } from './send-dialog.tsx'

/** A test, or the delivery of a check. */
export function testName(kind: Attempt['check_kind'], t: Translator['t']): string {
  return kind === null ? t('deliveries.test') : t('deliveries.check', { kind: t(`check.kind.${kind}`) })
}

/** Sends genuine and forged events, and shows what the receiver does with each. */
export function CheckReceiver({ endpoint, onTested, onClose }: SendingProps) {
  const { t, client, shows } = usePortal()
  return (
    <SendDialog
      endpoint={endpoint}
      onClose={onClose}
      title={t('check.title', { name: endpoint.name })}
      texts={[t('check.text'), t('check.twice')]}
      submit={t('check.send')}
      again={t('check.again')}
      send={async (type) => {
        const check = await client.endpoints.check(endpoint.id, type)
        onTested()
        return check
      }}
    >
      {(check) => (
        <>
          <Verdict check={check} />
          <ul class="lines">
            {check.results.map((line) => (
              <li key={line.kind}>
                <Line line={line} />
              </li>
            ))}
          </ul>
          {shows('deliveries') && (
            <Link to={{ view: 'deliveries', query: { endpoint: endpoint.id } }}>{t('check.details')}</Link>
          )}
        </>
      )}
    </SendDialog>
  )
}

function Verdict({ check: { verdict, results } }: { check: ReceiverCheck }) {
  const { t } = usePortal()
  const key = VERDICTS.get(verdict)
  return (
    <p>
      <Status tone={results.every(({ passed }) => passed) ? 'good' : 'bad'}>
        <strong>{key === undefined ? verdict : t(key)}</strong>
      </Status>
    </p>
  )
}

/** The service answers in English. A sentence that a newer service has is shown as it is. */
const VERDICTS: ReadonlyMap<unknown, TextKey> = new Map(
  Object.entries(en).flatMap(([key, text]) =>
    key.startsWith('check.verdict.') ? [[text, key as TextKey] as const] : [],
  ),
)

function Line({ line }: { line: ReceiverCheck['results'][number] }) {
  const portal = usePortal()
  const { t } = portal
  const { kind, expected, http_status, error, passed } = line
  const cause = apiText(portal, 'cause', error ?? '')
  const values = { kind: t(`check.kind.${kind}`), expected, response: http_status ?? '', error: cause }
  return (
    <Status tone={passed ? 'good' : 'bad'}>
      {passed
        ? t('check.passed', values)
        : t(http_status === null ? 'check.unanswered' : 'check.failed', values)}
    </Status>
  )
}
