/** JSON with highlighted keys; other text unchanged. Partners' texts are never interpreted. */
export function Code({ text, label }: { text: string; label: string }) {
  const json = prettyJson(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class="code" tabIndex={0} aria-label={label}>
      <pre>
        <code>
          {json === null ? text : json.split(TOKENS).map((part, index) => <Token key={index} text={part} />)}
        </code>
      </pre>
    </section>
  )
}

const TOKENS = /("(?:[^"\\]|\\[\s\S])*(?:":?|\\?$))/

function Token({ text }: { text: string }) {
  if (!text.startsWith('"')) return text
  return <span class={text.endsWith(':') ? 'json-key' : 'json-text'}>{text}</span>
}

function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}
