import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CatalogEntry } from '../api/types.ts'
import { Breakable } from '../parts/breakable.tsx'
import { usePortal } from '../portal.ts'

/** The event catalog as check boxes, grouped by domain: the part before the first dot. */
export function EventTree({
  catalog,
  chosen,
  error,
  onChange,
}: {
  catalog: readonly CatalogEntry[]
  chosen: ReadonlySet<string>
  error: string | undefined
  onChange: (chosen: ReadonlySet<string>) => void
}) {
  const { t, rich } = usePortal()
  const domains = new Map<string, CatalogEntry[]>()
  for (const entry of catalog) {
    const domain = entry.type.split('.')[0] ?? entry.type
    domains.set(domain, [...(domains.get(domain) ?? []), entry])
  }
  const toggle = (entries: readonly CatalogEntry[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const { type } of entries) isOn ? next.add(type) : next.delete(type)
    onChange(next)
  }
  return (
    <fieldset class="event-tree">
      <legend>{t('endpoints.events')}</legend>
      {[...domains].map(([domain, entries]) => {
        const on = entries.filter(({ type }) => chosen.has(type)).length
        return (
          <div key={domain}>
            <Checkbox
              isOn={on === entries.length}
              isMixed={on > 0 && on < entries.length}
              onChange={(isOn) => toggle(entries, isOn)}
            >
              {rich('endpoints.events.all', { domain: <code>{domain}</code> })}
            </Checkbox>
            <div class="branch">
              {entries.map((entry) => (
                <Checkbox
                  key={entry.type}
                  isOn={chosen.has(entry.type)}
                  onChange={(isOn) => toggle([entry], isOn)}
                >
                  <code>
                    <Breakable text={entry.type} />
                  </code>
                  <small>{entry.description}</small>
                </Checkbox>
              ))}
            </div>
          </div>
        )
      })}
      <p class="field-error" aria-live="polite">
        {error}
      </p>
    </fieldset>
  )
}

function Checkbox({
  isOn,
  isMixed = false,
  onChange,
  children,
}: {
  isOn: boolean
  isMixed?: boolean
  onChange: (isOn: boolean) => void
  children: ComponentChildren
}) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isMixed
  }, [isMixed])
  return (
    <label>
      <input
        ref={box}
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
