import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { hostOptions } from '@quickquote/dev-servers/host'
import { itRefuses, refusalOf } from '@quickquote/dev-servers/refusals'
import Fastify, { type FastifyServerOptions } from 'fastify'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type FastifyIntegrationsOptions, fastifyIntegrations } from '../src/index.ts'
import { isBefore } from './support/fastify-version.ts'
import { useHost } from './support/host.ts'

const context = useHost()

async function boot(options: object, server: FastifyServerOptions = {}): Promise<void> {
  const app = Fastify(server)
  const { integrations } = context.host
  const given = { integrations, resolveSession: () => null, ...options } as FastifyIntegrationsOptions
  await app.register(fastifyIntegrations, given)
  await app.ready()
  await app.close()
}

const WRONG: [object, RegExp][] = [
  [{ integrations: undefined }, /integrations is missing: pass the result of createIntegrations/],
  [{ integrations: { storage: {} } }, /integrations is missing/],
  [{ resolveSession: undefined }, /resolveSession is missing: pass a function/],
  [{ resolveSession: { memberId: 'm' } }, /resolveSession is missing/],
  [{ resolveSesion: () => null }, /resolveSesion is not an option\. Did you mean resolveSession\?/],
  [
    { worker: { start: () => {} } },
    /worker must be the result of createDeliveryWorker\(\{ integrations \}\)/,
  ],
  [{ worker: { start: () => {}, stop: () => {}, integrations: {} } }, /worker belongs to other integrations/],
  [{ inHostDocument: true }, /inHostDocument needs your own @fastify\/swagger/],
  [{ sessionTimeoutMs: Number.POSITIVE_INFINITY }, /sessionTimeoutMs must be/],
  [{ publicUrl: 'api.example.com' }, /publicUrl must be an https URL/],
  [{ publicUrl: 'http://127.example.com/' }, /http only for this machine/],
  [{ publicUrl: 'https://api.example.com/?' }, /without a query/],
  [{ publicUrl: 'https://a:b@api.example.com' }, /publicUrl must be/],
  [{ publicUrl: new URL('https://api.example.com') }, /publicUrl must be/],
  [{ sessionTimeoutMs: 0 }, /sessionTimeoutMs must be/],
  [{ trustedOrigins: 'https://app.example.com' }, /trustedOrigins must be a list/],
  [{ trustedOrigins: ['https://app.example.com/'] }, /origins without a path/],
  [
    { deprecated: { listQuotation: { since: new Date(0) } } },
    /deprecated\.listQuotation is not an option\. Did you mean listQuotations\?/,
  ],
  [{ deprecated: { getMe: {} } }, /deprecated\.getMe\.since must be a valid Date/],
  [
    { deprecated: { getMe: { since: new Date(2000), sunset: new Date(1000) } } },
    /sunset must be a valid Date, not before `since`/,
  ],
  [
    { deprecated: { getMe: { since: new Date(0), link: 'docs' } } },
    /deprecated\.getMe\.link must be the address of a page/,
  ],
  [
    { deprecated: { getMe: { since: new Date(0), link: 'https://docs.example.com/a\nb' } } },
    /deprecated\.getMe\.link must be the address of a page/,
  ],
  [{ apiKeyRoutes: 'no' }, /apiKeyRoutes must be true or false/],
  [{ describeMembers: { m: { name: 'Ada' } } }, /describeMembers must be a function/],
  [{ inHostDocument: 'no' }, /inHostDocument must be true or false/],
  [{ redis: 'redis://localhost' }, /redis must be an ioredis client/],
  [{ redis: { eval: async () => null, sendCommand() {} } }, /ioredis/],
  [{ onLimiterError: 'ignore' }, /'open' or 'closed'/],
  [{ problemTypeBase: 'errors#' }, /start of an absolute URI/],
  [{ apiDocs: { path: 'docs/' } }, /apiDocs\.path must be a path/],
  [{ prefix: '/:tenant' }, /below a prefix with parameters \(\/:tenant\)/],
  [{ apiDocs: { url: '/docs' } }, /apiDocs\.url is not an option\. .*path, sessionScheme/],
  [{ apiDocs: true }, /apiDocs must be false, or an object/],
  [{ apiDocs: { sessionScheme: {} } }, /sessionScheme must be/],
  [{ apiDocs: { sessionScheme: { type: 'apiKey', in: 'cookie' } } }, /sessionScheme must/],
  [{ apiDocs: { title: '' } }, /apiDocs\.title must be a string/],
  [{ apiDocs: { description: 5 } }, /apiDocs\.description must be a string/],
  [{ apiDocs: { logo: { type: 'text/html', content: '<p>' } } }, /apiDocs\.logo must be/],
  [{ apiDocs: { logo: { type: 'image/svg+xml', content: '' } } }, /apiDocs\.logo must be/],
  [{ apiDocs: { logo: { type: 'image/png', content: 'logo.png' } } }, /apiDocs\.logo must be/],
  [{ apiDocs: { brand: {} } }, /apiDocs\.brand\.name must be the name of your product/],
  [{ apiDocs: { brand: 'Acme' } }, /apiDocs\.brand must be an object with: name/],
  [{ apiDocs: { brand: { name: 'Acme', colour: 'red' } } }, /apiDocs\.brand\.colour is not an option/],
  [{ apiDocs: { brand: { name: 'Acme', theme: 'sepia' } } }, /apiDocs\.brand\.theme must be one of/],
  [
    { apiDocs: { brand: { name: 'Acme', tokens: { primary: 'red; } * { color: red' } } } },
    /apiDocs\.brand\.tokens\.primary must be one CSS value/,
  ],
  [{ apiDocs: { homeUrl: 5 } }, /apiDocs\.homeUrl must be an address/],
  [{ apiDocs: { homeUrl: 'java\nscript:alert(1)' } }, /apiDocs\.homeUrl must be an address/],
  [{ apiDocs: { license: { url: 'https://acme.example' } } }, /apiDocs\.license\.name must be/],
  [{ apiDocs: { license: { name: 'Terms', url: '/terms' } } }, /apiDocs\.license\.url must be an http/],
  [{ apiDocs: { license: { name: 'Terms', url: 'data:,terms' } } }, /apiDocs\.license\.url must be/],
  [{ apiDocs: { license: { name: 'Terms', uri: 'x' } } }, /uri is not an option\. Did you mean url\?/],
]

