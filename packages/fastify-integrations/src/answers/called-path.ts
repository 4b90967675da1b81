import { trimEndOf } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'

/**
 * The path that the client called, for links in responses, with any prefix of the plugin and before the host's
 * `rewriteUrl`. It never begins with two slashes, which would name another server, and never ends with one.
 */
export function calledPath({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): string {
  const [path = ''] = originalUrl.split('?')
  return trimEndOf(path.replace(/^\/{2,}/, '/'), '/')
}
