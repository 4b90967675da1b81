import type { Page } from '@quickquote/core'
import { type TObject, Type, trimEndOf } from '@quickquote/core/internal'
import type { FastifyRequest } from 'fastify'
import { queryText } from '../auth/key-in-url.ts'
import type { Call } from '../route.ts'

/**
 * The address of a request without its query, for links in responses. Below the public URL it is as in the documentation.
 * Otherwise it is the path that the client called, with any prefix of the plugin and before the host's `rewriteUrl`.
 * It never ends with a slash.
 */
export function addressOf(
  { url, originalUrl }: Pick<FastifyRequest, 'url' | 'originalUrl'>,
  publicUrl: string | null,
): string {
  return publicUrl === null ? pathOf(originalUrl) : publicUrl + pathOf(url)
}

/** A request may name a server (`GET http://other/…`), and two slashes at the beginning would name one in a link. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?')
  return trimEndOf(path.replace(/^https?:\/\/[^/]*/i, '').replace(/^\/{2,}/, '/'), '/')
}

/** The `answer.headers` of routes with paginated lists. */
export const PAGE_HEADERS = {
  Link: Type.String({
    description:
      'The next page: `<…>; rel="next"` (RFC 8288), to resolve against this URL. The last page has none.',
  }),
}

/**
 * The items of a page. Sets a `Link` header to the next page.
 * @param query of the route: the link repeats only these parameters
 */
export function pageAnswer<T>(
  { items, nextCursor }: Page<T>,
  call: Pick<Call, 'request' | 'address' | 'headers'>,
  query: TObject,
): readonly T[] {
  if (nextCursor !== null) call.headers['Link'] = linkTo(call, query, { cursor: nextCursor })
  return items
}

/** A link with the request's own known parameters, and the changed ones. */
export function linkTo(
  { request, address }: Pick<Call, 'request' | 'address'>,
  query: TObject,
  changed: Record<string, string>,
): string {
  const parameters = [...new URLSearchParams(queryText(request.url))].filter(([name]) =>
    Object.hasOwn(query.properties, name),
  )
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(changed)) next.set(name, value)
  return `<${address()}?${next}>; rel="next"`
}
