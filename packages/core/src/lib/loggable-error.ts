/** How many causes of an error are told. */
const MAX_CAUSES = 5

/** What was made here already: two loggers may come one after the other. */
const made = new WeakSet<object>()

/**
 * What may be logged of an error that is not ours: its kind, message, code and stack, and those of its causes. Nothing
 * else that hangs on it is passed on, for drivers keep parameters there; the message of a failed query holds them too.
 */
export function loggableError(error: unknown, depth = 0): object {
  if (typeof error === 'object' && error !== null && made.has(error)) return error
  if (!(error instanceof Error)) return { type: typeof error }
  const holdsParameters = 'params' in error || 'parameters' in error || 'query' in error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const words = holdsParameters ? {} : { message: scrub(error.message), stack: scrub(error.stack ?? '') }
  const cause =
    error.cause === undefined || depth === MAX_CAUSES ? {} : { cause: loggableError(error.cause, depth + 1) }
  const loggable = { type: error.name, ...code, ...words, ...cause }
  made.add(loggable)
  return loggable
}

function scrub(text: string): string {
  return text.replace(/(pk_|whsec_)[0-9A-Za-z+/=]{8,}/g, '$1***')
}
