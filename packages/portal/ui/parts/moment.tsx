import { useId } from 'preact/hooks'
import { localTime, momentsOf, twins } from '../i18n/local-time.ts'
import { usePortal } from '../portal.ts'
import { Labelled, Select } from './field.tsx'

/**
 * A date and time in the reader's time zone. Beside a time that comes twice, when clocks are set back, is a choice of both.
 * @param value a timestamp; empty, or not one: any
 */
export function MomentInput({
  id,
  value,
  label,
  isRequired,
  onChange,
}: {
  id: string
  value: string
  /** Of the choice. */
  label: string
  isRequired?: boolean
  onChange: (value: string) => void
}) {
  const { format } = usePortal()
  const time = Date.parse(value)
  const local = Number.isNaN(time) ? '' : localTime(time)
  const both = Number.isNaN(time) ? [] : twins(time)
  const offsetId = useId()
  const timestamp = (moment: number) => new Date(moment).toISOString()
  return (
    <>
      <input
        id={id}
        type="datetime-local"
        // Safari shows the present time in an empty one.
        class={local === '' ? 'unset' : undefined}
        value={local}
        required={isRequired}
        onChange={({ currentTarget }) => {
          // Chosen again, it stays the one of two that it was.
          if (currentTarget.value === local) return
          const [moment] = momentsOf(currentTarget.value)
          onChange(moment === undefined ? '' : timestamp(moment))
        }}
      />
      {both.length > 1 && (
        <>
          <label class="hidden" for={offsetId}>
            {label}
          </label>
          <Select
            id={offsetId}
            value={timestamp(time)}
            options={both.map((moment) => [timestamp(moment), format.offset(timestamp(moment))])}
            onChange={onChange}
          />
        </>
      )}
    </>
  )
}

/** A date and time with a label. */
export function MomentField({
  label,
  value,
  isOptional,
  onInput,
}: {
  label: string
  value: string
  /** Shown next to the label. */
  isOptional?: string
  onInput: (value: string) => void
}) {
  const { t } = usePortal()
  const id = useId()
  return (
    <Labelled id={id} label={label} isOptional={isOptional}>
      <MomentInput
        id={id}
        value={value}
        label={t('time.twice', { name: label })}
        isRequired={isOptional === undefined}
        onChange={onInput}
      />
    </Labelled>
  )
}
