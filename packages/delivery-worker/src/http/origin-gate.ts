/** Lets requests to one origin in, in the order in which they ask. */
export type OriginGate = (origin: string) => Promise<Turn>

/** A socket of the origin is free, or will be in a moment. */
export interface Turn {
  readonly origin: string
  /** Is called when the request has ended; a second call does nothing. */
  leave(): void
}

/** A request counts no longer than this, however busy this process is: it may hang. */
const SLOW_AT_LATEST_MS = 2000

/**
 * Keeps requests waiting for a socket of their origin that will be free in a moment, instead of opening one more: few
 * sockets carry far more than many. A request that this process has waited for with nothing else to do, for `slowAfterMs` in
 * all, no longer counts: a receiver that is slow gets more sockets, and one that hangs keeps nobody waiting who calls another
 * path of the same origin. Where the process itself has no time, more sockets would only mean more handshakes.
 * @param idleMs the time that this process has had nothing to do. Default: that of its event loop
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
  const origins = new Map<string, { busy: number; readonly waiting: (() => void)[] }>()

  return (origin) =>
    new Promise((resolve) => {
      const gate = origins.get(origin) ?? { busy: 0, waiting: [] }
      if (gate.busy === 0) origins.set(origin, gate)
      if (gate.busy < sockets) {
        gate.busy += 1
        letIn()
      } else gate.waiting.push(letIn)

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
          // Timers may come a little early.
          if (missingMs < 1) leave()
          else timer = setTimeout(stopCountingIfSlow, missingMs)
        }

        function leave(): void {
          if (!counts) return
          counts = false
          clearTimeout(timer)
          const letNextIn = gate.waiting.shift()
          if (letNextIn === undefined) gate.busy -= 1
          else letNextIn()
          if (gate.busy === 0) origins.delete(origin)
        }
      }
    })
}
