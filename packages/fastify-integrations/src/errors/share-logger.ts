import type { Settings } from '@quickquote/core'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/**
 * A host without a logger in `createIntegrations` gets its app's; if the app has none, errors of our routes go where
 * our other errors go. No error is silent.
 */
export function shareLogger(fastify: FastifyInstance, { logger, lendLogger }: Settings): void {
  if (logsSomething(fastify.log)) {
    lendLogger(fastify.log)
    return
  }

  const tell = (level: 'warn' | 'error') => (fields: object | string, message?: string) =>
    typeof fields === 'string' ? logger[level]({}, fields) : logger[level](fields, message ?? '')
  const failures = Object.assign(Object.create(fastify.log) as FastifyBaseLogger, {
    warn: tell('warn'),
    error: tell('error'),
    fatal: tell('error'),
    child: () => failures,
  })
  fastify.setChildLoggerFactory(() => failures)
}

/** Without the option `logger`, Fastify's logger has no level, and one function for all. */
function logsSomething(log: FastifyBaseLogger): boolean {
  return log.level !== undefined || log.error !== log.debug
}
