import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { organizationName, usePortal } from '../portal.ts'
import { Breakable } from './breakable.tsx'
import { Link } from './link.tsx'

/** The title of a screen. It takes the focus on arrival, so that screen readers announce it. */
export function PageHead({
  title,
  isMono = false,
  above,
  sub,
  actions,
}: {
  title: string
  isMono?: boolean
  /** The parent screen. */
  above?: { label: string; view: string }
  sub?: ComponentChildren
  actions?: ComponentChildren
}) {
  const { me, settings, navigation, filters, direction } = usePortal()
  const heading = useRef<HTMLHeadingElement>(null)
  const arrived = useRef(false)
  const { view, id } = navigation.place.value
  useEffect(() => {
    if (!settings.brand.name) return
    document.title = `${title} · ${organizationName(me)} · ${settings.brand.name}`
  }, [title])
  useEffect(() => {
    // Not on the first screen: a new page begins at its top.
    if (arrivals++ > 0 && !arrived.current) heading.current?.focus({ preventScroll: true })
    arrived.current = true
  }, [view, id])
  return (
    <header class="page-head">
      {above !== undefined && (
        <p class="above">
          <Link to={{ view: above.view, query: filters.get(above.view) ?? {} }}>
            <span aria-hidden="true">{direction === 'rtl' ? '→' : '←'}</span> {above.label}
          </Link>
        </p>
      )}
      <div class="page-title">
        <div>
          <h1 ref={heading} tabIndex={-1} class={isMono ? 'mono' : undefined}>
            {isMono ? <Breakable text={title} /> : title}
          </h1>
          {sub !== undefined && <p class="sub">{sub}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
    </header>
  )
}

/** The number of screens shown since the page was opened. */
let arrivals = 0
