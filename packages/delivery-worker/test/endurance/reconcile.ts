import type { DeliveryAttempt } from '@quickquote/core'

/** What a receiver does with a request: a status, or nothing. */
export type Answer = number | 'hang' | 'reset'

/** A received request. */
export interface SeenRequest {
  readonly receiver: string
  readonly eventId: string
  /** The header: when the attempt began, in Unix seconds. */
  readonly timestamp: number
  readonly answer: Answer
}

/** A recorded attempt. */
export interface RecordedAttempt {
  readonly receiver: string
  readonly event_id: string
  readonly attempt: number
  readonly status: DeliveryAttempt['status']
  readonly http_status: number | null
  readonly error: string | null
  /** For an interrupted attempt, the time of its claim. */
  readonly created_at: Date
  readonly next_attempt_at: Date | null
  /** The receiver answers with the number of the request, its place in `requests`. */
  readonly response_body: string | null
}

/** A delivery that has not ended. */
export interface BegunDelivery {
  readonly receiver: string
  readonly event_id: string
  /** How many have begun. */
  readonly attempt: number
}

/** An event, with the receivers that it must reach. */
interface RecordedEvent {
  readonly id: string
  readonly receivers: readonly string[]
}

/** What the primary held when it was lost; its standby may have got less. */
export interface LostPrimary {
  readonly events: readonly RecordedEvent[]
  readonly attempts: readonly RecordedAttempt[]
  readonly begun: readonly BegunDelivery[]
}

export interface Evidence {
  readonly maxAttempts: number
  /** IDs of the events that the host saw accepted. */
  readonly accepted: readonly string[]
  /** How often the host saw an error instead, and emitted another event. */
  readonly failures: number
  readonly events: readonly RecordedEvent[]
  readonly attempts: readonly RecordedAttempt[]
  readonly requests: readonly SeenRequest[]
  /** Only with asynchronous replication. */
  readonly lostPrimary?: LostPrimary
}

interface Problem {
  /** The promise that was broken. */
  readonly promise: string
  readonly detail: string
}

export interface Reconciliation {
  readonly problems: readonly Problem[]
  readonly deliveries: number
  /** Deliveries by outcome. */
  readonly delivered: number
  readonly gone: number
  readonly usedUp: number
  /** Requests for an event that its receiver had already answered with 2xx. */
  readonly duplicates: number
  /** Requests of workers that died before recording a response. */
  readonly cutOff: number
  /** Requests whose response was too late. */
  readonly unheard: number
  /** Attempts that failed before the receiver saw a request. */
  readonly unseen: number
  /** Lost with the primary: accepted events, attempts, and requests whose attempts were lost. */
  readonly lost: { readonly events: number; readonly attempts: number; readonly requests: number }
}

/** A request with its place in the list. */
type NumberedRequest = SeenRequest & { readonly n: number }

interface Delivery {
  readonly name: string
  readonly attempts: RecordedAttempt[]
  readonly requests: NumberedRequest[]
}

/**
 * Compares received requests with recorded attempts. They match by the number in the response; without a response, by the
 * second of the signature. An attempt whose worker died was signed at some time after its claim.
 */
