export interface ClockStorage {
  /** The time of the database, at this moment (not at the beginning of a transaction). */
  read(): Promise<Date>
}

/** What a heartbeat brings back. */
export interface Heartbeat {
  /** The time of the database. */
  readonly at: Date
  /** The others did not know the worker (any more): it holds nothing of what it claimed before. */
  readonly isNew: boolean
}

/** Workers are noticed by their heartbeat, measured by the clock of the database. */
export interface WorkerStorage {
  heartbeat(workerId: string): Promise<Heartbeat>
  /** Whether any worker gave a sign of life within the last `silentForMs` milliseconds. */
  hasLive(silentForMs: number): Promise<boolean>
  /**
   * Frees what silent workers held, and forgets them: whoever beats meanwhile keeps all that it holds. Each delivery that
   * was under way is recorded as an `interrupted` attempt and is due at once, unless that was its last attempt.
   */
  recoverDead(options: {
    silentForMs: number
    maxAttempts: number
    now: Date
  }): Promise<{ deliveries: number; starts: number }>
  /** A worker says goodbye. It must hold no lease. */
  retire(workerId: string): Promise<void>
  /**
   * Calls `onWake` whenever there may be new work, until what it returns is called. It waits for no connection: it listens as
   * soon as it can, and again when the connection is lost or refused, which `onLost` is told once each time. Nothing is lost
   * meanwhile: workers poll too.
   */
  listen(onWake: () => void, onLost?: (error: unknown) => void): Promise<() => Promise<void>>
}
