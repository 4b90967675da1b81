/** Lets requests to one origin in. The result is called when the request has ended. */
export type OriginGate = (origin: string) => Promise<() => void>

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

  return async (origin) => {
    const gate = origins.get(origin) ?? { busy: 0, waiting: [] }
    origins.set(origin, gate)
    if (gate.busy < sockets) gate.busy += 1
    else await new Promise<void>((letIn) => gate.waiting.push(letIn))

    let counts = true
    function leave(): void {
      if (!counts) return
      counts = false
      clearTimeout(timer)
      const letNextIn = gate.waiting.shift()
      if (letNextIn === undefined) gate.busy -= 1
      letNextIn?.()
      if (gate.busy === 0) origins.delete(origin)
    }
    const timer = setTimeout(leave, patienceMs)
    return leave
  }
}
