import type { ClaimedDelivery } from './deliveries.ts'

export interface ClockStorage {
  /** The database's current time (not the start of the transaction). */
  read(): Promise<Date>
}

interface Heartbeat {
  /** The time of the database. */
  readonly at: Date
  /** The worker was unknown to the others: it has lost all its leases. */
  readonly isNew: boolean
  /** Whether another worker has promised frequent heartbeats, because it holds leases. */
  readonly isAnotherBusy: boolean
  /** Whether a worker may be dead. */
  readonly isOneSilent: boolean
}

/** How a worker that dies is noticed. */
interface Promises {
  /** Others may declare it dead after this many milliseconds without a heartbeat. */
  readonly silentForMs: number
  /**
   * The same while its session lock is gone: see `WorkListener.session`. Null: it has none, or does not send heartbeats
   * that often.
   */
  readonly lostAfterMs: number | null
}

/** Detects dead workers by their heartbeats, by the database's clock. */
export interface WorkerStorage {
  heartbeat(workerId: string, promises?: Promises): Promise<Heartbeat>
  /** Whether any worker had a heartbeat in the last `silentForMs` milliseconds. */
  hasLive(silentForMs: number): Promise<boolean>
  /**
   * Frees the leases of silent workers and forgets them; a worker whose heartbeat arrives meanwhile keeps its leases.
   * Each delivery in flight is recorded as an `interrupted` attempt and is due at once, unless that was its last
   * attempt.
   * @param options.silentForMs null: only of workers whose session lock is gone, too
   */
  recoverDead(options: {
    silentForMs: number | null
    maxAttempts: number
    now: Date
  }): Promise<{ deliveries: number; starts: number }>
  /** Which kinds of work are due: what no notification announced. */
  findWork(now: Date): Promise<Readonly<Record<PolledWork, boolean>>>
  /** Deregisters a worker. It must hold no lease. */
  retire(workerId: string): Promise<void>
  /**
   * Calls `onWake` whenever there may be new work, until the returned function is called. It does not wait for a
   * connection: it listens as soon as it can, and again after losing it; each loss is reported to `onLost` once.
   * Nothing is missed: workers poll, too.
   *
   * A listener of the storage that committed the work is called directly, and if it takes the work, no other process is
   * notified.
   */
  listen(listener: WorkListener): Promise<() => Promise<void>>
  /** Notifies the workers of other processes of work that this one leaves to them. */
  share(work: Work): Promise<void>
}

/** Something that became due. `anything` may concern each worker, for example a cancelled start. */
export type Work = 'deliveries' | 'starts' | 'anything'

/** `changes`: deliveries that must follow a change of their endpoint. */
export type PolledWork = 'deliveries' | 'starts' | 'replays' | 'changes' | 'erasing'

/**
 * Places that a worker keeps free while an event is recorded. The statement that records it leases the deliveries to the
 * worker which a round would certainly claim, so that they are sent right after the commit.
 */
export interface Places {
  readonly workerId: string
  readonly count: number
  readonly perEndpoint: number
  /** When the deliveries are leased. */
  readonly at: Date
  /**
   * Call it once: after the commit, with the leased deliveries; after a rollback, with none; `unknown`: the database did
   * not answer, and may have committed.
   */
  end(leased: readonly ClaimedDelivery[] | 'unknown'): void
}

export interface WorkListener {
  readonly onWake: (work: Work) => void
  /** Whether it will claim such work at once. Default: never certainly. */
  readonly takes?: (work: Work) => boolean
  /** Places for the deliveries of an organization's event that is about to be recorded. Default: none. */
  readonly offer?: (organizationId: string) => Places | undefined
  readonly onLost?: (error: unknown) => void
  /**
   * The connection that listens holds a lock of this worker. Others see at once when it ends, for example because the
   * process was killed. `onChange` hears whether it is held: never behind a pooler that shares connections.
   */
  readonly session?: { readonly workerId: string; readonly onChange: (isHeld: boolean) => void }
}
