/**
 * Resolves at the first SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal was closed). Further ones change nothing:
 * stopping is under way.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}