export function reconcile(evidence: Evidence): Reconciliation {
  const { maxAttempts, accepted, failures, events, attempts, requests, lostPrimary } = evidence
  const losses = lostPrimary && openLosses(lostPrimary, attempts)
  const lost = { events: 0, attempts: losses?.attempts ?? 0, requests: 0 }
  const problems: Problem[] = []
  const counts = { delivered: 0, gone: 0, usedUp: 0, duplicates: 0, cutOff: 0, unheard: 0, unseen: 0 }
  const deliveries = new Map<string, Delivery>()
  for (const { id, receivers } of events) {
    for (const receiver of receivers) {
      const name = nameOf(receiver, id)
      deliveries.set(name, { name, attempts: [], requests: [] })
    }
  }

  function broken(promise: string, detail: string): void {
    problems.push({ promise, detail })
  }

  function file<K extends 'attempts' | 'requests'>(kind: K, name: string, entry: Delivery[K][number]): void {
    const list = deliveries.get(name)?.[kind] as (typeof entry)[] | undefined
    if (list !== undefined) list.push(entry)
    else if (kind === 'requests' && losses?.explainRequest(name, answerOf(entry))) lost.requests += 1
    else broken('only expected events are sent', `${kind} of ${name}`)
  }

  const recorded = new Set(events.map(({ id }) => id))
  for (const id of accepted) {
    if (recorded.delete(id)) continue
    if (losses?.hasEvent(id)) lost.events += 1
    else broken('every accepted event is recorded', id)
  }
  // The host saw an error, but the event had been recorded.
  if (recorded.size > failures) {
    broken('only emitted events are recorded', `${recorded.size} unknown ones after ${failures} errors`)
  }
  for (const attempt of attempts) file('attempts', nameOf(attempt.receiver, attempt.event_id), attempt)
  for (const [n, seen] of requests.entries()) {
    file('requests', nameOf(seen.receiver, seen.eventId), { ...seen, n })
  }
  for (const delivery of deliveries.values()) {
    delivery.attempts.sort((a, b) => a.attempt - b.attempt)
    checkAttempts(delivery)
    matchRequests(delivery)
  }
  return { problems, deliveries: deliveries.size, ...counts, lost }

  function checkAttempts({ name, attempts, requests }: Delivery): void {
    const numbers = attempts.map(({ attempt }) => attempt)
    if (numbers.length > maxAttempts) broken(`at most ${maxAttempts} attempts`, `${name}: ${numbers}`)
    if (!numbers.every((number, index) => number === index + 1)) {
      broken('attempts are numbered one after the other', `${name}: ${numbers}`)
    }
    const last = attempts.at(-1)
    if (last === undefined) {
      broken('every event is delivered or recorded as given up', `${name}: nothing`)
      return
    }
    const early = attempts.slice(0, -1).find(isEnd)
    if (early !== undefined) broken('nothing is sent after the end', `${name}: ${describe(early)}`)
    if (!isEnd(last)) {
      broken('every event is delivered or recorded as given up', `${name}: ${describe(last)}`)
    } else if (last.status === 'succeeded') counts.delivered += 1
    else if (last.status === 'rejected') counts.gone += 1
    else if (attempts.length === maxAttempts) counts.usedUp += 1
    else broken(`given up after ${maxAttempts} attempts only`, `${name}: ${describe(last)}`)
    if (last.status === 'succeeded' && requests.length === 0) {
      broken('a recorded delivery was received', `${name}: ${describe(last)}`)
    }
    const firstTaken = requests.findIndex(({ answer }) => isSuccess(answer))
    if (firstTaken >= 0) counts.duplicates += requests.length - firstTaken - 1
  }

  function matchRequests({ name, attempts, requests }: Delivery): void {
    const unmatched = new Map(requests.map((request) => [request.n, request]))
    // Of two requests of an attempt, the first was reset: its outcome is that of the second.
    const resetLast = [...requests].sort(
      (a, b) => Number(a.answer === 'reset') - Number(b.answer === 'reset'),
    )
    const wrong = 'the recorded outcome matches the response'

    const sent = attempts.filter(({ status }) => status !== 'interrupted')
    // Those with a response know their request, which another attempt of the same second must not take.
    for (const attempt of [...sent.filter(isHeard), ...sent.filter((each) => !isHeard(each))]) {
      const { http_status, response_body, error } = attempt
      const request = isHeard(attempt)
        ? unmatched.get(response_body === null ? -1 : Number(response_body))
        : resetLast.find((each) => unmatched.has(each.n) && each.timestamp === secondOf(attempt.created_at))
      if (request === undefined) {
        if (isHeard(attempt)) broken('a recorded response was sent', `${name}: ${describe(attempt)}`)
        else counts.unseen += 1
        continue
      }
      unmatched.delete(request.n)
      const { timestamp, answer } = request
      if (timestamp !== secondOf(attempt.created_at)) {
        broken('a request is signed when its attempt began', `${name}: ${timestamp}, ${describe(attempt)}`)
      }
      if (!agrees(attempt, answer)) broken(wrong, `${name}: ${answer}, ${describe(attempt)} (${error})`)
      if (http_status === null && typeof answer === 'number') counts.unheard += 1
    }

    const interrupted = attempts.filter(({ status }) => status === 'interrupted')
    const unrepeated = [...sent]
    // The earliest signature has the fewest candidates.
    for (const request of [...unmatched.values()].toSorted((a, b) => a.timestamp - b.timestamp)) {
      // An attempt sends once more if the receiver resets a reused connection without an answer.
      const repeated = unrepeated.findIndex(({ created_at }) => secondOf(created_at) === request.timestamp)
      if (request.answer === 'reset' && repeated >= 0) {
        unrepeated.splice(repeated, 1)
        continue
      }
      const index = interrupted.findIndex(({ created_at }) => secondOf(created_at) <= request.timestamp)
      if (index < 0 && losses?.explainRequest(name, request.answer)) {
        lost.requests += 1
        continue
      }
      if (index < 0) {
        const known = attempts.map(describe).join('; ')
        broken(
          'every request has its attempt',
          `${name}: ${request.answer} at ${request.timestamp}; ${known}`,
        )
        continue
      }
      interrupted.splice(index, 1)
      counts.cutOff += 1
    }
    counts.unseen += interrupted.length
  }
}

