import { useState } from 'preact/hooks'
import type { ApiKey } from '../api/types.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

export function RenameKey({
  apiKey,
  onClose,
  onDone,
}: {
  apiKey: ApiKey
  onClose: () => void
  /** Called with a text to announce. */
  onDone: (text: string) => void
}) {
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
