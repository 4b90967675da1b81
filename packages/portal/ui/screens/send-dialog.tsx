import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { WebhookEndpoint } from '../api/types.ts'
import { FormDialog } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'

/** Of what sends samples, and shows the results in a `SendDialog`. */
export interface SendingProps {
  endpoint: WebhookEndpoint
  /** Samples have been sent. */
  onTested: () => void
  onClose: () => void
}

/** Sends samples of an event to an endpoint, and shows below what became of them. */
export function SendDialog<Result>({
  title,
  texts,
  submit,
  again,
  endpoint,
  send,
  onClose,
  children,
}: {
  title: string
  /** Above the field: what happens, and what to know. */
  texts: readonly [string, ...string[]]
  submit: string
  /** The button, once there is a result. */
  again: string
  endpoint: WebhookEndpoint
  send: (eventType: string) => Promise<Result>
  onClose: () => void
  children: (result: Result) => ComponentChildren
}) {
  const { t } = usePortal()
  const [type, setType] = useState(endpoint.events[0] ?? '')
  const [result, setResult] = useState<Result | null>(null)
  const action = useAction()
  const [lead, ...hints] = texts
  return (
    <FormDialog
      title={title}
      close={t('action.close')}
      submit={result === null ? submit : again}
      action={action}
      onSubmit={async () => {
        setResult(null)
        setResult(await send(type))
      }}
      onClose={onClose}
    >
      <p class="lead">{lead}</p>
      {hints.map((hint) => (
        <p key={hint} class="hint">
          {hint}
        </p>
      ))}
      <SelectField
        label={t('test.type')}
        value={type}
        options={endpoint.events.map((each) => [each, each])}
        onInput={setType}
        error={action.fieldError('event_type')}
      />
      <div aria-live="polite">{result !== null && <div class="result">{children(result)}</div>}</div>
    </FormDialog>
  )
}
