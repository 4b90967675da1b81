import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { usePortal } from '../portal.ts'
import { type Options, Select } from './field.tsx'
import { Icon } from './icon.tsx'
import { MomentInput } from './moment.tsx'

type Values = Readonly<Record<string, string>>

/**
 * The filters of a list. They are in the address, except for defaults.
 * @param allowed the values of those that have few: another one in the address counts as the default
 */
export function useFilters<Given extends Values>(
  defaults: Given,
  allowed: Partial<Record<keyof Given, readonly string[]>> = {},
): [filters: Given, choose: (change: Partial<Given>) => void] {
  const { navigation } = usePortal()
  const { view, query } = navigation.place.value
  const isAllowed = (name: string) => allowed[name]?.includes(query[name] ?? '') ?? true
  const filters: Values = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, (isAllowed(name) && query[name]) || value]),
  )
  const choose = (change: Partial<Given>) =>
    navigation.go(
      {
        view,
        query: Object.fromEntries(
          Object.entries({ ...filters, ...change }).filter(([name, value]) => value !== defaults[name]),
        ) as Values,
      },
      { replace: true },
    )
  return [filters as Given, choose]
}

interface FilterOf {
  readonly name: string
  readonly label: string
  readonly options: Options<string>
  /** Its few values are side by side. */
  readonly isOpen?: boolean
}

/** The filters above a list, in one line. */
export function FilterBar({
  filters,
  values,
  onChange,
  children,
}: {
  filters: readonly FilterOf[]
  values: Values
  onChange: (change: Values) => void
  children?: ComponentChildren
}) {
  return (
    <div class="filters">
      {filters.map(({ name, ...filter }) => (
        <Filter
          key={name}
          {...filter}
          value={values[name] ?? ''}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
      {children}
    </div>
  )
}

/** A filter in one line: its name and its values, in a list that opens or, when they are few, side by side. */
export function Filter<Value extends string>({
  label,
  options,
  value,
  isOpen = false,
  onChange,
}: {
  label: string
  options: Options<Value>
  value: Value
  isOpen?: boolean
  onChange: (value: Value) => void
}) {
  const id = useId()
  if (!isOpen) {
    return (
      <div class="filter">
        <label for={id}>{label}</label>
        <Select id={id} options={options} value={value} onChange={onChange} />
      </div>
    )
  }
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

/** A moment as a filter; empty: any. */
export function TimeFilter({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const { t } = usePortal()
  const id = useId()
  return (
    <div class="filter">
      <label for={id}>
        {label}
        {value === '' && <span class="optional">{t('filter.any')}</span>}
      </label>
      <MomentInput id={id} value={value} onChange={onChange} label={t('time.twice', { name: label })} />
    </div>
  )
}

/** Searches when it is submitted. */
export function SearchFilter({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (value: string) => void
}) {
  // Of its own, because the list is drawn again while somebody types.
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <form
      class="filter search-field"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text.trim())
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          // The cross of the browser empties it.
          if (currentTarget.value === '' && value !== '') onSearch('')
        }}
      />
    </form>
  )
}
