import { loggableError } from './loggable-error.ts'

/** A pino-shaped logger. Nothing of ours ever hands it a secret, a key or a parameter value. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Warnings and errors on stderr, for a host that gave no logger at all. */
const consoleLogger: Logger = { debug() {}, info() {}, warn: print('warning'), error: print('error') }

function print(level: string): Logger['error'] {
  return (fields, message) => {
    const { err, ...others } = fields as { err?: { stack?: string; type?: string } }
    const details = Object.keys(others).length === 0 ? '' : ` ${JSON.stringify(others)}`
    const cause = err === undefined ? '' : `\n${err.stack ?? JSON.stringify(err)}`
    console.error(`[quickquote] ${level}: ${message}${details}${cause}`)
  }
}

export interface BorrowedLogger {
  readonly logger: Logger
  /** From now on everything goes to this one, unless one was lent before. */
  lend(logger: Logger): void
}

/** The logger of a host that gave none: the one that is lent later, and the console until then. */
export function borrowedLogger(): BorrowedLogger {
  let lent: Logger | undefined
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    (lent ?? consoleLogger)[level](fields, message)
  return {
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    lend(logger) {
      lent ??= logger
    },
  }
}

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
