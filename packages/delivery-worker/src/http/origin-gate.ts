/** Lets requests to one origin in, in the order in which they ask. */
export type OriginGate = (origin: string) => Promise<Turn>

/** A socket of the origin is free, or will be in a moment. */
export interface Turn {
  readonly origin: string
  /** Is called when the request has ended; a second call does nothing. */
  leave(): void
}

/**
 * Keeps requests waiting for a socket of their origin that will be free in a moment, instead of opening one more: few
 * sockets carry far more than many. A request that takes longer than `patienceMs` no longer counts, so a receiver that is
 * slow gets more sockets, and one that hangs keeps nobody waiting who calls another path of the same origin.
 */
export function createOriginGate({
  sockets,
  patienceMs,
}: {
  sockets: number
  patienceMs: number
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
        const timer = setTimeout(leave, patienceMs)
        resolve({ origin, leave })

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
