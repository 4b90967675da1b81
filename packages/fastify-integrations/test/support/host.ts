import type { Integrations, Session, Storage } from '@quickquote/core'
import { integrationsOn, type TestOptions } from '@quickquote/dev-servers/host'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type FastifyIntegrationsOptions, fastifyIntegrations } from '../../src/index.ts'
import { type OpenApiDocument, openApiCheck } from './openapi-check.ts'
import { watchSecrets } from './secrets.ts'
import { forwardTo } from './socket.ts'

export { useDatabase }
export const ACME = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
export const GLOBEX = '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a'
export const NOWHERE = 'ffffffff-ffff-4fff-8fff-ffffffffffff'

/** The host's sessions: a header names the member. */
const SESSIONS: Record<string, Session> = {
  'acme-admin': { memberId: 'acme-admin', organizations: [{ id: ACME, role: 'admin' }] },
  'acme-member': { memberId: 'acme-member', organizations: [{ id: ACME, role: 'member' }] },
  'acme-viewer': {
    memberId: 'acme-viewer',
    organizations: [{ id: ACME, permissions: ['view_integrations'] }],
  },
  'globex-admin': { memberId: 'globex-admin', organizations: [{ id: GLOBEX, role: 'admin' }] },
}

/** A member's session. `admin@<id>` and `member@<id>` belong to any organization. */
export function sessionOf(name: string): Session | null {
  const [, role, id] = /^(admin|member)@(.+)$/.exec(name) ?? []
  if (role === undefined || id === undefined) return SESSIONS[name] ?? null
  return { memberId: name, organizations: [{ id, name: 'Newcomers', role }] }
}

export type MemberName = 'acme-admin' | 'acme-member' | 'acme-viewer' | 'globex-admin'

export const YEAR_AHEAD = new Date(Date.now() + 300 * 24 * 60 * 60 * 1000).toISOString()

export interface CallOptions {
  readonly key?: string
  readonly member?: MemberName
  readonly json?: unknown
  readonly body?: string | Uint8Array | Blob | FormData
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Loosely typed, because tests only compare it.
  readonly body: Record<string, unknown>
}

export interface Host {
  readonly app: FastifyInstance
  readonly url: string
  readonly integrations: Integrations
  /** The log lines. */
  readonly logs: string[]
  readonly openapi: OpenApiDocument
  /** Sends a request over a socket, and checks it and its response against the OpenAPI document. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  createKey(member?: MemberName): Promise<{ id: string; key: string }>
  startQuotation(key: string, body?: object): Promise<string>
  /** Can be called again. */
  close(): Promise<void>
}

export interface HostOptions {
  readonly databaseUrl: string
  readonly integrations?: TestOptions
  /** False: `createIntegrations` gets none. Default: the app's. */
  readonly givesLogger?: boolean
  /** Uses the product's limits of keys. Default false: tests create many keys, because each has its own rate limits. */
  readonly limitsKeys?: boolean
  readonly plugin?: Partial<FastifyIntegrationsOptions> & { prefix?: string }
  readonly fastify?: FastifyServerOptions
  /** A Unix socket to listen on, instead of a port. */
  readonly socketPath?: string
  /** Wraps the real storage. */
  readonly wrapStorage?: (storage: Storage) => Storage
  /** What the host registers before our plugin. */
  readonly before?: (app: FastifyInstance) => void | Promise<void>
  /** What the host registers after it, with our options. */
  readonly after?: (app: FastifyInstance, ours: Ours) => void | Promise<void>
}

export type Ours = Pick<FastifyIntegrationsOptions, 'integrations' | 'resolveSession'>

const MANY_KEYS = { apiKeysPerOrganization: 10_000, apiKeysPerMember: 10_000 }

const KEY_LIKE = /pk(_|%5f)[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/=]{16,}/i

/** A host that is closed after the test. */
export async function openHost(options: HostOptions): Promise<Host> {
  const host = await startHost(options)
  onTestFinished(() => host.close())
  return host
}

const documents = new Map<string, OpenApiDocument>()

/** Making a document takes a third of the time of most tests. Hosts with the same settings share one. */
async function documentOf(url: string, options: HostOptions): Promise<OpenApiDocument> {
  const { before, after, fastify, plugin, integrations, limitsKeys } = options
  const isPlain = before === undefined && after === undefined && fastify === undefined
  const settings = JSON.stringify([plugin, integrations, limitsKeys], (_, value) => {
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? 'a function' : value
    const { name } = value.constructor ?? Object
    return [Object.name, Array.name].includes(name) ? value : name
  })
  const known = isPlain ? documents.get(settings) : undefined
  const document = known ?? ((await (await fetch(url)).json()) as OpenApiDocument)
  if (isPlain) documents.set(settings, document)
  return document
}

