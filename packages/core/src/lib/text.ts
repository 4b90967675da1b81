/**
 * The URL, or null if it is invalid, like `URL.parse`, which Node 20 does not have. `URL.canParse` is no substitute: on Node 20
 * and 22 it refuses international host names after a few thousand calls, once V8 has optimized it.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

/** Removes these characters from the end of a text. A pattern such as `/[. ]+$/` takes quadratic time. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