function answerOf(entry: object): Answer | undefined {
  return 'answer' in entry ? (entry as SeenRequest).answer : undefined
}

/** What is missing because a primary was lost. */
function openLosses({ events, attempts, begun }: LostPrimary, kept: readonly RecordedAttempt[]) {
  const ids = new Set(events.map(({ id }) => id))
  const keptAttempts = new Set(kept.map(identityOf))
  /** By delivery: the attempts that the lost primary saw begin, and that nobody else may know. */
  const mayBeMissing = new Map<string, number>()
  for (const { receiver, event_id, attempt } of [...attempts, ...begun]) {
    const name = nameOf(receiver, event_id)
    mayBeMissing.set(name, Math.max(attempt, mayBeMissing.get(name) ?? 0))
  }
  for (const attempt of attempts) {
    if (keptAttempts.has(identityOf(attempt))) explainRequest(nameOf(attempt.receiver, attempt.event_id))
  }

  /** A reset request may be one of two of its attempt: that on a reused connection, and its repetition. */
  function explainRequest(name: string, answer?: Answer): boolean {
    const left = mayBeMissing.get(name) ?? 0
    mayBeMissing.set(name, left - (answer === 'reset' ? 0.5 : 1))
    return left > 0
  }

  return {
    attempts: attempts.filter((attempt) => !keptAttempts.has(identityOf(attempt))).length,
    hasEvent: (id: string) => ids.has(id),
    explainRequest,
  }
}

function identityOf({ receiver, event_id, attempt, created_at }: RecordedAttempt): string {
  return `${nameOf(receiver, event_id)} ${attempt} ${created_at.getTime()}`
}

function nameOf(receiver: string, eventId: string): string {
  return `${receiver} ${eventId}`
}

function isEnd({ status, next_attempt_at }: RecordedAttempt): boolean {
  return status === 'interrupted' ? next_attempt_at === null : status !== 'failed'
}

function isSuccess(answer: Answer): boolean {
  return typeof answer === 'number' && answer >= 200 && answer < 300
}

function isHeard({ http_status, response_body }: RecordedAttempt): boolean {
  return http_status !== null || response_body !== null
}

/** No status: the response hung, was reset, or was too late. */
function agrees({ status, http_status }: RecordedAttempt, answer: Answer): boolean {
  if (http_status === null) return status === 'failed' || status === 'exhausted'
  if (http_status !== answer) return false
  if (isSuccess(answer)) return status === 'succeeded'
  return answer === 410 ? status === 'rejected' : status === 'failed' || status === 'exhausted'
}

function secondOf(at: Date): number {
  return Math.floor(at.getTime() / 1000)
}

function describe({ attempt, status, http_status, created_at }: RecordedAttempt): string {
  return `attempt ${attempt} ${status} ${http_status ?? 'without a status'} at ${created_at.toISOString()}`
}
