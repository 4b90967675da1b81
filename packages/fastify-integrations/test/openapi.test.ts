import { ERRORS, EVENT_TYPES } from '@quickquote/core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { operationsOf } from '../src/openapi/openapi-shape.ts'
import { routeTable } from '../src/route-table.ts'
import { openHost, useDatabase, useHost } from './support/host.ts'
import { type Operation, openApiCheck } from './support/openapi-check.ts'

const database = useDatabase()
const context = useHost()

const statusesOf = (operation?: Operation) => Object.keys(operation?.responses ?? {}).join(' ')

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate({ ...context.host.openapi })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('has its license, its servers, and a description of each tag', () => {
    const { info, servers, tags, paths, webhooks } = context.host.openapi
    expect(info).not.toHaveProperty('license')
    expect(servers).toMatchObject([{ url: '/' }])
    const used = operationsOf({ ...paths, ...webhooks }).flatMap((operation) => operation.tags)
    expect([...new Set(used)].sort()).toEqual(tags.map(({ name }) => name).sort())
  })

  it('says of each operation more than its summary', () => {
    const operations = operationsOf(context.host.openapi.paths)
    const silent = operations.filter(({ description }) => !description?.trim())
    expect(silent.map(({ operationId }) => operationId)).toEqual([])
  })

  it('has one schema for each title', () => {
    const { schemas } = context.host.openapi.components
    expect(Object.keys(schemas).filter((name) => /_\d+$/.test(name))).toEqual([])
  })

  it('has every row of the route table, and nothing else', () => {
    const rows = routeTable(context.host.integrations, { apiKeyRoutes: true }).flatMap(({ prefix, routes }) =>
      routes.map(({ method, url }) => `${method} ${(prefix + url).replace(/:(\w+)/g, '{$1}')}`),
    )
    const documented = operationsOf(context.host.openapi.paths).map(
      ({ method, path }) => `${method.toUpperCase()} ${path}`,
    )
    expect(documented.sort()).toEqual(rows.sort())
  })

  it('documents the access, the input, and every status with its codes, for each route', () => {
    const start = context.host.openapi.paths['/v1/integrations/quotations']?.['post']
    expect(start).toMatchObject({ operationId: 'startQuotation', security: [{ apiKey: [] }] })
    expect(Object.keys(start?.requestBody?.content ?? {})).toEqual(['application/json'])
    const form = context.host.openapi.paths['/v1/integrations/quotations/files']?.['post']
    expect(Object.keys(form?.requestBody?.content ?? {})).toEqual(['multipart/form-data'])
    expect({ ...form?.responses, ...form?.parameters }).toEqual({ ...start?.responses, ...start?.parameters })
    expect(start?.parameters).toMatchObject([{ in: 'header', name: 'Idempotency-Key', required: false }])
    expect(statusesOf(start)).toBe('202 400 401 403 409 413 415 422 429 500 503')
    const read = context.host.openapi.paths['/v1/integrations/quotations/{id}']?.['get']
    expect(statusesOf(read)).toBe('200 400 401 403 404 429 500 503')
    expect(read?.requestBody).toBeUndefined()
    const webhook = context.host.openapi.paths['/v1/organizations/{organizationId}/webhooks']?.['post']
    expect(webhook).toMatchObject({ security: [{ session: [] }] })
    expect(statusesOf(webhook)).toBe('201 400 401 403 409 413 415 500 503')
  })

  it('has the seven events as webhooks, with the headers of a delivery', () => {
    expect(Object.keys(context.host.openapi.webhooks)).toEqual(EVENT_TYPES)
    for (const { post } of Object.values(context.host.openapi.webhooks)) {
      expect(post.parameters).toMatchObject(
        ['Event-Id', 'Event-Type', 'Event-Sequence', 'Timestamp', 'Signature', 'Signature-Previous'].map(
          (name) => ({
            in: 'header',
            name: `X-Service-${name}`,
          }),
        ),
      )
    }
  })

  it('has valid examples', () => {
    const { check, document } = openApiCheck(context.host.openapi)
    let count = 0
    for (const operation of operationsOf({ ...document.paths, ...document.webhooks })) {
      const { operationId, requestBody, responses } = operation
      for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
        for (const [mediaType, { schema, examples = {} }] of Object.entries(content)) {
          const what = `${mediaType} of ${operationId}`
          expect(Object.keys(examples), what).not.toEqual([])
          for (const { value } of Object.values(examples)) check(schema, value, what)
          count += Object.keys(examples).length
        }
      }
    }
    expect(count).toBeGreaterThan(200)
  })

  it('uses the host’s product name', async () => {
    const host = await openHost({ databaseUrl: database.url, integrations: { productName: 'Acme' } })
    expect(JSON.stringify(host.openapi.webhooks)).toContain('X-Acme-Signature')
  })
})

describe('the error table of core', () => {
  const codes = Object.keys(ERRORS).sort()

  it('matches the codes in the OpenAPI document', () => {
    expect(
      [...(context.host.openapi.components.schemas['Problem']?.properties?.['code']?.enum ?? [])].sort(),
    ).toEqual(codes)
  })
})

describe('/api-docs', () => {
  describe.each(['/api-docs', '/api-docs/', '/api-docs/partners', '/api-docs/members/'])('%s', (path) => {
    it('is a page served entirely by this server, under a strict Content-Security-Policy', async () => {
      const page = await context.host.call('GET', path)
      expect(page.status).toBe(200)
      const html = String(page.body['text'])
      const policy = String(page.headers.get('content-security-policy'))
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/https?:|unsafe/)
      expect(html).not.toMatch(/<style|style=|<script>|<script [^>]*>[^<\s]|https?:\/\//)
      const parts = [...html.matchAll(/<(?:link|script) [^>]*(?:src|href)="(?!data:)([^"]+)"/g)]
      expect(parts).toHaveLength(3)
      for (const [, part = ''] of parts) {
        const url = new URL(part, context.host.url + path)
        expect(url.href).toMatch(`${context.host.url}/api-docs/`)
        expect((await fetch(url)).status).toBe(200)
      }
    })
  })

  it('serves the document as JSON and as YAML', async () => {
    expect((await context.host.call('GET', '/api-docs/json')).body).toMatchObject({ openapi: '3.1.0' })
    expect((await context.host.call('GET', '/api-docs/yaml')).body['text']).toMatch(/^openapi: 3\.1\.0/)
  })

  it('can be moved', async () => {
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { apiDocs: { path: '/developers/api' } },
    })
    expect((await host.call('GET', '/developers/api')).status).toBe(200)
    expect((await host.call('GET', '/developers/api/json')).body).toMatchObject({ openapi: '3.1.0' })
    expect((await host.call('GET', '/api-docs')).status).toBe(404)
  })

  it('documents how the host’s sessions are sent', async () => {
    const sessionScheme = { type: 'http', scheme: 'bearer' } as const
    const host = await openHost({ databaseUrl: database.url, plugin: { apiDocs: { sessionScheme } } })
    expect(host.openapi.components).toMatchObject({ securitySchemes: { session: sessionScheme } })
  })

  it('can be turned off', async () => {
    const host = await openHost({ databaseUrl: database.url, plugin: { apiDocs: false } })
    expect((await host.call('GET', '/api-docs')).status).toBe(404)
    expect((await host.call('GET', '/v1/integrations/quotations')).status).toBe(401)
  })
})
