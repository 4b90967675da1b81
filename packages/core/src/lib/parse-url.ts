/**
 * The URL, or null if it is invalid, like `URL.parse`, which Node 20 does not have. `URL.canParse` is no substitute: on Node 20
 * and 22 it refuses international host names from about the 2,000th call of a process on, once V8 has optimized it.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
