import { parse } from 'node:querystring'
import { IntegrationError, type Integrations } from '@quickquote/core'
import { answerInTime, Problem } from '@quickquote/core/internal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressOf } from './answers/links.ts'
import { queryText } from './auth/key-in-url.ts'
import { apiKeyOf } from './auth/partner-auth.ts'
import { callerOf } from './auth/session-auth.ts'
import { isMultipart } from './bodies/multipart.ts'
import { waitMsOf } from './limits/waits.ts'
import { documentation } from './openapi/openapi-operation.ts'
import type { DocumentedRoute } from './openapi/swagger.ts'
import type { Deprecation, PluginSettings } from './options.ts'
import { type Call, JsonText, paramsOf, type Route } from './route.ts'

const ANSWER_WITHIN_MS = 15_000

/** Time for the database besides the host's own longer timeouts. */
const SPARE_MS = 5000

/** Milliseconds until a request is answered after its body has arrived, if need be with 503. */
function answerTime({ settings: { delivery, hookTimeoutMs } }: Integrations): number {
  return Math.max(ANSWER_WITHIN_MS, Math.max(delivery.timeoutMs, hookTimeoutMs) + SPARE_MS)
}

/** Registers a row of the route table in a plugin that already authenticates. */
export type RegisterRoute = (fastify: FastifyInstance, route: Route) => void

/** @param documented gets each route, in the order of the document */
export function createRegisterRoute(settings: PluginSettings, documented: DocumentedRoute[]): RegisterRoute {
  const answerWithinMs = answerTime(settings.integrations)

  return (fastify, route) => {
    const { method, url } = route
    const { status, schema } = route.answer
    const swaggerTransform = documentation(route, settings)
    documented.push({ method, url: fastify.prefix + url, config: { swaggerTransform } })
    const deprecation = settings.deprecated[route.operationId]
    fastify.route({
      method,
      url,
      ...(method === 'GET' ? { exposeHeadRoute: true } : {}),
      onSend: [
        ...(route.endWaits === undefined ? [] : [closeAfterWaits(fastify, route.endWaits)]),
        ...(deprecation === undefined ? [] : [announce(deprecation)]),
      ],
      config: {
        integrations: { access: route.access, limit: route.limit },
        swaggerTransform: settings.inHostDocument && swaggerTransform,
      },
      // A schema for every status: undeclared fields are never sent.
      schema: {
        hide: !settings.inHostDocument,
        params: paramsOf(route),
        response: {
          ...(status === 204 ? {} : { [status]: schema, '2xx': schema }),
          '4xx': Problem,
          '5xx': Problem,
        },
      },
      handler: (request, reply) =>
        answer(route, request, reply, { answerWithinMs, publicUrl: settings.publicUrl }),
    })
  }
}

async function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { answerWithinMs, publicUrl }: { answerWithinMs: number; publicUrl: string | null },
) {
  if (route.body !== undefined && !route.bodyIsOptional && request.body === undefined) {
    throw new IntegrationError('MALFORMED_REQUEST', 'The body is empty.')
  }
  const query = route.query === undefined ? {} : queryOf(request)
  const headers = {}
  const address = () => addressOf(request, publicUrl)
  const handled = handle(route, { query, headers, address }, request, reply)
  const withinMs = answerWithinMs + (route.endWaits === undefined ? 0 : waitMsOf(query))
  const result = await (isMultipart(request)
    ? handled // Its body is still arriving. Storing it has its own timeout.
    : answerInTime(
        () => new IntegrationError('SERVICE_UNAVAILABLE'),
        request.body === undefined ? withinMs - reply.elapsedTime : withinMs,
        () => handled,
      ))
  reply.code(route.answer.status).headers(headers)
  if (!(result instanceof JsonText)) return result
  reply.type('application/json; charset=utf-8')
  return result.text
}

/**
 * Ends the waits of a route when Fastify begins to close. It closes idle connections then; those of waiting requests are
 * closed after their responses.
 */
function closeAfterWaits(fastify: FastifyInstance, endWaits: () => void) {
  let isClosing = false
  fastify.addHook('preClose', async () => {
    isClosing = true
    endWaits()
  })
  return ({ raw }: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void) => {
    if (isClosing && raw.httpVersionMajor === 1) reply.header('connection', 'close')
    done()
  }
}

/** The headers of a deprecated route, on every response of it. */
function announce({ since, sunset, link }: Deprecation) {
  const headers = {
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    ...(sunset !== undefined && { sunset: sunset.toUTCString() }),
  }
  // In ASCII: any other character would fail every response.
  const page = link && new URL(link).href
  return (_: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void) => {
    reply.headers(headers)
    if (page !== undefined) {
      const next = reply.getHeader('link')
      reply.header('link', [...(next === undefined ? [] : [next]), `<${page}>; rel="deprecation"`].join(', '))
    }
    done()
  }
}

function handle(
  route: Route,
  { query, headers, address }: Pick<Call, 'query' | 'headers' | 'address'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { params } = request
  const call = {
    params,
    query,
    body: request.body as never,
    request,
    address,
    headers,
    clientSignal: () => clientSignal(reply),
  }
  // Spread last: V8 is slow at fields after a spread.
  if (route.access === 'api_key') return route.handle({ apiKey: apiKeyOf(request), ...call })
  const { member, session } = callerOf(request)
  return route.handle({ member, session, ...call })
}

/**
 * The query, parsed as Fastify does by default, because the host may have another parser. The organization comes from
 * the key or the path; any other is ignored (specification, "What the service does").
 */
function queryOf({ url }: FastifyRequest): object {
  const text = queryText(url)
  if (text === '') return {}
  const { organization_id: _, organizationId: __, ...query } = parse(text)
  return query
}

/** Aborts if the client disconnects before it has its response. */
function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new IntegrationError('MALFORMED_REQUEST', 'The client hung up.'))
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
