import { gunzipSync, gzipSync } from 'node:zlib'
import { integrationsOn, NOWHERE } from '@quickquote/dev-servers/host'
import { itRefuses } from '@quickquote/dev-servers/refusals'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { files } from '#assets'
import { type FastifyPortalOptions, fastifyPortal } from '../src/index.ts'

const integrations = integrationsOn(NOWHERE, { productName: 'Acme' })

async function host(
  options: Partial<FastifyPortalOptions> & { prefix?: string } = {},
  server: FastifyServerOptions = {},
): Promise<FastifyInstance> {
  const app = Fastify(server)
  onTestFinished(() => app.close())
  await app.register(fastifyPortal, { integrations, prefix: '/integrations', ...options })
  return app
}

async function get(app: FastifyInstance, url: string, headers: Record<string, string> = {}) {
  return app.inject({ method: 'GET', url, headers })
}

/** Everything that a browser loads for the first screen: the page and the files it names. */
async function firstLoad(app: FastifyInstance, url: string) {
  const accept = { 'accept-encoding': 'gzip' }
  const page = await get(app, url, accept)
  const names = [
    ...gunzipSync(page.rawPayload)
      .toString()
      .matchAll(/(?:src|href)="\.\/([^"]+)"/g),
  ]
  const files = await Promise.all(names.map(([, name]) => get(app, `${url}${name}`, accept)))
  return [page, ...files]
}

const settingsOf = (html: string) =>
  JSON.parse(/<script id="settings"[^>]*>(.*?)<\/script>/.exec(html)?.[1] ?? '')

