/** Farther than a hand that clicks: the mouse selects text. */
const DRAG_PX = 4

const OWN = 'a, button, input, select, summary, label'

/**
 * The mouse on a row, as on the link `.row-link` in it: a click opens it, Ctrl, Shift or the middle button in a new tab, and a
 * drag selects text. No link is as large as its row instead: in WebKit a row cannot contain what is positioned.
 */
export function rowMouse() {
  let pressed = { x: 0, y: 0 }
  function open(event: MouseEvent, isElsewhere: boolean) {
    const link = linkOf(event)
    const isDrag = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_PX
    if (link === null || isDrag) return
    if (!isElsewhere) link.click()
    else if (link.getAttribute('href') !== '#') window.open(link.href, '_blank', 'noopener')
  }
  return {
    onMouseDown(event: MouseEvent) {
      pressed = { x: event.clientX, y: event.clientY }
      // The middle button would scroll.
      if (event.button === 1 && linkOf(event) !== null) event.preventDefault()
    },
    onClick: (event: MouseEvent) => open(event, event.ctrlKey || event.metaKey || event.shiftKey),
    // Safari has an event for a click of the middle button only from 18.2 on.
    onMouseUp(event: MouseEvent) {
      if (event.button === 1) open(event, true)
    },
  }
}

/** The link of the row, unless something in the row has the mouse itself. */
function linkOf({ target, currentTarget }: MouseEvent): HTMLAnchorElement | null {
  if (target instanceof Element && target.closest(OWN) !== null) return null
  return (currentTarget as Element).querySelector<HTMLAnchorElement>('.row-link')
}
