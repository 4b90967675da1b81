import type { WebhookEndpoint } from '../api/types.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

export function DisableEndpoint({
  endpoint,
  onClose,
  onDone,
}: {
  endpoint: WebhookEndpoint
  onClose: () => void
  onDone: (endpoint: WebhookEndpoint) => void
}) {
  const { t, client } = usePortal()
  const action = useAction()
  return (
    <FormDialog
      title={t('endpoints.disable.title', { name: endpoint.name })}
      submit={t('endpoints.disable')}
      action={action}
      onClose={onClose}
      onSubmit={async () => onDone(await client.endpoints.update(endpoint.id, { is_enabled: false }))}
    >
      <p>{t('endpoints.disable.text')}</p>
    </FormDialog>
  )
}

export function DeleteEndpoint({
  endpoint,
  onClose,
  onDone,
}: {
  endpoint: WebhookEndpoint
  onClose: () => void
  onDone: () => void
}) {
  const { t, client } = usePortal()
  const action = useAction()
  return (
    <FormDialog
      title={t('endpoints.delete.title', { name: endpoint.name })}
      submit={t('endpoints.delete')}
      isDanger
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        await client.endpoints.delete(endpoint.id)
        onDone()
      }}
    >
      <p>{t('endpoints.delete.text', { url: endpoint.url })}</p>
    </FormDialog>
  )
}
