const HIDDEN = '…'

/** Everything that may reveal a header: its value, the part after `Basic` or `Bearer`, and the JSON forms of both. */
export function secretsOf(value: string): string[] {
  const credentials = /^(?:basic|bearer) +(?=\S)(.+)$/i.exec(value)?.[1] ?? []
  const secrets = [value, credentials].flat()
  return [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
}

/** Replaces each secret in the text by `…`, including one that is cut off at the end. */
export function hideValues(text: string, secrets: readonly string[], { isCut }: { isCut: boolean }): string {
  const places = secrets
    .flatMap((secret) => [...wholeIn(text, secret), ...(isCut ? begunIn(text, secret) : [])])
    .sort(([one], [other]) => one - other)
  let shown = ''
  let end = 0
  for (const [from, to] of places) {
    // Merges overlapping ones.
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

/** Where a prefix of the secret ends the text. */
function begunIn(text: string, secret: string): Place[] {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return [[text.length - length, text.length]]
  }
  return []
}
