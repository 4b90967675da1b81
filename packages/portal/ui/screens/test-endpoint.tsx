import { useState } from 'preact/hooks'
import type { TestResult, WebhookEndpoint } from '../api/types.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

/** Sends a sample event and shows the response. */
export function TestEndpoint({
  endpoint,
  onTested,
  onClose,
}: {
  endpoint: WebhookEndpoint
  onTested: () => void
  onClose: () => void
}) {
  const { t, client, shows } = usePortal()
  const [type, setType] = useState(endpoint.events[0] ?? '')
  const [result, setResult] = useState<(TestResult & { deliveryId: string | undefined }) | null>(null)
  const action = useAction()

  async function send() {
    setResult(null)
    const answer = await client.endpoints.test(endpoint.id, type)
    // The response contains the attempt; the log has its delivery.
    const { items } = await client.deliveries
      .list({ endpoint_id: endpoint.id, limit: 20 })
      .catch(() => ({ items: [] }))
    onTested()
    setResult({ ...answer, deliveryId: items.find(({ id }) => id === answer.attempt_id)?.delivery_id })
  }

  return (
    <FormDialog
      title={t('test.title', { name: endpoint.name })}
      close={t('action.close')}
      submit={result === null ? t('test.send') : t('test.again')}
      action={action}
      onSubmit={send}
      onClose={onClose}
    >
      <p class="lead">{t('test.text')}</p>
      <SelectField
        label={t('test.type')}
        value={type}
        options={endpoint.events.map((each) => [each, each])}
        onInput={setType}
        error={action.fieldError('event_type')}
      />
      <div aria-live="polite">
        {result !== null && (
          <div class="result">
            <Status tone={result.success ? 'good' : 'bad'}>
              {result.success
                ? t('test.success', { status: result.http_status ?? '' })
                : t('test.failure', { error: result.error ?? String(result.http_status) })}
            </Status>
            {!result.success && <p class="muted">{t('test.failure.text')}</p>}
            {result.deliveryId !== undefined && shows('deliveries') && (
              <Link to={{ view: 'deliveries', id: result.deliveryId }}>{t('test.details')}</Link>
            )}
          </div>
        )}
      </div>
    </FormDialog>
  )
}
