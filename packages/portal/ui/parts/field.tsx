import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  value: string
  onInput: (value: string) => void
}

/** A text field with a label, a hint and its error. */
export function TextField({
  type = 'text',
  isOptional,
  ...props
}: FieldProps & {
  /** `lines`: a text that may have several. */
  type?: 'text' | 'url' | 'date' | 'lines'
  maxLength?: number
  placeholder?: string
  /** Shown next to the label. */
  isOptional?: string
  min?: string
  max?: string
}) {
  const id = useId()
  const { label, value, onInput, maxLength, placeholder, min, max, ...rest } = props
  const attributes = {
    id,
    value,
    maxLength,
    placeholder,
    required: isOptional === undefined,
    'aria-invalid': rest.error === undefined ? undefined : true,
    'aria-describedby': `${id}-hint ${id}-error`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  }
  return (
    <Labelled id={id} label={label} isOptional={isOptional} {...rest}>
      {type === 'lines' ? (
        <textarea rows={2} {...attributes} />
      ) : (
        <input
          type={type as 'text'}
          min={min}
          max={max}
          autocomplete="off"
          spellcheck={false}
          {...attributes}
        />
      )}
    </Labelled>
  )
}

/** Values to choose from, each with what it is called. */
export type Options<Value extends string> = readonly (readonly [value: Value, label: string])[]

export function SelectField<Value extends string>({
  options,
  ...props
}: Omit<FieldProps, 'onInput'> & { options: Options<Value>; onInput: (value: Value) => void }) {
  const id = useId()
  const { label, value, onInput, ...rest } = props
  return (
    <Labelled id={id} label={label} {...rest}>
      <Select
        id={id}
        describedBy={`${id}-hint ${id}-error`}
        options={options}
        value={value}
        onChange={onInput}
      />
    </Labelled>
  )
}

export function Select<Value extends string>({
  id,
  describedBy,
  options,
  value,
  onChange,
}: {
  id: string
  describedBy?: string
  options: Options<Value>
  value: string
  onChange: (value: Value) => void
}) {
  return (
    <select
      id={id}
      value={value}
      aria-describedby={describedBy}
      onInput={({ currentTarget }) => onChange(currentTarget.value as Value)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  )
}

export function Labelled({
  id,
  label,
  hint,
  error,
  isOptional,
  children,
}: {
  id: string
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  isOptional?: string | undefined
  children: ComponentChildren
}) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional !== undefined && <span class="optional">{isOptional}</span>}
      </label>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  )
}

/** Below a field, which they describe: a hint, and its error. */
export function FieldNotes({
  id,
  hint,
  error,
}: {
  id: string
  hint?: ComponentChildren
  error?: string | undefined
}) {
  return (
    <>
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
      <p id={`${id}-error`} class="field-error" aria-live="polite">
        {error}
      </p>
    </>
  )
}

/** One of a few options. */
export function Choice<Value extends string>({
  legend,
  options,
  value,
  onChange,
}: {
  legend: string
  options: readonly { value: Value; label: string; hint?: string }[]
  value: Value
  onChange: (value: Value) => void
}) {
  const id = useId()
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={id}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.hint !== undefined && <small>{option.hint}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
