import { statement, text } from './statement.ts'

export const TAKE_TURNS = statement(
  { turn: text },
  () => 'select pg_advisory_xact_lock(hashtextextended($what::text, 0))::text as turn',
)
