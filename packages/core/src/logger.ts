import { loggableError } from './loggable-error.ts'

/** A pino-shaped logger. Nothing of ours ever hands it a secret, a key or a parameter value. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The same logger, where an `err` passes on only what may be logged: see loggableError. */
export function carefulLogger(logger: Logger): Logger {
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    logger[level]('err' in fields ? { ...fields, err: loggableError(fields.err) } : fields, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
