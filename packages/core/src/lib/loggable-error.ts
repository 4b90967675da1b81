/** The maximum depth of causes. */
const MAX_CAUSES = 5

/** Results of this function: two loggers may be chained. */
const made = new WeakSet<object>()

/**
 * The parts of a foreign error that are safe to log: type, message, code and stack, also of its causes. Everything else
 * is dropped, because drivers attach parameters to errors; the message of a failed query contains them, too.
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
