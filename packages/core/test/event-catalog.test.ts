import { hostOptions, NOWHERE } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { Type } from '@sinclair/typebox'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  createIntegrations,
  defineEvents,
  EVENT_TYPES,
  type Integrations,
  type IntegrationsOptions,
} from '../src/internal.ts'
import { createEventCatalog, eventCatalogOf } from '../src/model/event-catalog.ts'
import { createWebhookEvent } from '../src/model/webhook-event.ts'

const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
const PROJECT = '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d'

const projectEvents = defineEvents({
  'project.created': {
    description: 'A project was created.',
    data: Type.Object({ project_id: Type.String({ format: 'uuid' }), budget: Type.Optional(Type.Integer()) }),
    example: { project_id: PROJECT },
  },
  'project.milestone.reached': {
    description: 'A milestone of a project was reached.',
    data: Type.Object({
      project_id: Type.String({ format: 'uuid' }),
      milestone: Type.String({ default: 'none' }),
    }),
    example: { project_id: PROJECT, milestone: 'beta' },
  },
})

const catalog = createEventCatalog(projectEvents)
const storage = drizzleStorage({ connectionString: NOWHERE })
const created = {
  type: 'project.created',
  organizationId: ORGANIZATION,
  generationSource: 'api_key' as const,
  now: new Date('2026-11-21T10:00:00.000Z'),
}

