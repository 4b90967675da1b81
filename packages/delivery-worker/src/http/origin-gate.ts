import { remember } from '../lib/remember.ts'

/** Admits requests to an origin: organizations in turn, each one's in order. */
export type OriginGate = (origin: string, organizationId: string) => Promise<Turn>

/** A socket of the origin is free, or will be in a moment. */
export interface Turn {
  readonly origin: string
  /** Call it when the request has ended; `isAnswered`: its socket is free again. Further calls do nothing. */
  leave(isAnswered: boolean): void
}

/** A request stops counting after this time, however busy this process is: it may hang. */
const SLOW_AT_LATEST_MS = 2000

/** A slow organization opens one socket at a time for so many of its origin. */
const SOCKETS_PER_SLOW_PLACE = 8

/** The number of slow organizations that are remembered. */
const MAX_SLOW = 10_000

/**
 * Makes requests wait for a socket that will be free in a moment, instead of opening another: a few sockets carry far
 * more than many. A request that this idle process has waited for, for `slowAfterMs` in total, no longer counts. So
 * slow receivers get more sockets. If the process itself is busy, more sockets would only mean more handshakes.
 *
 * A receiver that hangs does not block other paths of its origin, least of all those of other organizations: while
 * requests of an organization are slow, later ones queue separately, until one of their sockets is free, or for one of few
 * places to open another.
 * @param idleMs the process's idle time. Default: that of its event loop
 */
export function createOriginGate({
  sockets,
  slowAfterMs,
  idleMs = () => performance.eventLoopUtilization().idle,
}: {
  sockets: number
  slowAfterMs: number
  idleMs?: () => number
}): OriginGate {
  const lanes = new Map<string, Lane>()
  /** By origin and organization. */
  const slow = new Map<string, { freeSockets: number }>()

  return (origin, organizationId) =>
    new Promise((resolve) => {
      const own = `${origin} ${organizationId}`
      enter(letIn)

      function enter(waiting: Waiting): void {
        const ownSockets = slow.get(own)
        if (ownSockets !== undefined && ownSockets.freeSockets > 0) {
          ownSockets.freeSockets -= 1
          waiting()
          return
        }
        const name = ownSockets === undefined ? origin : own
        const places = ownSockets === undefined ? sockets : Math.ceil(sockets / SOCKETS_PER_SLOW_PLACE)
        const lane = lanes.get(name) ?? new Lane(places, () => lanes.delete(name))
        lanes.set(name, lane)
        lane.enter(organizationId, waiting)
      }

      function letIn(lane?: Lane): void {
        let place = lane
        let isSlow = false
        let hasLeft = false
        const idleBefore = idleMs()
        const begun = performance.now()
        let timer = setTimeout(stopCountingIfSlow, slowAfterMs)
        resolve({ origin, leave })

        function stopCountingIfSlow(): void {
          const missingMs = Math.min(
            slowAfterMs - (idleMs() - idleBefore),
            SLOW_AT_LATEST_MS - (performance.now() - begun),
          )
          // Timers may fire slightly early.
          if (missingMs >= 1) {
            timer = setTimeout(stopCountingIfSlow, missingMs)
            return
          }
          isSlow = true
          if (!slow.has(own)) {
            remember(slow, own, { freeSockets: 0 }, MAX_SLOW)
            enterAgain(origin)
          }
          stopCounting()
        }

        function leave(isAnswered: boolean): void {
          if (hasLeft) return
          hasLeft = true
          if (isAnswered) freeSocket()
          stopCounting()
        }

        function freeSocket(): void {
          const ownSockets = slow.get(own)
          if (ownSockets === undefined) return
          if (!isSlow) {
            slow.delete(own)
            enterAgain(own)
            return
          }
          const next = lanes.get(own)?.shift(organizationId)
          if (next === undefined) ownSockets.freeSockets += 1
          else next()
        }

        function stopCounting(): void {
          clearTimeout(timer)
          place?.leave(organizationId)
          place = undefined
        }
      }

      /** Those of the organization that wait in a lane enter the one where they belong now. */
      function enterAgain(name: string): void {
        for (const waiting of lanes.get(name)?.take(organizationId) ?? []) enter(waiting)
      }
    })
}

/** Without a lane, it uses a free socket. */
type Waiting = (lane?: Lane) => void

/** No organization takes more places than it leaves free. */
class Lane {
  #free: number
  readonly #taken = new Map<string, number>()
  /** In the order of their turns. */
  readonly #queues = new Map<string, Waiting[]>()
  readonly #onEmpty: () => void

  constructor(places: number, onEmpty: () => void) {
    this.#free = places
    this.#onEmpty = onEmpty
  }

  enter(organizationId: string, waiting: Waiting): void {
    const queue = this.#queues.get(organizationId)
    if (queue !== undefined) queue.push(waiting)
    else if (this.#hasPlaceFor(organizationId)) this.#letIn(organizationId, waiting)
    else this.#queues.set(organizationId, [waiting])
  }

  leave(organizationId: string): void {
    const taken = this.#takenBy(organizationId) - 1
    if (taken === 0) this.#taken.delete(organizationId)
    else this.#taken.set(organizationId, taken)
    this.#free += 1
    while (this.#letNextIn());
    if (this.#taken.size === 0) this.#onEmpty()
  }

  /** Removes those of an organization that wait. */
  take(organizationId: string): readonly Waiting[] {
    const queue = this.#queues.get(organizationId) ?? []
    this.#queues.delete(organizationId)
    return queue
  }

  /** Removes the first of them. */
  shift(organizationId: string): Waiting | undefined {
    const queue = this.#queues.get(organizationId)
    const first = queue?.shift()
    if (queue?.length === 0) this.#queues.delete(organizationId)
    return first
  }

  #letNextIn(): boolean {
    for (const [organizationId, queue] of this.#queues) {
      if (!this.#hasPlaceFor(organizationId)) continue
      const waiting = this.shift(organizationId)
      // Its next turn is after those of the others.
      if (this.#queues.delete(organizationId)) this.#queues.set(organizationId, queue)
      if (waiting !== undefined) this.#letIn(organizationId, waiting)
      return true
    }
    return false
  }

  #letIn(organizationId: string, waiting: Waiting): void {
    this.#free -= 1
    this.#taken.set(organizationId, this.#takenBy(organizationId) + 1)
    waiting(this)
  }

  #hasPlaceFor(organizationId: string): boolean {
    return this.#free > 0 && this.#takenBy(organizationId) <= this.#free
  }

  #takenBy(organizationId: string): number {
    return this.#taken.get(organizationId) ?? 0
  }
}
