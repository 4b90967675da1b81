import type { AttemptDetails } from '../api/types.ts'

/** The request of an attempt as a command. It has no signature: that is not on record, and it would be too old. */
export function curlOf(url: string, attempt: AttemptDetails, body: string | null): string {
  const headers = Object.entries(attempt.request_headers ?? {}).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  )
  return [`curl -i ${quote(url)}`, ...headers, `--data-raw ${quote(body ?? '{}')}`].join(' \\\n  ')
}

/** Nothing in a text that a receiver or a partner wrote means anything to the shell between these. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
