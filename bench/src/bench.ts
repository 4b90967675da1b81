import type { Postgres } from '@quickquote/dev-servers'
import type { Child, Service } from '@quickquote/dev-servers/child'
import type { Goal } from './goal.ts'

/** The options of a bench. */
export interface BenchContext {
  readonly postgres: Postgres
  /** Measured rounds. */
  readonly rounds: number
  /** Length of a round. */
  readonly seconds: number
  /** Deliveries to drain, in benches about draining. */
  readonly deliveries: number
  /** Days of history in the databases of benches, a thousand events and attempts each. */
  readonly days: number
  /** A built checkout to compare with, in `start-up`. */
  readonly released: string | undefined
  /** Prints progress. */
  readonly progress: (line: string) => void
  /** Starts a process that stops with the bench. See startChild. */
  readonly start: <S extends Service>(program: string) => Child<S>
}

/** One benchmark. */
export interface Bench {
  /** Its name on the command line. */
  readonly name: string
  readonly title: string
  /** Returns a table, and notes on how to read it. */
  run(context: BenchContext): Promise<BenchResult>
}

interface BenchResult {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly notes: readonly string[]
  readonly goals?: readonly Goal[]
}
