import type { Postgres } from '@quickquote/dev-servers'
import type { Child, Service } from './child.ts'
import type { Goal } from './goal.ts'

/** What a bench is given. */
export interface BenchContext {
  readonly postgres: Postgres
  /** Rounds that count. */
  readonly rounds: number
  /** How long a round takes. */
  readonly seconds: number
  /** How many deliveries are drained where that is the question. */
  readonly deliveries: number
  /** How many events a chaos run emits. */
  readonly events: number
  /** How many uploads are repeated. */
  readonly uploads: number
  /** How many quotations a long list has. */
  readonly quotations: number
  /** How long a soak takes. */
  readonly minutes: number
  /** Tells how far it is. */
  readonly progress: (line: string) => void
  /** Starts a process that ends with the bench. See startChild. */
  readonly start: <S extends Service>(program: string) => Child<S>
}

/** A question about cost, and how it is answered. */
export interface Bench {
  /** What it is called on the command line. */
  readonly name: string
  readonly title: string
  /** It has no rounds. */
  readonly isOneRun?: boolean
  /** Returns a table and what must be known to read it. */
  run(context: BenchContext): Promise<BenchResult>
}

interface BenchResult {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly notes: readonly string[]
  readonly goals?: readonly Goal[]
}
