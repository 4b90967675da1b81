import type { AttemptDetails } from '../api/types.ts'

/**
 * The request of an attempt as a command, without a signature: it is not recorded, and would be too old.
 * @param note says so, on a line before the command
 */
export function curlOf(url: string, attempt: AttemptDetails, body: string | null, note: string): string {
  const headers = Object.entries(attempt.request_headers ?? {}).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  )
  return `# ${note}\n${[`curl -i ${quote(url)}`, ...headers, `--data-raw ${quote(body ?? '{}')}`].join(' \\\n  ')}`
}

/** Single quotes, between which the shell interprets nothing. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
