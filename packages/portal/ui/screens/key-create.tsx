import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiKey, CreatedApiKey } from '../api/types.ts'
import { now } from '../clock.ts'
import { DAY } from '../i18n/format.ts'
import { localDay } from '../i18n/local-time.ts'
import { FormDialog, SecretDialog } from '../parts/dialog.tsx'
import { Choice, SelectField, TextField } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

const LIFETIMES = [30, 90, 180, 365, 730]
const OWN_DATE = 'date'
const DEFAULT_DAYS = 365

/** Asks for a name and an expiry, then shows the key once. */
export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: (key: ApiKey) => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  const { t, client } = usePortal()
  if (created !== null) return <ShowKey created={created} onStored={() => onCreated(created)} />
  return (
    <KeyForm
      title={t('keys.create')}
      submit={t('keys.create')}
      isNamed
      create={(expires_at, name) => client.apiKeys.create({ name, expires_at })}
      onClose={onClose}
      onCreated={setCreated}
    />
  )
}

/** How long the old key works on, in seconds. */
const OVERLAPS = ['604800', '86400', '3600', '0'] as const

/** Issues a new key of the same name. The old one works on for a while, which the dialog says. */
export function RollKey({
  apiKey,
  onClose,
  onDone,
}: {
  apiKey: ApiKey
  onClose: () => void
  onDone: () => void
}) {
  const { t, client, format } = usePortal()
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('86400')
  const [created, setCreated] = useState<CreatedApiKey | null>(null)
  if (created !== null) return <ShowKey created={created} onStored={onDone} />
  const { name, masked_key: key, expires_at } = apiKey
  const end = Math.min(Date.parse(expires_at), now.value + Number(overlap) * 1000)
  return (
    <KeyForm
      title={t('keys.roll.title', { name })}
      submit={t('keys.roll.submit')}
      create={(expires) =>
        client.apiKeys.roll(apiKey.id, { expires_at: expires, overlap_seconds: Number(overlap) })
      }
      onClose={onClose}
      onCreated={setCreated}
    >
      <Choice
        legend={t('keys.roll.overlap')}
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS.map((value) => ({ value, label: t(`keys.roll.overlap.${value}`) }))}
      />
      <p class="count" aria-live="polite">
        {overlap === '0'
          ? t('keys.roll.now', { key })
          : t('keys.roll.until', { key, until: format.exact(new Date(end).toISOString()) })}
      </p>
    </KeyForm>
  )
}

function KeyForm({
  title,
  submit,
  isNamed = false,
  create,
  onClose,
  onCreated,
  children,
}: {
  title: string
  submit: string
  isNamed?: boolean
  create: (expires_at: string, name: string) => Promise<CreatedApiKey>
  onClose: () => void
  onCreated: (created: CreatedApiKey) => void
  children?: ComponentChildren
}) {
  const { t, me, format } = usePortal()
  const lifetimes = LIFETIMES.filter((days) => days <= me.limits.api_key_max_days)
  const [name, setName] = useState('')
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
        onCreated(await create((expires ?? new Date()).toISOString(), name.trim()))
      }}
    >
      {isNamed && (
        <TextField
          label={t('keys.name')}
          hint={t('keys.name.hint')}
          value={name}
          maxLength={200}
          onInput={setName}
          error={action.fieldError('name')}
        />
      )}
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
          min={localDay(now.value, 1)}
          // The day before the latest moment, because a key ends with its day.
          max={localDay(now.value + me.limits.api_key_max_days * DAY, -1)}
          onInput={setDate}
        />
      )}
      {children}
    </FormDialog>
  )
}

function ShowKey({ created, onStored }: { created: CreatedApiKey; onStored: () => void }) {
  const { t, rich } = usePortal()
  return (
    <SecretDialog
      title={t('keys.shown.title', { name: created.name })}
      text={t('keys.shown.text')}
      secret={created.key}
      onStored={onStored}
    >
      <p class="hint">{rich('keys.shown.header', { header: <code>X-API-Key</code> })}</p>
    </SecretDialog>
  )
}

/** The end of a day, in the reader's time zone. */
function endOf(day: string): Date | null {
  return day === '' ? null : new Date(`${day}T23:59:59`)
}
