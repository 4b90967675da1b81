const HIDDEN = '…'

/** What may give away a header: its value, what comes after `Basic` or `Bearer` in it, and both as JSON spells them. */
export function secretsOf(value: string): string[] {
  const credentials = /^(?:basic|bearer) +(.+)$/i.exec(value)?.[1] ?? []
  const secrets = [value, credentials].flat()
  return [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
}

/** The text with `…` in place of each secret, and of the beginning of one where the text was cut. */
export function hideValues(text: string, secrets: readonly string[], { isCut }: { isCut: boolean }): string {
  const places = secrets
    .flatMap((secret) => [...wholeIn(text, secret), ...(isCut ? begunIn(text, secret) : [])])
    .sort(([one], [other]) => one - other)
  let shown = ''
  let end = 0
  for (const [from, to] of places) {
    // Those that overlap become one.
    if (from >= end) shown += text.slice(end, from) + HIDDEN
    end = Math.max(end, to)
  }
  return shown + text.slice(end)
}

type Place = readonly [from: number, to: number]

function* wholeIn(text: string, secret: string): Generator<Place> {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    yield [at, at + secret.length]
  }
}

/** Where the end of the text is the beginning of the secret. */
function begunIn(text: string, secret: string): Place[] {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return [[text.length - length, text.length]]
  }
  return []
}
