// The minimum: Fastify, postgres.js, one query or transaction per route; no key, limit or check.
import type { Readable } from 'node:stream'
import { serveParent } from '@quickquote/dev-servers/child'
import Fastify from 'fastify'
import postgres from 'postgres'
import { v7 as uuidv7 } from 'uuid'
import { ownCpuSeconds } from './usage.ts'

interface BareHostSettings {
  readonly databaseUrl: string
  /** The SQL schema. */
  readonly schema: string
  readonly organizationId: string
  readonly apiKeyId: string
}

const bareHost = { listen, cpuSeconds: ownCpuSeconds }
export type BareHost = typeof bareHost
serveParent(bareHost)

interface StartBody {
  readonly name: string
  readonly description: string
  readonly requirementsText: string
  readonly metadata: postgres.JSONValue
}

async function listen({ databaseUrl, schema, organizationId, apiKeyId }: BareHostSettings): Promise<string> {
  // The storage's default.
  const sql = postgres(databaseUrl, { max: 10, connection: { search_path: schema } })
  const app = Fastify()

  app.get<{ Params: { id: string } }>(
    '/quotations/:id',
    { schema: { response: { 200: QUOTATION } } },
    async (request, reply) => {
      const [quotation] = await sql`
        select ${sql(SUMMARY)} from quotations where id = ${request.params.id}`
      return quotation ?? reply.code(404).send()
    },
  )

  /** Newest first. The index has the source before the ID, so the lists of both sources are merged. */
  app.get<{ Querystring: { before: string } }>(
    '/quotations',
    { schema: { response: { 200: { type: 'array', items: QUOTATION } } } },
    (request) => {
      const { before } = request.query
      const ofSource = (source: string) => sql`(
        select ${sql(SUMMARY)} from quotations
        where organization_id = ${organizationId} and source = ${source} and id < ${before}
        order by id desc limit ${PAGE})`
      return sql`${ofSource('ui')} union all ${ofSource('api_key')} order by id desc limit ${PAGE}`
    },
  )

  app.get<{ Querystring: { after: string } }>('/events', async (request, reply) => {
    const events = await sql<{ body: string }[]>`
      select body from events where organization_id = ${organizationId} and feed_position > ${request.query.after}
      order by feed_position limit ${PAGE}`
    return reply.type('application/json; charset=utf-8').send(`[${events.map(({ body }) => body).join(',')}]`)
  })

  /** The usual way: a transaction, its statements pipelined where possible. */
  app.post<{ Body: StartBody }>(
    '/quotations',
    { schema: { response: { 202: STARTED } } },
    async (request, reply) => {
      const { name, description, requirementsText, metadata } = request.body
      const id = uuidv7()
      const now = new Date()
      await sql.begin((transaction) => [
        transaction`
          insert into quotations (id, organization_id, name, description, status, processed_step, source, api_key_id,
            requirements_text, metadata, created_at, updated_at)
          values (${id}, ${organizationId}, ${name}, ${description}, 'queued', 'none', 'api_key', ${apiKeyId},
            ${requirementsText}, ${sql.json(metadata)}, ${now}, ${now})`,
        transaction`insert into pipeline_starts (quotation_id, due_at) values (${id}, ${now})`,
      ])
      return reply.code(202).send({ quotation_id: id, status: 'queued' })
    },
  )

  /** The fastest way: one statement, hence one transaction and one round trip. */
  app.post<{ Body: StartBody }>(
    '/quotations-in-one-statement',
    { schema: { response: { 202: STARTED } } },
    async (request, reply) => {
      const { name, description, requirementsText, metadata } = request.body
      const id = uuidv7()
      const now = new Date()
      await sql`
        with quotation as (
          insert into quotations (id, organization_id, name, description, status, processed_step, source, api_key_id,
            requirements_text, metadata, created_at, updated_at)
          values (${id}, ${organizationId}, ${name}, ${description}, 'queued', 'none', 'api_key', ${apiKeyId},
            ${requirementsText}, ${sql.json(metadata)}, ${now}, ${now})
        )
        insert into pipeline_starts (quotation_id, due_at) values (${id}, ${now})`
      return reply.code(202).send({ quotation_id: id, status: 'queued' })
    },
  )

  /** Writes the raw body, form included, into our file table: one statement per chunk. */
  app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
  app.post<{ Body: Readable }>(
    '/uploads',
    { schema: { response: { 202: STARTED } } },
    async (request, reply) => {
      const id = uuidv7()
      let position = 0
      for await (const bytes of inChunks(request.body)) {
        await sql`insert into file_chunks (file_id, organization_id, position, is_last, bytes)
        values (${id}, ${organizationId}, ${position}, false, ${bytes})`
        position += 1
      }
      return reply.code(202).send({ quotation_id: id, status: 'queued' })
    },
  )

  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** Our default. */
const PAGE = 50

/** Our chunk size. */
const CHUNK_BYTES = 90 * 1024

async function* inChunks(body: Readable): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length < CHUNK_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(pieces)
}

const TEXT = { type: 'string' }
const MOMENT = { type: 'string', format: 'date-time' }
const NULLABLE_TEXT = { type: ['string', 'null'] }

const QUOTATION = {
  type: 'object',
  properties: {
    id: TEXT,
    name: TEXT,
    description: TEXT,
    status: TEXT,
    processed_step: TEXT,
    source: TEXT,
    config_id: NULLABLE_TEXT,
    error_code: NULLABLE_TEXT,
    external_id: NULLABLE_TEXT,
    metadata: { type: ['object', 'null'], additionalProperties: true },
    created_at: MOMENT,
    updated_at: MOMENT,
  },
}

/** The columns, in our order. */
const SUMMARY = Object.keys(QUOTATION.properties)

const STARTED = { type: 'object', properties: { quotation_id: TEXT, status: TEXT } }
