/** What had the focus before the first of the open dialogs. */
let before: HTMLElement | null = null

type Root = Document | ShadowRoot

const rootOf = (element: Element) => element.getRootNode() as Root

/** Before a dialog opens. One that follows another keeps what had the focus before both. */
export function rememberFocus(dialog: HTMLElement | null): void {
  const active = dialog === null ? null : rootOf(dialog).activeElement
  if (active instanceof HTMLElement && active !== document.body && active.closest('dialog') === null) {
    before = active
  }
}

/** After a dialog has closed: to what had the focus, or to the title if that is gone. */
export function returnFocus(dialog: HTMLElement | null): void {
  const portal = before?.closest('.portal') ?? dialog?.closest('.portal')
  if (before?.isConnected && !before.matches(':disabled')) before.focus()
  else if (portal) focusTitle(portal)
}

function focusTitle(portal: Element): void {
  portal.querySelector('h1')?.focus({ preventScroll: true })
}

/**
 * Gives the focus to the title when what had it is removed: the keyboard would begin at the top of the page again.
 * @returns stops it
 */
export function keepFocus(portal: HTMLElement): () => void {
  let last: Element | null = null
  const onFocus = ({ target }: Event) => {
    last = target as Element
  }
  const observer = new MutationObserver(() => {
    if (last === null || last.isConnected) return
    last = null
    const { activeElement } = rootOf(portal)
    if (activeElement === null || activeElement === document.body) focusTitle(portal)
  })
  portal.addEventListener('focusin', onFocus)
  observer.observe(portal, { childList: true, subtree: true })
  return () => {
    portal.removeEventListener('focusin', onFocus)
    observer.disconnect()
  }
}

/** Moves the focus to the first field with an error, if any. */
export function showFirstError(form: HTMLElement | null): void {
  const error = form?.querySelector('.field-error:not(:empty)')
  error?.closest('.field, fieldset')?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
}
