import type { Page } from '@quickquote/core'
import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Answer } from '../route.ts'
import { calledPath } from './called-path.ts'

/** For the `answer.headers` of a row whose list has pages. */
export const PAGE_HEADERS = {
  Link: Type.String({
    description:
      'The page that follows: `<…>; rel="next"` (RFC 8288), relative to this URL. Not sent with the last page.',
  }),
}

/**
 * Answers a page of a list: the entries, and in the `Link` header the way to the page that follows.
 * @param query of the row: nothing else of the request's query is repeated in the link
 */
export function pageAnswer<T>(
  { items, nextCursor }: Page<T>,
  request: FastifyRequest,
  query: TObject,
): Answer<T[]> {
  const body = [...items]
  if (nextCursor === null) return { body }
  return { body, headers: { Link: linkTo(request, query, { cursor: nextCursor }) } }
}

/** The way to the page that follows: the request's own query, as far as the row knows it, with what `changed`. */
export function linkTo(request: FastifyRequest, query: TObject, changed: Record<string, string>): string {
  const [, sent] = request.url.split('?')
  const parameters = [...new URLSearchParams(sent)].filter(([name]) => Object.hasOwn(query.properties, name))
  const next = new URLSearchParams(parameters)
  for (const [name, value] of Object.entries(changed)) next.set(name, value)
  return `<${calledPath(request)}?${next}>; rel="next"`
}
