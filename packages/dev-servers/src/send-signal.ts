/** Signals processes of others, such as PostgreSQL's. One that has just ended is passed over. */
export function sendSignal(signal: NodeJS.Signals, ...pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
