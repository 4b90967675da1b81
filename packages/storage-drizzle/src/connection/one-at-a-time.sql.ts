import { statement } from './statement.ts'

export const TAKE_TURNS = statement(
  { turn: { type: 'void' } },
  () => 'select pg_advisory_xact_lock(hashtextextended($what::text, 0)) as turn',
)
