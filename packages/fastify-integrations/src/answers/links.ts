import type { Page } from '@quickquote/core'
import { type TObject, Type, trimEndOf } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'
import { queryText } from '../auth/key-in-url.ts'
import type { Call } from '../route.ts'

/**
 * The path that the client called, for links in responses, with any prefix of the plugin and before the host's
 * `rewriteUrl`. It never begins with two slashes, which would name another server, and never ends with one.
 */
export function calledPath({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): string {
  const [path = ''] = originalUrl.split('?')
  return trimEndOf(path.replace(/^\/{2,}/, '/'), '/')
}

/** The `answer.headers` of routes with paginated lists. */
export const PAGE_HEADERS = {
  Link: Type.String({
    description: 'The next page: `<…>; rel="next"` (RFC 8288), relative to this URL. The last page has none.',
  }),
}

/**
 * The items of a page. Sets a `Link` header to the next page.
 * @param query of the route: the link repeats only these parameters
 */
export function pageAnswer<T>(
  { items, nextCursor }: Page<T>,
  { request, headers }: Pick<Call, 'request' | 'headers'>,
  query: TObject,
): readonly T[] {
  if (nextCursor !== null) headers['Link'] = linkTo(request, query, { cursor: nextCursor })
  return items
}

/** A link with the request's own known parameters, and the changed ones. */
export function linkTo(request: FastifyRequest, query: TObject, changed: Record<string, string>): string {
  const parameters = [...new URLSearchParams(queryText(request.url))].filter(([name]) =>
    Object.hasOwn(query.properties, name),
  )
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(changed)) next.set(name, value)
  return `<${calledPath(request)}?${next}>; rel="next"`
}
