import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface MenuItem {
  readonly label: string
  readonly isDanger?: boolean
  run(): void
}

/** Less frequent actions, behind three dots or `children`. */
export function Menu({
  label,
  items,
  children,
}: {
  label: string
  items: readonly (MenuItem | false)[]
  children?: ComponentChildren
}) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const shown = items.filter((item) => item !== false)
  if (shown.length === 0) return null

  function place(isOpen: boolean) {
    opener.current?.setAttribute('aria-expanded', String(isOpen))
    if (!isOpen || list.current === null || opener.current === null) return
    const box = opener.current.getBoundingClientRect()
    const { offsetWidth, offsetHeight, style } = list.current
    const fitsBelow = box.bottom + offsetHeight + GAP <= innerHeight
    style.top = `${fitsBelow ? box.bottom + GAP : Math.max(GAP, box.top - offsetHeight - GAP)}px`
    const left = children === undefined ? box.right - offsetWidth : box.left
    style.left = `${Math.min(Math.max(GAP, left), innerWidth - offsetWidth - GAP)}px`
    buttons()[0]?.focus()
  }

  const buttons = () => [...(list.current?.querySelectorAll('button') ?? [])]

  function move(event: KeyboardEvent) {
    // The focus returns to the opener, and goes on from there.
    if (event.key === 'Tab') list.current?.hidePopover()
    const all = buttons()
    const at = all.findIndex((button) => button.matches(':focus'))
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at <= 0 ? all.length - 1 : at - 1,
      Home: 0,
      End: all.length - 1,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    all[next % all.length]?.focus()
  }

  return (
    <>
      <button
        ref={opener}
        type="button"
        class={children === undefined ? 'button quiet square' : 'switcher'}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded="false"
        popovertarget={id}
      >
        {children ?? <Icon name="dots" />}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onToggle={(event) => place((event as unknown as ToggleEvent).newState === 'open')}
        onKeyDown={move}
      >
        {shown.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            class={item.isDanger ? 'danger' : undefined}
            onClick={() => {
              list.current?.hidePopover()
              item.run()
            }}
          >
            {item.label}
          </button>
        ))}
      </div>
    </>
  )
}

const GAP = 4
