import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ConfigurationError } from '@quickquote/core'
import { hostOptions } from '@quickquote/dev-servers/host'
import { untriedOptions } from '@quickquote/dev-servers/refusals'
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

const WRONG: [string, object, RegExp][] = [
  [
    'no integrations',
    { integrations: undefined },
    /integrations is missing: pass the result of createIntegrations/,
  ],
  ['options instead of integrations', { integrations: { storage: {} } }, /integrations is missing/],
  ['no resolveSession', { resolveSession: undefined }, /resolveSession is missing: pass a function/],
  ['a session instead of a function', { resolveSession: { memberId: 'm' } }, /resolveSession is missing/],
  [
    'an option that does not exist',
    { resolveSesion: () => null },
    /resolveSesion is not an option\. Did you mean resolveSession\?/,
  ],
  [
    'integrations for a worker',
    { worker: { start: () => {} } },
    /worker must be the result of createDeliveryWorker\(\{ integrations \}\)/,
  ],
  [
    'a worker of other integrations',
    { worker: { start: () => {}, stop: () => {}, integrations: {} } },
    /worker belongs to other integrations/,
  ],
  [
    'the host document without @fastify/swagger',
    { inHostDocument: true },
    /inHostDocument needs your own @fastify\/swagger/,
  ],
  ['a timeout that never ends', { sessionTimeoutMs: Number.POSITIVE_INFINITY }, /sessionTimeoutMs must be/],
  ['a host without a scheme', { publicUrl: 'api.example.com' }, /publicUrl must be an https URL/],
  ['plain HTTP on the internet', { publicUrl: 'http://127.example.com/' }, /http only for this machine/],
  ['a public URL with a query', { publicUrl: 'https://api.example.com/?' }, /without a query/],
  ['a public URL with a password', { publicUrl: 'https://a:b@api.example.com' }, /publicUrl must be/],
  ['a public URL that is none', { publicUrl: new URL('https://api.example.com') }, /publicUrl must be/],
  ['a timeout of 0', { sessionTimeoutMs: 0 }, /sessionTimeoutMs must be/],
  [
    'one origin without a list',
    { trustedOrigins: 'https://app.example.com' },
    /trustedOrigins must be a list/,
  ],
  ['an origin with a path', { trustedOrigins: ['https://app.example.com/'] }, /origins without a path/],
  [
    'the deprecation of an unknown route',
    { deprecated: { listQuotation: { since: new Date() } } },
    /deprecated\.listQuotation is not an option\. Did you mean listQuotations\?/,
  ],
  [
    'a deprecation without a time',
    { deprecated: { getMe: {} } },
    /deprecated\.getMe\.since must be a valid Date/,
  ],
  [
    'an end before the deprecation',
    { deprecated: { getMe: { since: new Date(2000), sunset: new Date(1000) } } },
    /sunset must be a valid Date, not before `since`/,
  ],
  [
    'a page without an address',
    { deprecated: { getMe: { since: new Date(), link: 'docs' } } },
    /deprecated\.getMe\.link must be the address of a page/,
  ],
  ['text for a flag', { apiKeyRoutes: 'no' }, /apiKeyRoutes must be true or false/],
  ['names for a function', { describeMembers: { m: { name: 'Ada' } } }, /describeMembers must be a function/],
  ['text for another flag', { inHostDocument: 'no' }, /inHostDocument must be true or false/],
  ['a URL for Redis', { redis: 'redis://localhost' }, /redis must be an ioredis client/],
  ['another client of Redis', { redis: { eval: async () => null, sendCommand() {} } }, /ioredis/],
  ['an unknown way to fail', { onLimiterError: 'ignore' }, /'open' or 'closed'/],
  ['a type that is not a URI', { problemTypeBase: 'errors#' }, /start of an absolute URI/],
  ['documentation at no path', { apiDocs: { path: 'docs/' } }, /apiDocs\.path must be a path/],
  ['documentation below a parameter', { prefix: '/:tenant' }, /below a prefix with parameters \(\/:tenant\)/],
  [
    'an unknown option of the documentation',
    { apiDocs: { url: '/docs' } },
    /apiDocs\.url is not an option\. .*path, sessionScheme/,
  ],
  ['true for the documentation', { apiDocs: true }, /apiDocs must be false, or an object/],
  ['sessions of no kind', { apiDocs: { sessionScheme: {} } }, /sessionScheme must be/],
  [
    'a cookie without a name',
    { apiDocs: { sessionScheme: { type: 'apiKey', in: 'cookie' } } },
    /sessionScheme must/,
  ],
]

describe('the options of the plugin', () => {
  it.each(WRONG)('are refused at startup: %s', async (_, wrong, message) => {
    const failure = await boot(wrong).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as Error).message).toMatch(message)
    expect((failure as Error).message).toMatch(/^fastifyIntegrations: /)
  })

  it('are all tested with an invalid value', async () => {
    const { message } = (await boot({ '': 1 }).catch((error: unknown) => error)) as Error
    const ofFastify = ['logLevel', 'logSerializers']
    const tried = WRONG.map(([, wrong]) => wrong)
    expect(untriedOptions(message, tried)).toEqual(ofFastify)
  })

  it('are accepted as documented', async () => {
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
  const refusal = boot({ integrations: createIntegrations({ ...hostOptions, storage }) })
  await expect(refusal).rejects.toThrow(ConfigurationError)
  await expect(refusal).rejects.toThrow(
    /integrations were created by @quickquote\/core 0\.0\.9, and this package uses \S+\. .*npm ls @quickquote\/core/,
  )
})

it('A second registration below the same path is refused, and says how to have two', async () => {
  const app = Fastify()
  const options = { integrations: context.host.integrations, resolveSession: () => null }
  await app.register(fastifyIntegrations, options)
  await app.register(fastifyIntegrations, { ...options, prefix: '/eu' })
  const refusal = app.register(fastifyIntegrations, options).ready()
  await expect(refusal).rejects.toThrow(ConfigurationError)
  await expect(refusal).rejects.toThrow(/registered twice below the same path.*`prefix`/)
  await app.close()
})

const ROUTER_OPTIONS: [string, FastifyServerOptions] = [
  'routerOptions.maxParamLength',
  { routerOptions: { maxParamLength: 35 } },
]

describe('a Fastify whose router accepts no ids is refused at startup', () => {
  it.each<[string, FastifyServerOptions]>([
    ...(isBefore(6) ? [] : [ROUTER_OPTIONS]),
    ['maxParamLength', { maxParamLength: 20 }],
  ])('%s', async (_, server) => {
    const refusal = boot({}, server)
    await expect(refusal).rejects.toThrow(ConfigurationError)
    await expect(refusal).rejects.toThrow("Fastify's maxParamLength must be at least 36")
  })

  it.each<FastifyServerOptions>([{}, { routerOptions: { maxParamLength: 36 } }, { maxParamLength: 36 }])(
    'not with %j',
    async (server) => {
      await boot({}, server)
    },
  )
})
