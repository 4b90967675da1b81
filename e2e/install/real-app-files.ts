import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeBlocks, ROOT } from '../docs/pages.ts'

const guide = { path: 'docs/guides/host.md', text: readFileSync(join(ROOT, 'docs/guides/host.md'), 'utf8') }
/** The autoloaded plugin of the guide. */
const documented = codeBlocks(guide).find(({ code }) => code.includes('export default fp('))?.code ?? ''
/** A test adds it before everything else, another one last. */
const CLOSES = "app.addHook('onClose', () => integrations.close())"

/** An app of the shape of fastify/demo: plugins and routes that @fastify/autoload finds, each in a file of its own. */
export const FILES: Readonly<Record<string, string>> = {
  'src/app.ts': `import { join } from 'node:path'
import autoload from '@fastify/autoload'
import type { FastifyInstance } from 'fastify'

export default async function app(fastify: FastifyInstance): Promise<void> {
  await fastify.register(autoload, { dir: join(import.meta.dirname, 'plugins/external'), options: {} })
  fastify.register(autoload, { dir: join(import.meta.dirname, 'plugins/app'), options: {} })
  fastify.register(autoload, { dir: join(import.meta.dirname, 'routes'), options: {}, autoHooks: true, cascadeHooks: true })
  fastify.setErrorHandler((error, request, reply) => {
    request.log.error({ err: error }, 'Unhandled error occurred')
    reply.code(500).send({ message: 'Internal Server Error' })
  })
  fastify.setNotFoundHandler({ preHandler: fastify.rateLimit({ max: 3, timeWindow: 500 }) }, (_, reply) => {
    reply.code(404).send({ message: 'Not Found' })
  })
}
`,
  'src/server.ts': `import { answerFrameworkError, requestSerializer } from '@quickquote/fastify-integrations'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app from './app.js'

const fastify = Fastify({ logger: { serializers: { req: requestSerializer } }, frameworkErrors: answerFrameworkError })
fastify.register(fp(app))
process.once('SIGTERM', () => fastify.close())
await fastify.listen({ port: Number(process.env.PORT) })
`,
  'src/plugins/external/knex.ts': `import fp from 'fastify-plugin'
import knex, { type Knex } from 'knex'

declare module 'fastify' {
  interface FastifyInstance {
    knex: Knex
  }
}

export default fp(
  async (fastify) => {
    fastify.decorate('knex', knex({ client: 'pg', connection: process.env.DATABASE_URL ?? '' }))
    fastify.addHook('onClose', (instance) => instance.knex.destroy())
  },
  { name: 'knex' },
)
`,
  'src/plugins/external/session.ts': `import cookie from '@fastify/cookie'
import session from '@fastify/session'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface Session {
    user?: { id: string; organization: string }
  }
}

export default fp(
  async (fastify) => {
    fastify.register(cookie)
    fastify.register(session, {
      secret: 'a secret with at least thirty-two characters',
      cookieName: 'sessid',
      saveUninitialized: false,
      cookie: { secure: false, httpOnly: true, maxAge: 1_800_000 },
    })
  },
  { name: 'session' },
)
`,
  'src/plugins/external/helmet.ts': `import helmet from '@fastify/helmet'

export const autoConfig = {}
export default helmet
`,
  'src/plugins/external/rate-limit.ts': `import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'

export const autoConfig: RateLimitPluginOptions = {
  max: 100,
  timeWindow: '1 minute',
  allowList: (request) => request.routeOptions.config.integrations !== undefined,
}
export default rateLimit
`,
  // The limits of fastify/demo.
  'src/plugins/external/under-pressure.ts': `import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

export const autoConfig = (fastify: FastifyInstance) => ({
  maxEventLoopDelay: 1000,
  maxHeapUsedBytes: 100_000_000,
  maxRssBytes: 1_000_000_000,
  maxEventLoopUtilization: 0.98,
  message: 'The server is under pressure, retry later!',
  retryAfter: 50,
  healthCheck: async () => {
    await fastify.knex.raw('SELECT 1')
    return true
  },
  healthCheckInterval: 5000,
})

export default fp(underPressure, { dependencies: ['knex'] })
`,
  'src/integrations.ts': `import { createIntegrations } from '@quickquote/core'
import { drizzleStorage } from '@quickquote/storage-drizzle'

export const storage = drizzleStorage({ connectionString: process.env.DATABASE_URL })
export const integrations = createIntegrations({
  storage,
  pipeline: {
    async start() {},
    signDocumentUrl: async ({ document_id }) => ({
      url: \`https://files.example.com/\${document_id}\`,
      expires_at: new Date(Date.now() + 900_000),
    }),
  },
  encryptionKeys: [{ id: '1', key: process.env.INTEGRATIONS_KEY }],
  allowAddresses: ['127.0.0.1/32'],
})
`,
  'src/plugins/app/integrations.ts': documented
    .replace(CLOSES, `if (process.env.CLOSE === 'last') ${CLOSES}`)
    .replace(
      'await storage.migrate()',
      `if (process.env.CLOSE === 'first') ${CLOSES}\n    await storage.migrate()`,
    ),
  'src/routes/home.ts': `import type { FastifyInstance } from 'fastify'

export default async function home(fastify: FastifyInstance): Promise<void> {
  fastify.get('/', async () => ({ message: 'Welcome to the app!' }))
  fastify.post<{ Body: { organization: string } }>('/sign-in', async (request) => {
    request.session.user = { id: 'ann', organization: request.body.organization }
    return { success: true }
  })
}
`,
  'src/routes/outcomes/index.ts': `import { STEPS } from '@quickquote/core'
import type { FastifyInstance } from 'fastify'

/** The host's own rows, and the quote's progress, in one transaction of Knex. */
export default async function outcomes(fastify: FastifyInstance): Promise<void> {
  fastify.post<{ Params: { id: string }; Body: { fault?: boolean } }>('/:id', async ({ params, body }) => {
    await fastify.knex.transaction(async (trx) => {
      await trx('outcomes').insert({ quotation_id: params.id })
      const report = fastify.integrations
        .within({ runInTransaction: (text, values) => trx.raw(text.replaceAll('?', '\\\\?').replace(/\\$(\\d+)/g, ':$1'), { ...[null, ...values] }) })
        .pipeline(params.id)
      for (const step of STEPS) await report.stepCompleted(step)
      await report.completed()
      if (body.fault) throw Object.assign(new Error('the host changes its mind'), { statusCode: 409 })
    })
    return { success: true }
  })
  fastify.get('/', async () => fastify.knex('outcomes').select())
}
`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      rootDir: 'src',
      outDir: 'dist',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noImplicitOverride: true,
      skipLibCheck: true,
      types: ['node'],
    },
    include: ['src'],
  }),
}

/** Beside ours and those of every host. */
export const PACKAGES = [
  '@fastify/autoload@6',
  '@fastify/cookie@11',
  '@fastify/helmet@13',
  '@fastify/rate-limit@11',
  '@fastify/session@11',
  '@fastify/under-pressure@9',
  'fastify-plugin@5',
  'knex@3.3.0',
  'pg@8',
]