describe('the event catalog', () => {
  it('lists the events of the specification, then the host’s', () => {
    expect(catalog.types).toEqual([...EVENT_TYPES, 'project.created', 'project.milestone.reached'])
    expect(eventCatalogOf(catalog, ORGANIZATION).at(-1)).toEqual({
      type: 'project.milestone.reached',
      description: 'A milestone of a project was reached.',
      example: {
        id: expect.stringMatching(/^evt_/),
        type: 'project.milestone.reached',
        created_at: expect.any(Date),
        organization_id: ORGANIZATION,
        data: { project_id: PROJECT, milestone: 'beta' },
      },
    })
  })

  it('wraps the host’s events in the envelope of the specification', () => {
    const event = createWebhookEvent(catalog, { ...created, data: { project_id: PROJECT } })
    expect(JSON.parse(event.body)).toEqual({
      id: `evt_${event.id}`,
      type: 'project.created',
      created_at: '2026-11-21T10:00:00.000Z',
      organization_id: ORGANIZATION,
      data: { project_id: PROJECT },
    })
    expect(event.quotation_id).toBeNull()
  })

  it('fills in defaults, and takes the quotation from the data if it is there', () => {
    const type = 'project.milestone.reached'
    const data = { project_id: PROJECT, quotation_id: PROJECT.toUpperCase() }
    const event = createWebhookEvent(catalog, { ...created, type, data })
    expect(JSON.parse(event.body).data).toMatchObject({ milestone: 'none' })
    expect(event.quotation_id).toBe(PROJECT.toUpperCase())
    const odd = createWebhookEvent(catalog, { ...created, type, data: { ...data, quotation_id: '17' } })
    expect(odd.quotation_id).toBeNull()
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each([
    ['a missing field', {}, '/data/project_id', 'is required'],
    ['an invalid field', { project_id: 17 }, '/data/project_id', 'must be a string'],
    ['no data', undefined, '/data', 'is required'],
    ['data that is not an object', 'text', '/data', 'must be an object'],
    ['a list', [], '/data', 'must be an object'],
    ['data that JSON cannot represent', circular, '/data', 'cannot be serialized as JSON'],
  ])('refuses %s, and names the field', (_, data, pointer, detail) => {
    const make = () => createWebhookEvent(catalog, { ...created, data })
    expect(make).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED', errors: [{ pointer, detail }] }),
    )
    expect(make).toThrow(`project.created: ${pointer}: ${detail}`)
  })

  it('refuses an oversized body', () => {
    const data = { project_id: PROJECT, note: 'x'.repeat(64 * 1024) }
    expect(() => createWebhookEvent(catalog, { ...created, data })).toThrow(
      '/data: must be at most 65536 bytes',
    )
  })
})

describe('an invalid declaration fails at startup and says how to fix it', () => {
  const data = Type.Object({ project_id: Type.String() })
  const definition = { description: 'A project.', data, example: { project_id: '1' } }

  it.each([
    ['quotation.completed', definition, "events['quotation.completed']: quotation.* events are built in"],
    ['quotation.archived', definition, 'Choose another name'],
    ['project', definition, 'a name looks like project.created'],
    ['Project.Created', definition, 'a name looks like project.created'],
    ['project.created\r\nX-Evil', definition, 'a name looks like project.created'],
    [`project.${'x'.repeat(100)}`, definition, 'at most 100 characters'],
    ['project.created', { ...definition, description: '' }, 'description is missing'],
    ['project.created', { ...definition, data: undefined }, 'data is missing'],
    ['project.created', { ...definition, example: undefined }, 'example is required'],
    ['project.created', { ...definition, example: {} }, 'example/project_id is required'],
    [
      'project.created',
      { ...definition, data: Type.String(), example: 'text' },
      'data must be the schema of an object',
    ],
    [
      'project.created',
      { ...definition, data: { type: 'object', required: 'all' } },
      'data is not a usable JSON Schema',
    ],
    ['project.created', { ...definition, data: { type: 'object', propertis: {} } }, 'propertis'],
  ])('%s', (type, wrong, message) => {
    const events = { [type]: wrong } as unknown as typeof projectEvents
    const create = () => createIntegrations({ ...hostOptions, storage, events })
    expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    expect(create).toThrow(message)
  })
})

describe('the compiler checks', () => {
  type Host = Integrations<typeof projectEvents>
  const emit: Host['emit'] = async () => 'evt_'
  const organizationId = ORGANIZATION

  it('emitted events', () => {
    expectTypeOf<Parameters<Host['emit']>[0]>().toEqualTypeOf<
      'project.created' | 'project.milestone.reached'
    >()
    void emit('project.created', { organizationId, data: { project_id: PROJECT, budget: 1 } })
    // @ts-expect-error the type is not declared
    void emit('project.deleted', { organizationId, data: {} })
    // @ts-expect-error only the reporter emits quotation events
    void emit('quotation.completed', { organizationId, data: {} })
    // @ts-expect-error project_id is missing
    void emit('project.created', { organizationId, data: {} })
    // @ts-expect-error budget is a number
    void emit('project.created', { organizationId, data: { project_id: PROJECT, budget: 'much' } })
    // @ts-expect-error the schema has no such field
    void emit('project.created', { organizationId, data: { project_id: PROJECT, owner: 'me' } })
    // @ts-expect-error the data of another event
    void emit('project.milestone.reached', { organizationId, data: { project_id: PROJECT } })
    // @ts-expect-error an event belongs to an organization
    void emit('project.created', { data: { project_id: PROJECT } })
  })

  it('emitted events inside a transaction', () => {
    expectTypeOf<ReturnType<Host['within']>['emit']>().toEqualTypeOf<Host['emit']>()
  })

  it('that nothing can be emitted without a declaration', () => {
    expectTypeOf<Parameters<Integrations['emit']>[0]>().toBeNever()
  })

  it('emitted events of a host whose other options come from its tests', () => {
    const own = { ...hostOptions, storage, events: projectEvents }
    const open = (options: Partial<IntegrationsOptions>) => createIntegrations({ ...own, ...options })
    expectTypeOf<Parameters<ReturnType<typeof open>['emit']>[0]>().toBeString()
    const openTyped = (options: Partial<IntegrationsOptions<typeof projectEvents>>) =>
      createIntegrations({ ...own, ...options })
    expectTypeOf<ReturnType<typeof openTyped>['emit']>().toEqualTypeOf<Host['emit']>()
    const openPlain = () => createIntegrations({ ...hostOptions, storage })
    expectTypeOf<Parameters<ReturnType<typeof openPlain>['emit']>[0]>().toBeNever()
  })

  it('no events in the integrations that the plugin and the worker accept', () => {
    const take = (_: Integrations) => {}
    void ((host: Host) => take(host))
  })

  it('each example against its schema', () => {
    defineEvents({
      'project.created': {
        description: 'A project was created.',
        data: Type.Object({ project_id: Type.String() }),
        // @ts-expect-error project_id is text
        example: { project_id: 17 },
      },
    })
  })

  it('a JSON Schema by its given type', () => {
    const events = defineEvents({
      'invoice.paid': {
        description: 'An invoice was paid.',
        data: Type.Unsafe<{ invoice_id: string }>({ type: 'object', required: ['invoice_id'] }),
        example: { invoice_id: '1' },
      },
    })
    expectTypeOf<Parameters<Integrations<typeof events>['emit']>[1]['data']>().toEqualTypeOf<{
      invoice_id: string
    }>()
  })
})
