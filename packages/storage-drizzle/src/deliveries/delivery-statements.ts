/**
 * For a statement that lives on its indexes alone, to run before it in its transaction. A plan that was made while a
 * table was empty would read all of it once it is full, a plan for each call costs more than the call, and compiling
 * costs 100 times that. `delivery_round` has the same settings of its own. A process that stops in the middle of the
 * transaction (it is paused) loses its locks after 10 s.
 */
export const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
  set_config('idle_in_transaction_session_timeout', '10s', true)`

/** No id comes before it. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000'
