import { apiText } from '../i18n/api-text.ts'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { usePortal } from '../portal.ts'
import { adviceFor } from './failure.ts'
import { SendDialog, type SendingProps } from './send-dialog.tsx'

/** Sends a sample event and shows the response. */
export function TestEndpoint({ endpoint, onTested, onClose }: SendingProps) {
  const portal = usePortal()
  const { t, client, shows } = portal

  async function send(type: string) {
    const answer = await client.endpoints.test(endpoint.id, type)
    // The response contains the attempt; the log has its delivery.
    const { items } = await client.deliveries
      .list({ endpoint_id: endpoint.id, limit: 20 })
      .catch(() => ({ items: [] }))
    onTested()
    return { ...answer, deliveryId: items.find(({ id }) => id === answer.attempt_id)?.delivery_id }
  }

  return (
    <SendDialog
      endpoint={endpoint}
      onClose={onClose}
      send={send}
      title={t('test.title', { name: endpoint.name })}
      texts={[t('test.text')]}
      submit={t('test.send')}
      again={t('test.again')}
    >
      {({ success, http_status, error, deliveryId }) => (
        <>
          <Status tone={success ? 'good' : 'bad'}>
            {success
              ? t('test.success', { status: http_status ?? '' })
              : t('test.failure', { error: apiText(portal, 'cause', error ?? String(http_status)) })}
          </Status>
          {!success && <p class="muted">{adviceFor(portal, { http_status, error })}</p>}
          {deliveryId !== undefined && shows('deliveries') && (
            <Link to={{ view: 'deliveries', id: deliveryId }}>{t('test.details')}</Link>
          )}
        </>
      )}
    </SendDialog>
  )
}
