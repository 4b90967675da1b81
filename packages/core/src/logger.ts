/** A pino-shaped logger. Nothing of ours ever hands it a secret, a key or a parameter value. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
