import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { FieldNotes } from '../parts/field.tsx'
import { usePortal } from '../portal.ts'

/** A header to add or change. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

const LONGEST = { name: 64, value: 1024 }

/** The endpoint's own headers: existing names, and fields for more. Values are never read back. */
export function HeaderFields({
  known,
  removed,
  added,
  hint,
  error,
  onRemovedChange,
  onAddedChange,
}: {
  known: readonly string[]
  removed: ReadonlySet<string>
  added: readonly HeaderField[]
  hint: string
  error: string | undefined
  onRemovedChange: (removed: ReadonlySet<string>) => void
  onAddedChange: (added: readonly HeaderField[]) => void
}) {
  const { t } = usePortal()
  const id = useId()
  const fields = useRef<HTMLFieldSetElement>(null)
  const count = useRef(added.length)
  useEffect(() => {
    // A new field is there to be typed in; a removed one leaves the button that adds another.
    const isMore = added.length > count.current
    if (added.length !== count.current) {
      const all = fields.current?.querySelectorAll<HTMLElement>(isMore ? '.header-name' : '.add button')
      all?.[all.length - 1]?.focus()
    }
    count.current = added.length
  }, [added.length])
  const change = (at: number, field: Partial<HeaderField>) =>
    onAddedChange(added.map((each, index) => (index === at ? { ...each, ...field } : each)))
  return (
    <fieldset ref={fields} class="headers field" aria-describedby={`${id}-hint ${id}-error`}>
      <legend>
        {t('endpoints.headers')}
        <span class="optional">{t('optional')}</span>
      </legend>
      {known.map((name) => (
        <div key={name}>
          <code class={removed.has(name) ? 'muted removed' : undefined}>{name}</code>
          <Button
            label={t(removed.has(name) ? 'endpoints.headers.keep.of' : 'endpoints.headers.remove.of', {
              name,
            })}
            onClick={() => {
              const next = new Set(removed)
              if (!next.delete(name)) next.add(name)
              onRemovedChange(next)
            }}
          >
            {t(removed.has(name) ? 'endpoints.headers.keep' : 'endpoints.headers.remove')}
          </Button>
        </div>
      ))}
      {added.map((field, index) => (
        <div key={index}>
          {(['name', 'value'] as const).map((part) => (
            <input
              key={part}
              class={`mono header-${part}`}
              value={field[part]}
              maxLength={LONGEST[part]}
              aria-label={t(`endpoints.headers.${part}`)}
              placeholder={t(`endpoints.headers.${part}`)}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => change(index, { [part]: currentTarget.value })}
            />
          ))}
          <Button
            label={t('endpoints.headers.remove.of', { name: field.name })}
            onClick={() => onAddedChange(added.filter((_, at) => at !== index))}
          >
            {t('endpoints.headers.remove')}
          </Button>
        </div>
      ))}
      <div class="add">
        <Button onClick={() => onAddedChange([...added, { name: '', value: '' }])}>
          {t('endpoints.headers.add')}
        </Button>
      </div>
      <FieldNotes id={id} hint={hint} error={error} />
    </fieldset>
  )
}

/** The headers of an update; undefined: unchanged. */
export function headersOf(
  removed: ReadonlySet<string>,
  added: readonly HeaderField[],
): Record<string, string | null> | undefined {
  const given = added.filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
  const entries = [
    ...[...removed].map((name): [string, null] => [name, null]),
    ...given.map(({ name, value }): [string, string] => [name.trim(), value.trim()]),
  ]
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
