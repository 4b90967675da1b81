const LABELS = ['aria-label', 'placeholder', 'title']

/**
 * Marks elements with a text that has no translation, so that screen readers speak English where the rest is another language.
 * @param english those texts
 * @returns stops it
 */
export function markEnglish(root: Element, english: ReadonlySet<string>): () => void {
  function mark(element: Element): void {
    const own = [...element.childNodes].filter((node) => node instanceof Text).map(({ data }) => data)
    const labels = LABELS.map((name) => element.getAttribute(name) ?? '')
    const texts = [own, labels].map((each) => each.map((text) => text.trim()).filter((text) => text !== ''))
    const shown = texts.find((each) => each.length > 0) ?? []
    if (shown.length > 0 && shown.every((text) => english.has(text))) element.setAttribute('lang', 'en')
    else if (element !== root) element.removeAttribute('lang')
  }
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      const changed = [target instanceof Element ? target : target.parentElement, ...addedNodes]
      for (const node of changed) {
        if (node instanceof Element) for (const each of [node, ...node.querySelectorAll('*')]) mark(each)
      }
    }
  })
  for (const each of root.querySelectorAll('*')) mark(each)
  observer.observe(root, { childList: true, characterData: true, subtree: true })
  return () => observer.disconnect()
}