/** A host app with our plugin, listening on its own port, for several tests. */
export async function startHost(options: HostOptions): Promise<Host> {
  const logs: string[] = []
  const secrets = watchSecrets()
  const stream = { write: (line: string) => void logs.push(line) }
  const logger = options.fastify?.loggerInstance === undefined ? { logger: { level: 'debug', stream } } : {}
  const app = Fastify({ ...logger, ...options.fastify })
  const storage = drizzleStorage({ connectionString: options.databaseUrl, maxConnections: 4 })
  const integrations = integrationsOn(options.wrapStorage?.(storage) ?? storage, {
    ...(options.givesLogger === false ? {} : { logger: app.log }),
    ...options.integrations,
    limits: { ...(options.limitsKeys ? {} : MANY_KEYS), ...options.integrations?.limits },
  })

  await options.before?.(app)
  const resolveSession: Ours['resolveSession'] =
    options.plugin?.resolveSession ?? (({ headers }) => sessionOf(String(headers['x-member'])))
  await app.register(fastifyIntegrations, { integrations, resolveSession, ...options.plugin })
  await options.after?.(app, { integrations, resolveSession })
  const { socketPath } = options
  const forwarder = socketPath === undefined ? null : await forward(app, socketPath)
  const listening = await app.listen(
    socketPath === undefined ? { port: 0, host: '127.0.0.1' } : { path: socketPath },
  )
  const url = forwarder ?? listening

  const prefix = options.plugin?.prefix ?? ''
  const openapi = await documentOf(`${url}${prefix}/api-docs/json`, options)
  const documented = options.plugin?.apiDocs === undefined ? openApiCheck(openapi) : null

  let isClosed = false
  const host: Host = {
    app,
    url,
    integrations,
    logs,
    openapi,

    async call(method, path, { key, member, json, body, headers = {} } = {}) {
      const content = json === undefined ? body : JSON.stringify(json)
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(key === undefined ? {} : { 'X-API-Key': key }),
          ...(member === undefined ? {} : { 'X-Member': member }),
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(content === undefined ? {} : { body: content }),
      })
      const text = await response.text()
      const isJson = /json/.test(response.headers.get('content-type') ?? '')
      const answer: Answer = {
        status: response.status,
        headers: response.headers,
        body: isJson && text !== '' ? JSON.parse(text) : { text },
      }
      secrets.answered(method, path, text, answer.body)
      if (documented !== null && method !== 'HEAD' && path.startsWith(`${prefix}/v1/`)) {
        documented.exchange({ method, path, sent: json, ...answer })
      }
      return answer
    },

    async createKey(member = 'acme-admin') {
      const organization = member.startsWith('acme') ? ACME : GLOBEX
      const { status, body } = await host.call(
        'POST',
        `${prefix}/v1/organizations/${organization}/api-keys`,
        {
          member,
          json: { name: 'test', expires_at: YEAR_AHEAD },
        },
      )
      expect(status).toBe(201)
      return { id: String(body['id']), key: String(body['key']) }
    },

    async startQuotation(key, body = { requirementsText: 'Customers sign in and see their invoices.' }) {
      const answer = await host.call('POST', `${prefix}/v1/integrations/quotations`, { key, json: body })
      expect(answer.status).toBe(202)
      return String(answer.body['quotation_id'])
    },

    async close() {
      if (isClosed) return
      isClosed = true
      await app.close()
      await integrations.close()
      // After any test: no key and no secret may ever be logged, stored, or sent a second time.
      expect(logs.filter((line) => KEY_LIKE.test(line))).toEqual([])
      expect(await secrets.leaks(logs, options.databaseUrl)).toEqual([])
    },
  }
  return host
}

/** A substitute for the address of a Unix socket, which has no URL. */
async function forward(app: FastifyInstance, socketPath: string): Promise<string> {
  const { url, close } = await forwardTo(socketPath)
  app.addHook('onClose', close)
  return url
}

/** A database and a host for a whole test file. */
export function useHost(options: Omit<HostOptions, 'databaseUrl'> = {}) {
  const database = useDatabase()
  let host: Host
  beforeAll(async () => {
    host = await startHost({ ...options, databaseUrl: database.url })
  })
  afterAll(() => host.close())
  return {
    get host() {
      return host
    },
    get sql() {
      return database.sql
    },
    get databaseUrl() {
      return database.url
    },
  }
}
