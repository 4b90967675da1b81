import { loggableError } from './loggable-error.ts'

/** A pino-shaped logger. Nothing of ours ever hands it a secret, a key or a parameter value. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * The same logger, where an `err` passes on only what may be logged: see loggableError. It never throws: a logger that
 * does, or rejects, costs its line and no more. The first time the process warns of it.
 */
export function carefulLogger(logger: Logger): Logger {
  let isKnownToFail = false

  function onFailure(error: unknown): void {
    if (isKnownToFail) return
    isKnownToFail = true
    const kind = error instanceof Error ? error.name : typeof error
    process.emitWarning(`The logger given to createIntegrations fails (${kind}): lines are lost.`)
  }

  const at = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      const careful = 'err' in fields ? { ...fields, err: loggableError(fields.err) } : fields
      const result: unknown = logger[level](careful, message)
      // The types do not allow it, and a host's logger may be async all the same.
      if (result instanceof Promise) result.catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
