import { bool, statement, text } from './statement.ts'

/** Waits for other transactions with the same `$what`, then excludes them until this one ends. */
export const TAKE_TURNS = statement(
  { turn: text },
  'select pg_advisory_xact_lock(hashtextextended($what::text, 0))::text as turn',
)

/** The same without waiting. */
export const TRY_LOCK = statement(
  { taken: bool },
  'select pg_try_advisory_xact_lock(hashtextextended($what::text, 0)) as taken',
)
