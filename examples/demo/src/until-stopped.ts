/**
 * Resolves at the first SIGINT (Ctrl-C), SIGTERM or SIGHUP (closed terminal). Further signals have no effect while
 * stopping.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}
