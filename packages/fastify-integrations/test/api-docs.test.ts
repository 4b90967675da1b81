import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { mapNodes, operationsOf } from '../src/openapi/openapi-shape.ts'
import { openHost, useDatabase, useHost } from './support/host.ts'
import type { OpenApiDocument } from './support/openapi-check.ts'

const context = useHost()
const database = useDatabase()

/** The address of the page's script or style. */
const partOf = (html: string, extension: string) =>
  String(new RegExp(`(?:src|href)="([^"]+\\.${extension})"`).exec(html)?.[1])

const get = (path: string) => fetch(context.host.url + path)
const documentAt = async (path: string) => (await (await get(path)).json()) as OpenApiDocument

/** Each operation as `METHOD /path`. */
const routesOf = ({ paths }: OpenApiDocument) =>
  operationsOf(paths).map(({ method, path }) => `${method.toUpperCase()} ${path}`)

describe('the documentation', () => {
  it.each([
    ['partners', 'apiKey', ['Connection', 'Quick Quotes', 'Proposals', 'Events']],
    ['members', 'session', ['API keys', 'Webhooks', 'Members', 'Audit log']],
  ])('has a page and a document for %s only', async (audience, scheme, tags) => {
    const page = await get(`/api-docs/${audience}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const document = await documentAt(`/api-docs/${audience}/json`)
    expect((await new Validator().validate({ ...document })).errors).toBeUndefined()
    const schemes = operationsOf(document.paths).flatMap(({ security = [] }) => security.flatMap(Object.keys))
    expect([...new Set(schemes)]).toEqual([scheme])
    expect(Object.keys(document.components.securitySchemes)).toEqual([scheme])
    expect(document.tags.map(({ name }) => name).sort()).toEqual(expect.arrayContaining(tags.sort()))
    expect(document.webhooks !== undefined).toBe(audience === 'partners')
    // No schema of other audiences, because generators would include it.
    const all = JSON.stringify(document)
    const { schemas } = document.components
    expect(Object.keys(schemas).filter((name) => !all.includes(`"#/components/schemas/${name}"`))).toEqual([])
  })

  it('has each route on the page for partners or on that for members, and all of them in one document', async () => {
    const [all, partners, members] = [
      await documentAt('/api-docs/json'),
      await documentAt('/api-docs/partners/json'),
      await documentAt('/api-docs/members/json'),
    ]
    expect([...routesOf(partners), ...routesOf(members)].sort()).toEqual(routesOf(all).sort())
  })

  it.each([
    ['/api-docs/json', '/api-docs/openapi-3.0.json'],
    ['/api-docs/partners/json', '/api-docs/partners/openapi-3.0.json'],
  ])('has %s as valid OpenAPI 3.0, with the same routes', async (path, older) => {
    const [current, converted] = [await documentAt(path), await documentAt(older)]
    const validator = new Validator()
    expect((await validator.validate({ ...converted })).errors).toBeUndefined()
    expect(validator.version).toBe('3.0')
    expect(routesOf(converted)).toEqual(routesOf(current))
    expect(converted.components.schemas['Quotation']?.properties).toMatchObject({
      error_code: { type: 'string', nullable: true },
      created_at: { type: 'string', format: 'date-time' },
    })
    expect(JSON.stringify(converted)).not.toMatch(/"type":\[|"null"/)
    // Without a type beside it, it means nothing.
    mapNodes(converted, (node) => {
      if ('nullable' in node) expect(node).toHaveProperty('type')
      return node
    })
  })

  it('has llms.txt, with every route and links to the documents', async () => {
    const answer = await get('/api-docs/llms.txt')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const text = await answer.text()
    expect(text).toMatch(/^# Quick Quote integrations\n\n> Start and read Quick Quotes/)
    for (const route of routesOf(await documentAt('/api-docs/json'))) expect(text).toContain(`\`${route}\`: `)
    const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link]) => link)
    expect(links).toHaveLength(4)
    for (const link of links) expect((await get(String(link))).status).toBe(200)
  })

  it.each(['', '/partners', '/members'])(
    'introduces what applies to all routes: /api-docs%s',
    async (page) => {
      const { description } = (await documentAt(`/api-docs${page}/json`)).info
      const topics = [...description.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, topic]) => topic)
      expect(topics).toEqual(['Authentication', 'Limits', 'Idempotency', 'IDs', 'Errors', 'Verification'])
      expect(description).toContain('60 requests in any 60 seconds, 10 of them starts')
    },
  )

  it.each(['script', 'style'])('sends the %s compressed, once for all pages and for good', async (kind) => {
    const extension = kind === 'script' ? 'js' : 'css'
    const urls = await Promise.all(
      ['/api-docs', '/api-docs/partners', '/api-docs/members/'].map(async (path) =>
        String(new URL(partOf(await (await get(path)).text(), extension), context.host.url + path)),
      ),
    )
    expect(new Set(urls).size).toBe(1)
    const [url = ''] = urls
    const answer = await fetch(url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    const plain = await fetch(url, { headers: { 'Accept-Encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(await answer.text())
    expect((await fetch(url.replace(/[^/]+(?=\.\w+$)/, 'page-00000000'))).status).toBe(404)
  })

  it.each([
    '/api-docs',
    '/api-docs/json',
    '/api-docs/yaml',
    '/api-docs/partners/json',
    '/api-docs/openapi-3.0.json',
    '/api-docs/llms.txt',
  ])('sends %s compressed, and again only if it has changed', async (path) => {
    const { status, headers } = await get(path)
    expect(status).toBe(200)
    expect(headers.get('content-encoding')).toBe('gzip')
    expect(headers.get('cache-control')).toBe('no-cache')
    const etag = String(headers.get('etag'))
    // A proxy may mark it as weak; a client may have several.
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`]) {
      for (const method of ['GET', 'HEAD']) {
        const again = await fetch(context.host.url + path, { method, headers: { 'If-None-Match': known } })
        expect([again.status, await again.text()]).toEqual([304, ''])
      }
    }
    const changed = await fetch(context.host.url + path, { headers: { 'If-None-Match': '"another"' } })
    expect(changed.status).toBe(200)
  })

  it.each([
    ['gzip;q=0.05, br', 'gzip'],
    ['gzip;q=0, br', null],
    ['br, gzip ; q=0.000', null],
  ])('is compressed for clients that accept it: %s', async (accepted, encoding) => {
    const { headers } = await fetch(`${context.host.url}/api-docs/json`, {
      headers: { 'Accept-Encoding': accepted },
    })
    expect(headers.get('content-encoding')).toBe(encoding)
  })

  it("has the host's own title, description, logo and license line", async () => {
    const own = {
      title: 'Acme Quotes',
      description: 'Quotes by *Acme*.',
      logo: { type: 'image/svg+xml', content: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      license: { name: 'Terms of Acme', url: 'https://acme.example/terms' },
      brand: { name: 'Acme & Sons', theme: 'dark', tokens: { primary: 'teal' } },
      homeUrl: '/app?from="docs"',
    } as const
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { prefix: '/acme', apiDocs: { path: '/docs', ...own } },
      // The helper looks for the document there.
      before: (app) => void app.get('/acme/api-docs/json', async () => ({})),
    })
    for (const page of ['/acme/docs', '/acme/docs/partners', '/acme/docs/members']) {
      const { info } = (await (await fetch(`${host.url}${page}/json`)).json()) as OpenApiDocument
      expect(info).toMatchObject({ title: own.title, license: own.license })
      expect(info.description).toMatch(/^Quotes by \*Acme\*\.\n\n\*\*Authentication\.\*\* /)
      const html = await (await fetch(host.url + page)).text()
      expect(html).toContain('<title>Acme Quotes</title>')
      expect(html).toContain('<a href="/app?from=&quot;docs&quot;">')
      expect(html).toContain('<strong>Acme &amp; Sons</strong>')
      const css = await (await fetch(new URL(partOf(html, 'css'), host.url + page))).text()
      expect(css).toContain(Buffer.from(own.logo.content).toString('base64'))
      expect(css).toMatch(/:root:root \{\s+color-scheme: dark;\s+--primary: teal;/)
      expect(css).not.toContain('@media (prefers-color-scheme: dark)')
    }
    expect(await (await fetch(`${host.url}/acme/docs/llms.txt`)).text()).toMatch(
      /^# Acme Quotes\n\n> Quotes by/,
    )
  })

  it('has no license line if the host wants none', async () => {
    const host = await openHost({ databaseUrl: database.url, plugin: { apiDocs: { license: null } } })
    expect(host.openapi.info.license).toBeUndefined()
  })

  it('has the tokens of the portal', () => {
    const tokensOf = (path: string) => {
      const css = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
      return css.slice(0, css.indexOf('}')).match(/--[\w-]+: .*;/g)
    }
    const own = tokensOf('fastify-integrations/browser/api-docs.css')
    expect(own?.length).toBeGreaterThan(10)
    expect(tokensOf('portal/ui/style.css')).toEqual(expect.arrayContaining(own ?? []))
  })
})