describe('The page', () => {
  it('needs at most 60 KB over the wire for the first screen, and 72 KB in German', async () => {
    const answers = await firstLoad(
      await host({ brand: { name: 'Northwind', tokens: { radius: '4px' } } }),
      '/integrations/',
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
    const bytes = answers.reduce((sum, { rawPayload }) => sum + rawPayload.length, 0)
    expect(bytes).toBeLessThan(60 * 1024)
    const german = Object.entries(files).filter(([name]) => name.startsWith('de-'))
    expect(german.map(([, text]) => text).join('').length).toBeGreaterThan(30 * 1024)
    const germanBytes = german.reduce((sum, [, text]) => sum + gzipSync(text).length, 0)
    expect(bytes + germanBytes).toBeLessThan(72 * 1024)
  })

  it('has a content policy that allows nothing inline, nothing evaluated and no other origin', async () => {
    const app = await host()
    for (const answer of await firstLoad(app, '/integrations/')) {
      const policy = String(answer.headers['content-security-policy'])
      expect(policy).not.toContain('unsafe')
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('complies with it: no inline script, no style attribute, no eval, no address of another origin', async () => {
    const app = await host({ brand: { name: 'Northwind' } })
    const files = await firstLoad(app, '/integrations/')
    for (const file of [
      ...files,
      await get(app, '/integrations/element.js', { 'accept-encoding': 'gzip' }),
    ]) {
      const text = gunzipSync(file.rawPayload).toString()
      const forbidden = /\beval\(|new Function\(|\bon(?:click|load|error)="|style="|dangerouslySetInnerHTML:/
      expect(forbidden.exec(text)?.[0]).toBeUndefined()
      const elsewhere = text.match(/\b(?:https?:)?\/\/[a-z0-9-]+\.[a-z0-9.-]+/gi) ?? []
      expect(elsewhere.filter((address) => !address.endsWith('//www.w3.org'))).toEqual([])
    }
  })

  it('keeps its own policy if the host sets another', async () => {
    const app = Fastify()
    onTestFinished(() => app.close())
    app.addHook(
      'onRequest',
      async (_, reply) => void reply.header('content-security-policy', "default-src 'unsafe-inline'"),
    )
    app.addHook(
      'onSend',
      async (_, reply) => void reply.header('content-security-policy', "default-src 'unsafe-inline'"),
    )
    await app.register(fastifyPortal, { integrations, prefix: '/integrations' })
    expect((await get(app, '/integrations/')).headers['content-security-policy']).toMatch(
      /^default-src 'none'/,
    )
  })

  it('has immutable files, and is itself revalidated', async () => {
    const app = await host()
    const [page, ...files] = await firstLoad(app, '/integrations/')
    expect(page?.headers['cache-control']).toBe('no-cache')
    const again = await get(app, '/integrations/', { 'if-none-match': String(page?.headers['etag']) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    for (const { headers } of files)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  it('is sent uncompressed to clients without gzip', async () => {
    const answer = await get(await host(), '/integrations/')
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toContain('<div id="portal">')
  })

  it.each([
    ['/integrations', '', {}, '../'],
    ['/app/settings/integrations', '', {}, '../../../'],
    ['/integrations', '/api', {}, '../api/'],
    ['/', '', {}, './'],
  ])('below %s finds the API at %j by a relative address', async (prefix, apiPrefix, server, apiUrl) => {
    const app = await host({ prefix, apiPrefix }, server)
    const page = await get(app, prefix === '/' ? '/' : `${prefix}/`)
    expect(settingsOf(page.body).apiUrl).toBe(apiUrl)
  })

  it('redirects to its address with a slash, also behind rewritten addresses', async () => {
    const app = await host(
      {},
      { rewriteUrl: ({ url = '' }) => url.replace(/^\/behind\/portal/, '/integrations') },
    )
    expect((await get(app, '/integrations?a=1')).headers.location).toBe('./integrations/?a=1')
    expect((await get(app, '/behind/portal')).headers.location).toBe('./portal/')
    expect((await get(app, '/behind/portal/')).statusCode).toBe(200)
  })

  it('lets no option end its element, its title or its style sheet', async () => {
    const evil = '</script><script>alert(1)</script>'
    const app = await host({ brand: { name: evil, tokens: { primary: 'oklch(0.6 0.2 20)' } } })
    const { body } = await get(app, '/integrations/')
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(settingsOf(body).brand.name).toBe(evil)
    const [theme] = /theme-[\w-]+\.css/.exec(body) ?? []
    expect((await get(app, `/integrations/${theme}`)).body).toContain('--primary: oklch(0.6 0.2 20);')
  })

  it('leads home and signs out where the host says', async () => {
    const app = await host({ homeUrl: '/app', signOutUrl: '/logout' })
    const { body } = await get(app, '/integrations/')
    expect(settingsOf(body)).toMatchObject({ homeUrl: '/app', signOutUrl: '/logout' })
  })

  it('shows organizations only to their members', async () => {
    const id = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
    const app = await host({
      resolveSession: ({ headers }) =>
        headers['x-member'] === undefined
          ? null
          : { memberId: 'ada', organizations: [{ id, role: 'admin' }] },
    })
    const refusal = await get(app, '/integrations/organizations')
    expect(refusal.statusCode).toBe(401)
    expect(refusal.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(refusal.headers['cache-control']).toBe('no-store')
    expect(refusal.json()).toMatchObject({
      type: 'urn:problem-type:quickquote:SESSION_REQUIRED',
      status: 401,
      title: expect.any(String),
      detail: expect.any(String),
      instance: expect.any(String),
      code: 'SESSION_REQUIRED',
    })
    const answer = await get(app, '/integrations/organizations', { 'x-member': 'ada' })
    expect(answer.json()).toEqual([{ id, name: null }])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it.each<[string, number, string, () => never | unknown]>([
    ['never answers', 503, 'SERVICE_UNAVAILABLE', () => new Promise(() => {})],
    [
      'throws',
      503,
      'SERVICE_UNAVAILABLE',
      () => {
        throw new Error('the session store is away: secret')
      },
    ],
    ['answers something else', 500, 'INTERNAL_ERROR', () => ({ user: 'ada' })],
    [
      'throws an error with status 401',
      401,
      'SESSION_REQUIRED',
      () => {
        throw Object.assign(new Error(), { statusCode: 401 })
      },
    ],
  ])(
    'answers for a resolver that %s with %i and %s',
    async (_, status, code, resolve) => {
      const app = await host({ resolveSession: resolve as FastifyPortalOptions['resolveSession'] & object })
      const answer = await get(app, '/integrations/organizations')
      expect([answer.statusCode, answer.json().code]).toEqual([status, code])
      expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined)
      expect(answer.body).not.toContain('secret')
    },
    60_000,
  )
})

const WRONG: [object, string][] = [
  [{ integrations: undefined }, 'integrations is missing'],
  [{ apiPrefix: 'api/' }, 'apiPrefix must be a path'],
  [{ features: ['keys'] }, 'features may contain: api-keys, endpoints'],
  [{ locale: 'not a tag' }, 'locale must be a language tag'],
  [{ frameAncestors: ["'self'; script-src *"] }, 'frameAncestors must be a list of sources'],
  [
    { brand: { name: 'N', tokens: { primary: 'red; } * { color: red' } } },
    'brand.tokens.primary must be one CSS value',
  ],
  [{ brand: { name: 'N', theme: 'sepia' } }, 'brand.theme must be one of: auto, light, dark'],
  [{ brand: { name: 'N', tokens: { 'a:b': 'red' } } }, 'a:b is not a valid custom property name'],
  [{ brand: { nam: 'N' } }, 'brand.nam is not an option. Did you mean name?'],
  [{ brand: {} }, 'brand.name must be the name of your product'],
  [{ brand: { name: 7 } }, 'brand.name must be the name of your product'],
  [{ brand: { name: 'N', logo: 'javascript:alert(1)' } }, 'brand.logo must be the URL of an image'],
  [{ brand: { name: 'N', logo: 'data:text/html,<p>' } }, 'brand.logo must be the URL of an image'],
  [{ logo: 'x' }, 'logo is not an option. Options: '],
  [{ readonly: true }, 'readonly is not an option. Did you mean readOnly?'],
  [{ readOnly: 'yes' }, 'readOnly must be true or false'],
  [{ messages: { de: 'texts' } }, 'messages must be texts by language and key'],
  [{ messages: { 'not a tag': {} } }, 'messages must be texts by language and key'],
  [
    { messages: { de: { 'nav.delivery': 'x' } } },
    "messages.de: the portal has no text 'nav.delivery'. Did you mean nav.deliveries?",
  ],
  [{ messages: { de: { 'nav.api-keys': 5 } } }, 'messages.de.nav.api-keys must be a text, or an object'],
  [{ messages: { de: { 'nav.api-keys': { one: 5 } } } }, 'messages.de.nav.api-keys.one must be a text.'],
  [{ messages: { de: { 'nav.api-keys': { one: 'x' } } } }, 'messages.de.nav.api-keys.other must be a text.'],
  [{ messages: { de: { 'nav.api-keys': { ones: 'x' } } } }, 'ones is not an option. Did you mean one?'],
  [{ signInUrl: new URL('https://acme.example/login') }, 'signInUrl must be an address'],
  [{ signInUrl: 'javascript:alert(1)' }, 'signInUrl must be an address'],
  [{ resolveSession: null }, 'resolveSession must be a function'],
  [{ apiReferenceUrl: 5 }, 'apiReferenceUrl must be an address'],
  [{ apiReferenceUrl: 'localhost:3000/api-docs' }, 'apiReferenceUrl must be an address'],
  [{ homeUrl: '' }, 'homeUrl must be an address'],
  [{ homeUrl: '/ app' }, 'homeUrl must be an address'],
  [{ signOutUrl: null }, 'signOutUrl must be an address'],
  [{ signOutUrl: 'java\tscript:alert(1)' }, 'signOutUrl must be an address'],
]

describe('The portal', () => {
  it.each([
    { messages: { pl: { 'nav.deliveries': 'Dostawy', 'keys.title': { few: 'klucze', other: 'klucza' } } } },
    { messages: { de: { 'detail: self-signed certificate': 'selbst signiert' } } },
    { signInUrl: '/login?next={url}' },
    { signInUrl: 'https://login.acme.example/?next={url}' },
    { homeUrl: '../app#top', brand: { name: 'N', logo: './logo.svg' } },
    { brand: { name: 'N', logo: 'data:image/svg+xml,<svg viewBox="0 0 1 1"/>' } },
  ])('accepts %j', async (options) => {
    const app = await host(options)
    expect(settingsOf((await get(app, '/integrations/')).body)).toMatchObject(options)
  })

  const ofFastify = ['prefix', 'logLevel', 'logSerializers']
  itRefuses(host, WRONG, { owner: 'fastifyPortal: ', untried: ofFastify })
})