describe('the plugin', () => {
  const ofFastify = ['logLevel', 'logSerializers']
  itRefuses(boot, WRONG, { owner: 'fastifyIntegrations: ', untried: ofFastify })

  it('accepts its options as documented', async () => {
    const redis = new Redis({ lazyConnect: true })
    await boot({
      worker: { start: async () => {}, stop: async () => {} },
      sessionTimeoutMs: 100,
      trustedOrigins: ['https://app.example.com'],
      apiKeyRoutes: false,
      apiDocs: { path: '/docs' },
      inHostDocument: false,
      redis,
      onLimiterError: 'closed',
      problemTypeBase: 'https://docs.example.com/errors#',
      prefix: '/api',
      logLevel: 'warn',
    })
    redis.disconnect()
  })
})

it('Integrations of another version of core are refused, with both versions and what to do', async () => {
  const core = fileURLToPath(new URL('../../core', import.meta.url))
  const other = mkdtempSync(join(core, '.other-version-'))
  onTestFinished(() => rmSync(other, { recursive: true }))
  cpSync(join(core, 'dist'), other, { recursive: true })
  writeFileSync(join(other, 'lib/version.js'), "export const version = '0.0.9'")
  const { createIntegrations } = await import(pathToFileURL(join(other, 'index.js')).href)
  const { storage } = context.host.integrations
  const integrations = createIntegrations({ ...hostOptions, storage })
  expect(await refusalOf(() => boot({ integrations }))).toMatch(
    /integrations were created by @quickquote\/core 0\.0\.9, and this package uses \S+\. .*npm ls @quickquote\/core/,
  )
})

it.each(['', '/eu/'])(
  'A second registration below the same path is refused, and says how to have two: %s',
  async (prefix) => {
    const app = Fastify()
    const options = { integrations: context.host.integrations, resolveSession: () => null }
    await app.register(fastifyIntegrations, options)
    await app.register(fastifyIntegrations, { ...options, prefix: '/eu' })
    const refusal = await refusalOf(() => app.register(fastifyIntegrations, { ...options, prefix }).ready())
    expect(refusal).toMatch(/registered twice below the same path.*`prefix`/)
    await app.close()
  },
)

describe('a Fastify whose router accepts no ids is refused at startup', () => {
  it.each<FastifyServerOptions>([
    ...(isBefore(6) ? [] : [{ routerOptions: { maxParamLength: 35 } }]),
    { maxParamLength: 20 },
  ])('with %j', async (server) => {
    const refusal = await refusalOf(() => boot({}, server))
    expect(refusal).toContain("Fastify's maxParamLength must be at least 36")
  })

  it.each<FastifyServerOptions>([{}, { routerOptions: { maxParamLength: 36 } }, { maxParamLength: 36 }])(
    'not with %j',
    async (server) => {
      await boot({}, server)
    },
  )
})
