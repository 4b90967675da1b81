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
  type?: 'text' | 'url' | 'datetime-local' | 'date'
  maxLength?: number
  placeholder?: string
  /** Shown next to the label. */
  isOptional?: string
  min?: string
  max?: string
}) {
  const id = useId()
  const { label, value, onInput, maxLength, placeholder, min, max, ...rest } = props
  return (
    <Labelled id={id} label={label} isOptional={isOptional} {...rest}>
      <input
        id={id}
        type={type as 'text'}
        value={value}
        required={isOptional === undefined}
        maxLength={maxLength}
        placeholder={placeholder}
        min={min}
        max={max}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={rest.error === undefined ? undefined : true}
        aria-describedby={`${id}-hint ${id}-error`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </Labelled>
  )
}

export function SelectField({
  options,
  ...props
}: FieldProps & { options: readonly (readonly [value: string, label: string])[] }) {
  const id = useId()
  const { label, value, onInput, ...rest } = props
  return (
    <Labelled id={id} label={label} {...rest}>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint ${id}-error`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

function Labelled({
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
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
      <p id={`${id}-error`} class="field-error" aria-live="polite">
        {error}
      </p>
    </div>
  )
}

/** One of a few options. */
export function Choice<Value extends string>({
  legend,
  name,
  options,
  value,
  onChange,
}: {
  legend: string
  name: string
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
            name={`${id}-${name}`}
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

/** A filter in one line: its name and its value. */
export function Filter({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly (readonly [value: string, label: string])[]
  value: string
  onChange: (value: string) => void
}) {
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A filter that shows all its values. */
export function Segments({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly (readonly [value: string, label: string])[]
  value: string
  onChange: (value: string) => void
}) {
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}
