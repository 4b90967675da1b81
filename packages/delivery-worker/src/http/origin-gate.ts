/** Admits requests to an origin: organizations in turn, each one's in order. */
export type OriginGate = (origin: string, organizationId: string) => Promise<Turn>

/** A socket of the origin is free, or will be in a moment. */
export interface Turn {
  readonly origin: string
  /** Call it when the request has ended. Further calls do nothing. */
  leave(): void
}

/** A request stops counting after this time, however busy this process is: it may hang. */
const SLOW_AT_LATEST_MS = 2000

/**
 * Makes requests wait for a socket that will be free in a moment, instead of opening another: a few sockets carry far
 * more than many. A request that this idle process has waited for, for `slowAfterMs` in total, no longer counts. So
 * slow receivers get more sockets, and a hanging one does not block other paths of its origin, least of all those of
 * other organizations. If the process itself is busy, more sockets would only mean more handshakes.
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
  const origins = new Map<string, { busy: number; readonly waiting: Turns }>()

  return (origin, organizationId) =>
    new Promise((resolve) => {
      const gate = origins.get(origin) ?? { busy: 0, waiting: createTurns() }
      if (gate.busy === 0) origins.set(origin, gate)
      if (gate.busy < sockets) {
        gate.busy += 1
        letIn()
      } else gate.waiting.add(organizationId, letIn)

      function letIn(): void {
        let counts = true
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
          if (missingMs < 1) leave()
          else timer = setTimeout(stopCountingIfSlow, missingMs)
        }

        function leave(): void {
          if (!counts) return
          counts = false
          clearTimeout(timer)
          const letNextIn = gate.waiting.next()
          if (letNextIn === undefined) gate.busy -= 1
          else letNextIn()
          if (gate.busy === 0) origins.delete(origin)
        }
      }
    })
}

type Waiting = () => void

interface Turns {
  add(organizationId: string, waiting: Waiting): void
  /** Removes the first of the organization whose turn it is. */
  next(): Waiting | undefined
}

function createTurns(): Turns {
  /** In the order of their turns. */
  const queues = new Map<string, Waiting[]>()
  return {
    add(organizationId, waiting) {
      const queue = queues.get(organizationId)
      if (queue === undefined) queues.set(organizationId, [waiting])
      else queue.push(waiting)
    },
    next() {
      const [first] = queues
      if (first === undefined) return undefined
      const [organizationId, queue] = first
      const waiting = queue.shift()
      queues.delete(organizationId)
      if (queue.length > 0) queues.set(organizationId, queue)
      return waiting
    },
  }
}
