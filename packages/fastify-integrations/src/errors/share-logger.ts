import type { Settings } from '@quickquote/core'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

/**
 * A host that gave `createIntegrations` no logger has the one of its app; and where the app has none, what fails in our
 * routes is told where everything else of ours is told. Nobody fails in silence.
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

/** Without its option `logger` Fastify has one whose functions are all the same, and which has no level. */
function logsSomething(log: FastifyBaseLogger): boolean {
  return log.level !== undefined || log.error !== log.debug
}
