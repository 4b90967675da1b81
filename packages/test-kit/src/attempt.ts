import type { SettledAttempt } from '@quickquote/core/internal'

/** A delivery attempt, as returned by `kit.deliver()`. It is also in the host's delivery log. */
export interface TestAttempt {
  readonly type: string
  /** 1 for the first. */
  readonly attempt: number
  readonly status: SettledAttempt['status']
  readonly http_status: number | null
  readonly error: string | null
  /** The beginning of the response. */
  readonly response_body: string | null
  readonly next_attempt_at: Date | null
}

export function toTestAttempt({ delivery, ...attempt }: SettledAttempt): TestAttempt {
  const { status, http_status, error, response_body, next_attempt_at } = attempt
  const { event_type: type, attempt: number } = delivery
  return { type, attempt: number, status, http_status, error, response_body, next_attempt_at }
}

/** One line for the output of a failed test. */
export function describeAttempt({ delivery, ...attempt }: SettledAttempt): string {
  const { error, response_body, next_attempt_at } = attempt
  const answer = response_body ? ` It said: ${response_body}` : ''
  const next =
    next_attempt_at === null ? 'There is no next attempt.' : `Due again at ${next_attempt_at.toISOString()}.`
  return `- ${delivery.event_type} to ${placeOf(delivery.endpoint.url)}, attempt ${delivery.attempt}: ${error}${answer} ${next}`
}

/** Without the query string, which may contain a token. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
