import { loggableError } from './loggable-error.ts'

/** A pino-style logger. We never pass it a secret, a key or a parameter value. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Warnings and errors on stderr, for a host without a logger. */
const consoleLogger: Logger = { debug() {}, info() {}, warn: print('warning'), error: print('error') }

function print(level: string): Logger['error'] {
  return (fields, message) => {
    const { err, ...others } = fields as { err?: { stack?: string; type?: string } }
    const details = Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`
    const cause = err === undefined ? '' : `\n${err.stack ?? JSON.stringify(err)}`
    console.error(`[quickquote] ${level}: ${message}${details}${cause}`)
  }
}

/** For a host without a logger: logs to the console until one is lent. Only the first loan counts. */
export function borrowedLogger() {
  let lent: Logger | undefined
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    (lent ?? consoleLogger)[level](fields, message)
  return {
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    lend(logger: Logger) {
      lent ??= logger
    },
  }
}

/**
 * Wraps a logger so that `err` contains only what is safe to log (see loggableError). It never throws: an error of the
 * logger costs one line, and the first one is a process warning.
 */
export function carefulLogger(logger: Logger): Logger {
  let isKnownToFail = false

  function onFailure(error: unknown): void {
    if (isKnownToFail) return
    isKnownToFail = true
    const kind = error instanceof Error ? error.name : typeof error
    process.emitWarning(`The logger given to createIntegrations throws (${kind}): log lines are lost.`)
  }

  const at = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      const careful = 'err' in fields ? { ...fields, err: loggableError(fields.err) } : fields
      const result: unknown = logger[level](careful, message)
      // Against the types, but a host's logger may still be async.
      if (result instanceof Promise) result.catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
