import { useState } from 'preact/hooks'
import type { ApiKey } from '../api/types.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

interface ChangeProps {
  apiKey: ApiKey
  onClose: () => void
  /** Called with a text to announce. */
  onDone: (text: string) => void
}

export function RenameKey({ apiKey, onClose, onDone }: ChangeProps) {
  const { t, client } = usePortal()
  const [name, setName] = useState(apiKey.name)
  const action = useAction()
  return (
    <FormDialog
      title={t('keys.rename.title', { name: apiKey.name })}
      submit={t('action.save')}
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        await client.apiKeys.rename(apiKey.id, name.trim())
        onDone(t('action.saved'))
      }}
    >
      <TextField
        label={t('keys.name')}
        value={name}
        maxLength={200}
        onInput={setName}
        error={action.fieldError('name')}
      />
    </FormDialog>
  )
}

export function DeactivateKey({ apiKey, onClose, onDone }: ChangeProps) {
  const { t, client } = usePortal()
  const action = useAction()
  return (
    <FormDialog
      title={t('keys.deactivate.title', { name: apiKey.name })}
      submit={t('keys.deactivate')}
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        await client.apiKeys.deactivate(apiKey.id)
        onDone(t('keys.deactivated', { name: apiKey.name }))
      }}
    >
      <p>{t('keys.deactivate.text', { key: apiKey.masked_key })}</p>
    </FormDialog>
  )
}

export function RevokeKey({ apiKey, onClose, onDone }: ChangeProps) {
  const { t, client } = usePortal()
  const action = useAction()
  return (
    <FormDialog
      title={t('keys.revoke.title', { name: apiKey.name })}
      submit={t('keys.revoke')}
      isDanger
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        await client.apiKeys.revoke(apiKey.id)
        onDone(t('keys.revoked', { name: apiKey.name }))
      }}
    >
      <p>{t('keys.revoke.text', { key: apiKey.masked_key })}</p>
    </FormDialog>
  )
}
