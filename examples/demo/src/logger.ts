import { requestSerializer } from '@quickquote/fastify-integrations'
import type { FastifyRequest } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The host's logger. It drops the query of URLs, which may contain a signed link or a misplaced key. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    serializers: {
      req(request: FastifyRequest) {
        const { method, url } = requestSerializer(request)
        return { method, path: String(url).split('?', 1)[0] }
      },
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
