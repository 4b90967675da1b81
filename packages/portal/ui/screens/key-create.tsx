import { useEffect, useState } from 'preact/hooks'
import type { ApiKey, CreatedApiKey } from '../api/types.ts'
import { now } from '../clock.ts'
import { DAY } from '../i18n/format.ts'
import { Button } from '../parts/button.tsx'
import { Secret } from '../parts/copy.tsx'
import { Dialog, FormDialog } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

const LIFETIMES = [30, 90, 180, 365, 730]
const OWN_DATE = 'date'
const DEFAULT_DAYS = 365

/** Asks for a name and an expiry, then shows the key once. */
export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (key: ApiKey) => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const { t } = usePortal()
  if (created !== null) return <ShowKey created={created} onStored={() => onCreated(created)} />
  return (
    <KeyForm title={t('keys.create')} submit={t('keys.create')} onClose={onClose} onCreated={setCreated} />
  )
}

/** Creates a new key of the same name, then offers to deactivate the old one. */
export function ReplaceKey({
  apiKey,
  onClose,
  onDone,
}: {
  apiKey: ApiKey
  onClose: () => void
  onDone: () => void
}) {
  const { t, client } = usePortal()
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const [isStored, setStored] = useState(false)
  const action = useAction()
  if (created === null) {
    return (
      <KeyForm
        title={t('keys.replace.title', { name: apiKey.name })}
        text={t('keys.replace.text')}
        submit={t('keys.replace.create')}
        name={apiKey.name}
        onClose={onClose}
        onCreated={setCreated}
      />
    )
  }
  if (!isStored) return <ShowKey created={created} onStored={() => setStored(true)} />
  const switchOff = () =>
    action.run(async () => {
      if (apiKey.status === 'active') await client.apiKeys.deactivate(apiKey.id)
      onDone()
    })
  return (
    <Dialog
      title={t('keys.replace.off')}
      onClose={onDone}
      footer={
        <>
          <Button onClick={onDone}>{t('keys.replace.later')}</Button>
          <Button kind="primary" isBusy={action.isRunning} onClick={() => void switchOff()}>
            {t('keys.replace.now')}
          </Button>
        </>
      }
    >
      <p>{t('keys.replace.off.text', { name: apiKey.name, key: apiKey.masked_key })}</p>
      <ErrorNotice error={action.error} />
    </Dialog>
  )
}

function KeyForm({
  title,
  text,
  submit,
  name: given = '',
  onClose,
  onCreated,
}: {
  title: string
  text?: string
  submit: string
  name?: string
  onClose: () => void
  onCreated: (created: CreatedApiKey) => void
}) {
  const { t, client, settings, format } = usePortal()
  const lifetimes = LIFETIMES.filter((days) => days <= settings.apiKeyDays)
  const [name, setName] = useState(given)
  const [lifetime, setLifetime] = useState(
    String(lifetimes.includes(DEFAULT_DAYS) ? DEFAULT_DAYS : (lifetimes[0] ?? OWN_DATE)),
  )
  const [date, setDate] = useState('')
  const action = useAction()
  const isOwnDate = lifetime === OWN_DATE
  const expires = isOwnDate ? endOf(date) : new Date(now.value + Number(lifetime) * DAY)
  return (
    <FormDialog
      title={title}
      submit={submit}
      action={action}
      onClose={onClose}
      onSubmit={async () => {
        onCreated(
          await client.apiKeys.create({
            name: name.trim(),
            expires_at: (expires ?? new Date()).toISOString(),
          }),
        )
      }}
    >
      {text !== undefined && <p class="lead">{text}</p>}
      <TextField
        label={t('keys.name')}
        hint={t('keys.name.hint')}
        value={name}
        maxLength={200}
        onInput={setName}
        error={action.fieldError('name')}
      />
      <SelectField
        label={t('keys.expires')}
        hint={
          expires === null || isOwnDate
            ? t('keys.expires.hint')
            : t('keys.expires.on', { date: format.date(expires.toISOString()) })
        }
        value={lifetime}
        options={[
          ...lifetimes.map((days): [string, string] => [String(days), t('keys.days', { count: days })]),
          [OWN_DATE, t('keys.date')],
        ]}
        onInput={setLifetime}
        error={action.fieldError('expires_at')}
      />
      {isOwnDate && (
        <TextField
          type="date"
          label={t('keys.date.label')}
          value={date}
          min={dayOf(now.value + DAY)}
          max={dayOf(now.value + settings.apiKeyDays * DAY - DAY)}
          onInput={setDate}
        />
      )}
    </FormDialog>
  )
}

/** Only its button closes it: the key is never shown again. */
function ShowKey({ created, onStored }: { created: CreatedApiKey; onStored: () => void }) {
  const { t, rich, navigation } = usePortal()
  useEffect(() => navigation.hold('secret'), [])
  return (
    <Dialog
      title={t('keys.shown.title', { name: created.name })}
      footer={
        <Button kind="primary" onClick={onStored}>
          {t('action.stored')}
        </Button>
      }
    >
      <p class="lead">{t('keys.shown.text')}</p>
      <Secret value={created.key} />
      <p class="hint">{rich('keys.shown.header', { header: <code>X-API-Key</code> })}</p>
    </Dialog>
  )
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The end of a day, in the reader's time zone. */
function endOf(day: string): Date | null {
  return day === '' ? null : new Date(`${day}T23:59:59`)
}
