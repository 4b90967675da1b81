/** What a receiver does with a request: a status, an answer that never comes, or a connection that is reset. */
export type Answer = number | 'hang' | 'reset'

interface Behaviour {
  readonly answer: Answer
  readonly delayMs?: number
}

/** How a receiver behaves. Most of what it gets is taken: each event is to have its chance within eight attempts. */
export type Temper = (eventId: string) => Behaviour

const OK: Behaviour = { answer: 200 }
const SLOWEST_MS = 100

/** A receiver of each temper, by the name that is in its URL. */
export const TEMPERS: Readonly<Record<string, Temper>> = {
  steady: () => OK,
  failing: () => sometimes(0.25, { answer: 500 }),
  hanging: () => sometimes(0.01, { answer: 'hang' }),
  resetting: () => sometimes(0.1, { answer: 'reset' }),
  slow: () => ({ answer: 200, delayMs: Math.random() * SLOWEST_MS }),
  busy: () => sometimes(0.1, { answer: 429 }),
  gone: () => sometimes(0.05, { answer: 410 }),
  // One event of 16 is never taken: all of its attempts are used up.
  refusing: (eventId) => (eventId.endsWith('0') ? { answer: 500 } : OK),
}

function sometimes(share: number, behaviour: Behaviour): Behaviour {
  return Math.random() < share ? behaviour : OK
}
