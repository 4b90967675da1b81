import { describe, expect, it } from 'vitest'
import { operationsOf } from '../src/openapi/openapi-shape.ts'
import { useHost } from './support/host.ts'
import type { OpenApiDocument } from './support/openapi-check.ts'

const context = useHost({ plugin: { publicUrl: 'https://api.example.com/quotes' } })

type Node = Record<string, unknown>

/** All schemas and other objects below a node, without examples, which are data. */
function nodesIn(node: unknown): Node[] {
  if (typeof node !== 'object' || node === null) return []
  const inner = Object.entries(node).filter(([name]) => !['example', 'value'].includes(name))
  return [node as Node, ...inner.flatMap(([, each]) => nodesIn(each))]
}

const DOCUMENTS = ['json', 'openapi-3.0.json', 'partners/json', 'partners/openapi-3.0.json', 'members/json']

describe.each(DOCUMENTS)('What generators need, in /api-docs/%s', (name) => {
  const read = async () => {
    const response = await fetch(`${context.host.url}/api-docs/${name}`)
    return (await response.json()) as OpenApiDocument
  }

  it('is a type beside every enum and constant', async () => {
    const untyped = nodesIn(await read()).filter(
      (node) => (Array.isArray(node['enum']) || 'const' in node) && node['type'] === undefined,
    )
    expect(untyped).toEqual([])
  })

  it('is an example of every parameter in a path, of the right resource', async () => {
    const { paths } = await read()
    const examples = new Map<string, unknown>()
    for (const { path, parameters = [] } of operationsOf(paths)) {
      for (const { name, example } of parameters.filter((each) => each.in === 'path')) {
        const [, resource] = new RegExp(`([\\w-]+)/\\{${name}\\}`).exec(path) ?? []
        expect([path, name, example]).toEqual([path, name, expect.stringMatching(/^[\da-f-]{36}$/)])
        expect(examples.get(String(resource)) ?? example).toBe(example)
        examples.set(String(resource), example)
      }
    }
    expect(new Set(examples.values()).size).toBe(examples.size)
  })

  it('is no component that nothing refers to', async () => {
    const { components, ...document } = await read()
    const { securitySchemes: _, ...shared } = components
    const all = JSON.stringify([document, components])
    for (const [kind, parts] of Object.entries(shared)) {
      const unused = Object.keys(parts).filter((part) => !all.includes(`"#/components/${kind}/${part}"`))
      expect([kind, unused]).toEqual([kind, []])
    }
  })

  it('is an address, and the security of an audience', async () => {
    const { servers, security } = await read()
    expect(servers).toEqual([{ url: 'https://api.example.com/quotes' }])
    const audience = name.split('/')[0]
    const schemes = { partners: [{ apiKey: [] }], members: [{ session: [] }] }
    expect(security).toEqual(schemes[audience as keyof typeof schemes])
  })

  it('is one media type for each body, and metadata that takes any key, in a form as text', async () => {
    const { components, paths } = await read()
    const bodies = nodesIn(paths).filter(({ requestBody }) => requestBody !== undefined)
    for (const { requestBody } of bodies) {
      expect(Object.keys((requestBody as { content: object }).content)).toHaveLength(1)
    }
    if (name.startsWith('members')) return
    const { StartQuotation, StartQuotationForm } = components.schemas
    expect(StartQuotation?.properties?.['metadata']).toMatchObject({ additionalProperties: true })
    expect(StartQuotationForm?.properties?.['metadata']).toMatchObject({ type: 'string' })
  })

  it('is what a filter takes', async () => {
    const { paths } = await read()
    const parameters = operationsOf(paths).flatMap((operation) => operation.parameters ?? [])
    for (const list of parameters.filter(({ schema }) => schema.type === 'array')) {
      expect(list).toMatchObject({ style: 'form', explode: false })
    }
    const parameterOf = (path: string, name: string) =>
      paths[path]?.['get']?.parameters?.find((each) => each.name === name)
    if (!name.startsWith('members')) {
      expect(parameterOf('/v1/integrations/events', 'types')).toMatchObject({
        style: 'form',
        explode: false,
        schema: {
          type: 'array',
          items: { type: 'string', enum: context.host.integrations.settings.events.types },
        },
      })
    }
    if (name.startsWith('partners')) return
    const log = '/v1/organizations/{organizationId}/webhooks/deliveries'
    const pattern = new RegExp(String(parameterOf(log, 'http_status')?.schema.pattern))
    expect(['404', '5xx', 'none', '099', '6xx', '5XX', '4040'].filter((each) => pattern.test(each))).toEqual([
      '404',
      '5xx',
      'none',
    ])
  })
})
