import { randomBytes, randomUUID } from 'node:crypto'
import type { NewQuotation, PageRequest } from '@quickquote/core'
import { ANY_QUOTATION } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { EXPORT_PARTS } from '../../core/src/storage/export.ts'
import { openDatabase } from './support/database.ts'
import { type Everything, everything, rowsOf } from './support/organization-samples.ts'
import {
  ANY_ATTEMPT,
  MANY_KEYS,
  sampleApiKey,
  sampleAuditEntry,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleSecret,
  sampleSecrets,
} from './support/samples.ts'

const database = await openDatabase()
const { sql, storage } = database

/** An organization with one of everything. */
async function organization() {
  const id = randomUUID()
  const quotation = sampleQuotation({ organization_id: id })
  const proposal = { id: randomUUID(), name: 'Offer', document_id: null }
  await storage.quotations.accept(quotation, null)
  await storage.quotations.saveProgress(id, quotation.id, { status: 'running', proposal }, new Date())
  return { id, quotationId: quotation.id, proposalId: proposal.id }
}

type Organization = Awaited<ReturnType<typeof organization>>

/** The look-ups by id: the result for an organization, and the id of what it should find. */
const LOOKUPS: Record<string, (organizationId: string, of: Organization) => Promise<unknown>> = {
  findQuotation: (organizationId, of) => storage.quotations.find(organizationId, of.quotationId),
  findPipelineStatus: (organizationId, of) =>
    storage.quotations.findPipelineStatus(organizationId, of.quotationId),
  findProposalOfQuotation: (organizationId, of) =>
    storage.quotations.findProposalOf(organizationId, of.quotationId),
  findProposal: (organizationId, of) => storage.quotations.findProposal(organizationId, of.proposalId),
}

describe.each(Object.entries(LOOKUPS))('%s', (_, find) => {
  it('finds rows of the organization', async () => {
    const own = await organization()
    expect(await find(own.id, own)).toBeTypeOf('object')
    expect(await find(own.id.toUpperCase(), own)).toBeTypeOf('object')
  })

  it('distinguishes rows of another organization (403) from missing ones (404)', async () => {
    const [own, other] = [await organization(), await organization()]
    expect(await find(own.id, other)).toBe('other_organization')
    expect(await find(own.id, { ...own, quotationId: randomUUID(), proposalId: randomUUID() })).toBe(
      'unknown',
    )
  })
})

it('quotations.findProposalOf distinguishes a quotation without a proposal from a missing one', async () => {
  const quotation = sampleQuotation()
  await storage.quotations.accept(quotation, null)

  expect(await storage.quotations.findProposalOf(quotation.organization_id, quotation.id)).toBeNull()
  expect(await storage.quotations.findProposalOf(randomUUID(), quotation.id)).toBe('other_organization')
})

it('saveProgress changes nothing in another organization', async () => {
  const [own, other] = [await organization(), await organization()]
  const before = await storage.quotations.findPipelineStatus(other.id, other.quotationId)

  await storage.quotations.saveProgress(
    own.id,
    other.quotationId,
    {
      status: 'failed',
      error_code: 'STOLEN',
      step: { step: 'requirement_analysis', status: 'failed', error_code: null },
      proposal: { id: other.proposalId, name: 'Stolen', document_id: randomUUID() },
    },
    new Date(),
  )

  expect(await storage.quotations.findPipelineStatus(other.id, other.quotationId)).toEqual(before)
  expect(await storage.quotations.findProposal(other.id, other.proposalId)).toMatchObject({
    name: 'Offer',
    document_id: null,
  })
})

it('events.record reaches only the endpoints of its organization', async () => {
  const [own, other] = [sampleEndpoint(), sampleEndpoint()]
  for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)

  const event = sampleEvent({ organization_id: own.organization_id })
  await storage.events.record(event)

  expect(
    await sql`select organization_id, endpoint_id from quickquote.deliveries where event_id = ${event.id}`,
  ).toEqual([{ organization_id: own.organization_id, endpoint_id: own.id }])
})

it('deliveryLog.findBody finds no event of another organization', async () => {
  const event = sampleEvent()
  await storage.events.record(event)

  expect(await storage.deliveryLog.findBody(event.organization_id, event.id)).toBe(event.body)
  expect(await storage.deliveryLog.findBody(randomUUID(), event.id)).toBeNull()
})

it('auditLog.list lists only its organization, whatever the id or cursor', async () => {
  const [own, other] = [sampleAuditEntry(), sampleAuditEntry()]
  for (const entry of [own, other]) await storage.auditLog.record(entry)
  const any = { resource_id: null, action: null, actor_id: null, since: null, until: null }
  const list = (filter: object, after: PageRequest['after'] = null) =>
    storage.auditLog.list(own.organization_id, { ...any, ...filter }, { after, limit: 10 })

  expect(await list({})).toEqual([own])
  expect(await list({ resource_id: own.resource_id })).toEqual([own])
  expect(await list({ resource_id: other.resource_id })).toEqual([])
  const later = { ...other, created_at: new Date(other.created_at.getTime() + 1) }
  expect(await list({}, later)).toEqual([own])
})

describe('an API key of another organization', () => {
  it('counts for no limit', async () => {
    const insert = () =>
      storage.apiKeys.insert(sampleApiKey(), randomBytes(32), { ofOrganization: 1, ofOwner: 1 })
    expect([await insert(), await insert()]).toEqual([null, null])
  })

  it('does not exist', async () => {
    const [own, other] = [sampleApiKey(), sampleApiKey()]
    for (const key of [own, other]) await storage.apiKeys.insert(key, randomBytes(32), MANY_KEYS)

    expect(await storage.apiKeys.find(own.organization_id, other.id)).toBeNull()
    expect(await storage.apiKeys.lock(own.organization_id, other.id)).toBeNull()
    await storage.apiKeys.save({ ...other, organization_id: own.organization_id, status: 'revoked' })
    expect(await storage.apiKeys.find(other.organization_id, other.id)).toEqual(other)
    const later = { ...other, created_at: new Date(other.created_at.getTime() + 1) }
    expect(await storage.apiKeys.list(own.organization_id, null, { after: later, limit: 10 })).toEqual([own])
    expect(
      await storage.apiKeys.list(own.organization_id, other.owner_id, { after: null, limit: 10 }),
    ).toEqual([own])
  })
})

describe('a webhook endpoint of another organization', () => {
  const now = new Date()

  it('does not exist', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)

    expect(await storage.webhookEndpoints.list(own.organization_id)).toEqual([own])
    for (const find of [storage.webhookEndpoints.find, storage.webhookEndpoints.lock]) {
      expect(await find(own.organization_id, own.id)).toEqual(own)
      expect(await find(own.organization_id, other.id)).toBeNull()
      expect(await find(own.organization_id, 'crm')).toBeNull()
    }
    const headers = { header_names: ['Authorization'], encrypted: sampleSecret() }
    await storage.webhookEndpoints.update(other.organization_id, other.id, { headers }, now)
    expect(await storage.webhookEndpoints.findHeaders(own.organization_id, other.id)).toBeNull()
    expect(await storage.webhookEndpoints.findHeaders(other.organization_id, other.id)).toEqual(
      headers.encrypted,
    )
    expect(await storage.webhookEndpoints.had(own.organization_id, own.id)).toBe(true)
    expect(await storage.webhookEndpoints.had(own.organization_id, other.id)).toBe(false)
    expect(await storage.webhookEndpoints.had(own.organization_id, 'crm')).toBe(false)
    const health = await storage.endpointHealth.read(own.organization_id, [own.id, other.id])
    expect([...health.keys()]).toEqual([own.id])
  })

  it('is not changed', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    await storage.events.record(sampleEvent({ organization_id: other.organization_id }))
    const rotation = { secret: sampleSecret(), hint: 'whsec_…mine', previousUntil: null }
    const reach = [own.organization_id, other.id] as const

    await expect(storage.webhookEndpoints.update(...reach, { is_enabled: false }, now)).rejects.toThrow()
    await expect(storage.webhookEndpoints.delete(...reach, now)).rejects.toThrow()
    await expect(storage.webhookEndpoints.rotateSecret(...reach, rotation, now)).rejects.toThrow()

    expect(await storage.webhookEndpoints.find(other.organization_id, other.id)).toEqual(other)
    expect(await sql`select parked_at from quickquote.deliveries where endpoint_id = ${other.id}`).toEqual([
      { parked_at: null },
    ])
  })

  it('shows no attempts or tests', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
    const event = sampleEvent({ organization_id: other.organization_id })
    // Ids of deliveries begin like that of their event.
    const [id, over] = [randomUUID(), event.id.slice(0, 15) + randomUUID().slice(15)]
    await storage.testDeliveries.insert(event, { id, endpointId: other.id })
    await sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
        event_type, quotation_id, attempt, status, is_test, created_at)
      values (${randomUUID()}, ${over}, ${other.organization_id}, ${other.id}, ${event.id}, 'quotation.failed',
        ${event.quotation_id}, 1, 'succeeded', false, now())`

    const page = { after: null, limit: 10 }
    const NOTHING = { items: [], reached: null }
    expect(
      (await storage.deliveryLog.listAttempts(other.organization_id, ANY_ATTEMPT, page)).items,
    ).toHaveLength(1)
    expect(await storage.deliveryLog.listAttempts(own.organization_id, ANY_ATTEMPT, page)).toEqual(NOTHING)
    const theirs = { ...ANY_ATTEMPT, endpoint_id: other.id }
    expect(await storage.deliveryLog.listAttempts(own.organization_id, theirs, page)).toEqual(NOTHING)
    const filters = [
      { event_id: event.id },
      { quotation_ids: [event.quotation_id ?? ''] },
      { attempts: 'latest' as const },
    ]
    for (const filter of filters) {
      const list = (organization: string) =>
        storage.deliveryLog.listAttempts(organization, { ...ANY_ATTEMPT, ...filter }, page)
      expect((await list(other.organization_id)).items).toHaveLength(1)
      expect(await list(own.organization_id)).toEqual(NOTHING)
    }
    expect((await storage.testDeliveries.find(own.organization_id, id)).state).toBe('over')
    expect((await storage.testDeliveries.find(own.organization_id, over)).attempt).toBeNull()
    expect((await storage.testDeliveries.find(other.organization_id, over)).attempt).toMatchObject({
      status: 'succeeded',
    })
    expect(await storage.testDeliveries.withdraw(own.organization_id, id)).toBe(false)
    expect((await storage.testDeliveries.find(other.organization_id, id)).state).toBe('waiting')
  })
})

it('a delivery of another organization does not exist', async () => {
  const [own, other] = [sampleEndpoint(), sampleEndpoint()]
  for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  await storage.events.record(sampleEvent({ organization_id: other.organization_id }))
  const [row] = await sql`select id from quickquote.deliveries where endpoint_id = ${other.id}`

  const delivery = await storage.deliveryLog.find(other.organization_id, row?.['id'])
  expect(delivery).toMatchObject({ status: 'pending' })
  expect(await storage.deliveryLog.find(own.organization_id, row?.['id'])).toBeNull()
  if (delivery === null) return
  expect(await storage.deliveryLog.resend(own.organization_id, delivery, new Date())).toBeNull()
  const event = sampleEvent({ organization_id: own.organization_id })
  await storage.events.record(event)
  const resend = (id: string, endpoint_id: string) =>
    storage.deliveryLog.resend(own.organization_id, { id, event_id: event.id, endpoint_id }, new Date())
  expect(await resend(randomUUID(), other.id)).toBeNull()
  expect(await resend(delivery.id, own.id)).toMatchObject({ body: event.body })
  const changes = [
    { field: 'delivery_id', to: delivery.id },
    { field: 'resent_as', to: randomUUID() },
  ]
  const action = 'webhook_endpoint.delivery_resent'
  await storage.auditLog.record(sampleAuditEntry({ organization_id: own.organization_id, action, changes }))
  expect(await storage.deliveryLog.find(other.organization_id, row?.['id'])).toEqual(delivery)
})

it('an Idempotency-Key of another organization is another key', async () => {
  const accept = (quotation: NewQuotation) =>
    storage.quotations.accept(quotation, { key: 'order-1', requestHash: Buffer.alloc(32) })
  const [own, other] = [sampleQuotation(), sampleQuotation()]
  for (const quotation of [own, other]) expect(await accept(quotation)).toEqual({ kind: 'accepted' })
  for (const quotation of [own, other])
    expect(await accept({ ...quotation, id: randomUUID() })).toEqual({
      kind: 'repeated',
      quotation_id: quotation.id,
    })
})

it('keys remain valid and replays go on while another organization is erased', async () => {
  const [own, other] = [await everything(database), await everything(database)]
  const { organization_id } = own
  const hash = randomBytes(32)
  await storage.apiKeys.insert(sampleApiKey({ organization_id }), hash, MANY_KEYS)
  const entry = sampleAuditEntry({ organization_id: other.organization_id })
  await storage.erasure.begin(other.organization_id, { keepAuditLog: false, entry, now: new Date() })

  expect(await storage.apiKeys.findByHash(hash)).toMatchObject({ status: 'active' })
  while (await storage.replays.advance(100, new Date())) {}
  expect(await storage.replays.find(organization_id, own.endpoint.id, own.replay.id)).toMatchObject({
    state: 'completed',
  })
})

it('a replay sends only the events of its organization', async () => {
  const endpoint = sampleEndpoint()
  const own = sampleEvent({ organization_id: endpoint.organization_id })
  for (const event of [own, sampleEvent()]) await storage.events.record(event)
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  const until = new Date(Date.now() + 60_000)
  const replay = {
    id: randomUUID(),
    endpoint_id: endpoint.id,
    since: new Date(0),
    until,
    status: 'all',
  } as const
  await storage.replays.insert(endpoint.organization_id, replay, new Date())
  while (await storage.replays.advance(100, new Date())) {}

  expect(await sql`select event_id from quickquote.deliveries where endpoint_id = ${endpoint.id}`).toEqual([
    { event_id: own.id },
  ])
  expect(await storage.replays.find(endpoint.organization_id, endpoint.id, replay.id)).toMatchObject({
    state: 'completed',
    resent: 1,
  })
})

it('replays.count counts only events of its organization, for an endpoint of its own', async () => {
  const [own, other] = [sampleEndpoint(), sampleEndpoint()]
  for (const { organization_id } of [own, other])
    await storage.events.record(sampleEvent({ organization_id }))
  for (const endpoint of [own, other]) await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  const count = (endpoint_id: string) => {
    const until = new Date(Date.now() + 60_000)
    const all = { endpoint_id, since: new Date(0), until, status: 'all' } as const
    return storage.replays.count(own.organization_id, all, 100)
  }

  expect(await count(own.id)).toEqual({ events: 1, is_more: false })
  expect(await count(other.id)).toMatchObject({ events: 0 })
})

it('quotations.findNames names only the quotations of its organization', async () => {
  const [own, other] = [await organization(), await organization()]
  const names = await storage.quotations.findNames(own.id, [own.quotationId, other.quotationId, randomUUID()])
  expect([...names.keys()]).toEqual([own.quotationId])
  expect(await storage.quotations.findNames(own.id, [])).toEqual(new Map())
})

it('quotations.findChanged finds no quotation of another organization', async () => {
  const [own, other] = [await organization(), await organization()]
  const seen = async (organization_id: string, id: string, of = organization_id) => {
    const found = await storage.quotations.find(of, id)
    if (typeof found === 'string') throw new Error(found)
    return { organization_id, id, updated_at: found.updated_at }
  }
  const asked = [
    await seen(own.id, own.quotationId),
    await seen(own.id, other.quotationId, other.id),
    { ...(await seen(own.id, own.quotationId)), updated_at: new Date(0) },
    { ...(await seen(own.id, own.quotationId)), id: randomUUID() },
  ]
  expect(await storage.quotations.findChanged?.(asked)).toEqual(new Set([1, 2, 3]))
})

it('apiKeys.findByHash searches all organizations, because the key identifies the organization', async () => {
  const key = sampleApiKey()
  const hash = randomBytes(32)
  await storage.apiKeys.insert(key, hash, MANY_KEYS)

  expect(await storage.apiKeys.findByHash(hash)).toMatchObject({ organization_id: key.organization_id })
})

const PAGE = { after: null, limit: 100 }

/** Every method that serves a caller, called for one organization with the ids of another. */
const REACHES: Record<string, (own: string, other: Everything) => Promise<unknown>> = {
  'quotations.find': (own, { quotation }) => storage.quotations.find(own, quotation.id),
  'quotations.list': async (own) => storage.quotations.list?.(own, ANY_QUOTATION, PAGE),
  'quotations.findPipelineStatus': (own, { quotation }) =>
    storage.quotations.findPipelineStatus(own, quotation.id),
  'quotations.findProposalOf': (own, { quotation }) => storage.quotations.findProposalOf(own, quotation.id),
  'quotations.findProposal': (own, { proposal }) => storage.quotations.findProposal(own, proposal.id),
  'quotations.findNames': (own, { quotation }) => storage.quotations.findNames(own, [quotation.id]),
  'quotations.findChanged': async (own, { quotation: { id, created_at: updated_at } }) =>
    storage.quotations.findChanged?.([{ organization_id: own, id, updated_at }]),
  'quotations.saveProgress': (own, { quotation, proposal }) => {
    const step = { step: 'requirement_analysis', status: 'failed', error_code: 'STOLEN' } as const
    const stolen = { ...proposal, name: 'Stolen' }
    return storage.quotations.saveProgress(
      own,
      quotation.id,
      { status: 'failed', step, proposal: stolen },
      new Date(),
    )
  },
  'quotations.cancelStart': async (own, { quotation }) =>
    storage.quotations.cancelStart?.(own, quotation.id, new Date()),
  'eventFeed.read': (own, { event }) =>
    storage.eventFeed.read(own, { position: 1, eventId: event.id }, { types: null, source: null }, 100),
  'eventFeed.findEnd': (own) => storage.eventFeed.findEnd(own),
  'eventFeed.findStart': (own, { event }) => storage.eventFeed.findStart(own, event.id),
  'eventFeed.lookForNews': async (own) =>
    (await storage.eventFeed.lookForNews([{ organizationId: own, position: 0 }])).found,
  'events.record': (own, { quotation }) =>
    storage.events.record(sampleEvent({ organization_id: own, quotation_id: quotation.id })),
  'apiKeys.find': (own, { key }) => storage.apiKeys.find(own, key.id),
  'apiKeys.lock': (own, { key }) => storage.apiKeys.lock(own, key.id),
  'apiKeys.save': (own, { key }) => storage.apiKeys.save({ ...key, organization_id: own, status: 'revoked' }),
  'apiKeys.list': (own, { key }) => storage.apiKeys.list(own, key.owner_id, PAGE),
  'auditLog.list': (own, { entry }) =>
    storage.auditLog.list(
      own,
      { resource_id: entry.resource_id, action: null, actor_id: null, since: null, until: null },
      PAGE,
    ),
  'webhookEndpoints.insert': (own) =>
    storage.webhookEndpoints.insert(sampleEndpoint({ organization_id: own }), sampleSecrets(), 50),
  'webhookEndpoints.list': (own) => storage.webhookEndpoints.list(own).then((all) => all.map(({ id }) => id)),
  'webhookEndpoints.find': (own, { endpoint }) => storage.webhookEndpoints.find(own, endpoint.id),
  'webhookEndpoints.lock': (own, { endpoint }) => storage.webhookEndpoints.lock(own, endpoint.id),
  'webhookEndpoints.findHeaders': (own, { endpoint }) =>
    storage.webhookEndpoints.findHeaders(own, endpoint.id),
  'webhookEndpoints.had': (own, { endpoint }) => storage.webhookEndpoints.had(own, endpoint.id),
  'webhookEndpoints.names': async (own, { endpoint }) => [
    ...(await storage.webhookEndpoints.names(own, [endpoint.id])),
  ],
  'endpointHealth.read': (own, { endpoint }) => storage.endpointHealth.read(own, [endpoint.id]),
  'webhookEndpoints.update': async (own, { endpoint }) => {
    for (const is_enabled of [false, true]) {
      await storage.webhookEndpoints.update(own, endpoint.id, { is_enabled }, new Date()).catch(isGone)
    }
  },
  'webhookEndpoints.delete': (own, { endpoint }) =>
    storage.webhookEndpoints.delete(own, endpoint.id, new Date()).catch(isGone),
  'webhookEndpoints.rotateSecret': (own, { endpoint }) => {
    const rotation = { secret: sampleSecret(), hint: 'whsec_…mine', previousUntil: null }
    return storage.webhookEndpoints.rotateSecret(own, endpoint.id, rotation, new Date()).catch(isGone)
  },
  'deliveryLog.listAttempts': async (own, { endpoint }) => {
    const filter = { ...ANY_ATTEMPT, endpoint_id: endpoint.id }
    return [
      await storage.deliveryLog.listAttempts(own, filter, PAGE),
      await storage.deliveryLog.listAttempts(own, { ...filter, event_type: 'quotation.completed' }, PAGE),
    ]
  },
  'deliveryLog.find': async (own, { delivery, attempt }) => [
    await storage.deliveryLog.find(own, delivery),
    await storage.deliveryLog.find(own, attempt),
  ],
  'deliveryLog.identify': async (own, { delivery, attempt }) => [
    await storage.deliveryLog.identify(own, delivery),
    await storage.deliveryLog.identify(own, attempt),
  ],
  'deliveryLog.findBody': (own, { event }) => storage.deliveryLog.findBody(own, event.id),
  'deliveryLog.countByHour': async (own, { endpoint }) => {
    const ever = { since: new Date(0), until: new Date() }
    for (const endpoint_id of [endpoint.id, null]) {
      expect(await storage.deliveryLog.countByHour(own, { ...ever, endpoint_id })).toEqual([])
    }
  },
  'deliveryLog.resend': (own, { delivery, event, endpoint }) => {
    const theirs = { id: delivery, event_id: event.id, endpoint_id: endpoint.id }
    return storage.deliveryLog.resend(own, theirs, new Date())
  },
  'replays.insert': (own) => {
    const ours = { id: randomUUID(), endpoint_id: randomUUID(), since: new Date(0), until: new Date() }
    return storage.replays.insert(own, { ...ours, status: 'all' }, new Date())
  },
  'replays.count': async (own, { endpoint }) => {
    const all = { endpoint_id: endpoint.id, since: new Date(0), until: new Date(), status: 'all' } as const
    expect(await storage.replays.count(own, all, 100)).toEqual({ events: 0, is_more: false })
  },
  'apiKeys.readUses': async (own, { key }) => {
    expect(await storage.apiKeys.readUses(own, key.id, 0)).toEqual({ days: [], requests: [] })
  },
  'apiKeys.findQuotations': (own, { key }) =>
    storage.apiKeys.findQuotations(own, key.id, { since: new Date(0), limit: 10 }),
  'apiKeys.lockOfOwner': (own, { key }) => storage.apiKeys.lockOfOwner(own, key.owner_id),
  'apiKeys.transfer': (own, { key }) =>
    storage.apiKeys.transfer(own, [key.id], 'thief', { maximum: 25, now: new Date() }),
  'quotations.lockForErasing': (own, { quotation }) => storage.quotations.lockForErasing(own, quotation.id),
  'quotations.erase': (own, { quotation }) => storage.quotations.erase(own, quotation.id),
  'erasure.eraseHistory': async (own, { quotation }) => {
    await storage.events.record(sampleEvent({ organization_id: own, quotation_id: quotation.id }))
    return storage.erasure.eraseHistory(own, quotation.id, new Date(0))
  },
  'exports.readPage': async (own) => {
    const all = []
    for (const part of EXPORT_PARTS) all.push(...(await storage.exports.readPage(own, part, null, 100)))
    return all
  },
  'erasure.find': (own) => storage.erasure.find(own),
  'erasure.count': (own) => storage.erasure.count(own),
  'erasure.isErasing': (own) => storage.erasure.isErasing(own),
  'erasure.findFiles': (own) => storage.erasure.findFiles(own, 10),
  'erasure.removeRows': (own) => storage.erasure.removeRows(own, 10),
  'erasure.removeAuditLog': (own) => storage.erasure.removeAuditLog(own, 10),
  'erasure.countRemoved': (own) => storage.erasure.countRemoved(own, { events: 1 }),
  'erasure.setLeftToHost': (own) => storage.erasure.setLeftToHost(own, []),
  'erasure.forgetFiles': (own, { upload }) => storage.erasure.forgetFiles(own, [upload]),
  'erasure.finish': (own) => storage.erasure.finish(own),
  'erasure.postpone': (own) => storage.erasure.postpone(own),
  'uploads.queueForDeletion': async (own, { upload }) => {
    await storage.uploads.queueForDeletion([{ ...upload, organization_id: own }], new Date())
  },
  'erasure.findErased': async (own, { quotation }) => [
    ...(await storage.erasure.findErased([{ id: quotation.id, organization_id: own }])),
  ],
  'deliveryLog.statistics': async (own, { endpoint }) => {
    expect(await storage.deliveryLog.statistics(own, endpoint.id, 10)).toMatchObject({ attempts: 0 })
  },
  'replays.list': (own, { replay }) => storage.replays.list(own, replay.endpoint_id, 10),
  'replays.stop': (own, { replay }) => storage.replays.stop(own, replay.endpoint_id, replay.id, new Date()),
  'replays.find': (own, { replay }) => storage.replays.find(own, replay.endpoint_id, replay.id),
  'testDeliveries.find': (own, { test }) => storage.testDeliveries.find(own, test),
  'testDeliveries.repeat': (own, { testEvent, endpoint }) =>
    storage.testDeliveries.repeat({ ...testEvent, organization_id: own }, { endpointId: endpoint.id }),
  'testDeliveries.withdraw': (own, { test }) => storage.testDeliveries.withdraw(own, test),
}

function isGone(error: unknown): void {
  expect(String(error)).toContain('has been deleted')
}

it.each(Object.entries(REACHES))(
  '%s returns and changes nothing of another organization',
  async (_, reach) => {
    const other = await everything(database)
    const before = await rowsOf(database, other)
    // The other organization has a row in every table that belongs to one.
    const empty = Object.keys(before).filter((name) => before[name]?.length === 0)
    expect(empty.sort()).toEqual(OF_NO_ORGANIZATION)

    const answer = await reach(randomUUID(), other)

    const text = JSON.stringify(answer instanceof Map ? [...answer] : answer) ?? ''
    const { quotation, endpoint, key, event, entry, proposal, upload } = other
    for (const { id } of [quotation, endpoint, key, event, entry, proposal, upload])
      expect(text).not.toContain(id)
    expect(text).not.toContain(other.organization_id)
    const after = await rowsOf(database, other)
    // An organization may store a quotation id of another in its own row.
    const own = (rows: string[] = []) => rows.filter((row) => row.includes(other.organization_id))
    const numbered = ['events', 'event_sequences']
    for (const table of numbered) expect(own(after[table])).toEqual(own(before[table]))
    const rest = { events: [], event_sequences: [] }
    expect({ ...after, ...rest }).toEqual({ ...before, ...rest })
  },
)

const OF_NO_ORGANIZATION = [
  'delivery_hours_counted',
  // One row a key of the host, of no organization.
  'encryption_keys',
  'erased_organizations',
  'migrations',
  'retention_floor',
  'workers',
]

it('every method of the storage is either tested above or known not to need an organization', () => {
  const heldAbove = Object.keys(REACHES)
  // Only the order of a host's quotation is ours: see e2e/demo/host-quotations.test.ts.
  const ofTheHost = ['pipelineStarts.order', 'pipelineStarts.orderCancel']
  const heldInTheTestOfFiles = [
    'files.put',
    'files.get',
    'files.delete',
    'uploads.record',
    'uploads.renew',
    'uploads.abandon',
    'uploads.forget',
  ]
  const insertsItsOrganization = [
    'apiKeys.insert',
    'quotations.accept',
    'auditLog.record',
    'erasure.begin',
    'testDeliveries.insert',
  ]
  const trusted = [
    // The key identifies the organization; these take ids of authenticated keys.
    'apiKeys.findByHash',
    'apiKeys.recordUses',
    'apiKeys.recordRequests',
    // Encrypts all secrets.
    'signingSecrets.lockOld',
    'signingSecrets.save',
    'signingSecrets.count',
    'signingSecrets.claimKey',
    'signingSecrets.readCheckValues',
    // Called by the pipeline and the workers.
    'quotations.lockProgress',
    'deliveries.round',
    'deliveries.release',
    'deliveries.releaseWaiting',
    'deliveries.catchUp',
    'pipelineStarts.claim',
    'pipelineStarts.recordCall',
    'pipelineStarts.release',
    'pipelineStarts.findCancelled',
    'clock.read',
    'workers.heartbeat',
    'workers.findWork',
    'workers.hasLive',
    'endpointHealth.findFailing',
    'warnings.noteFailingEndpoints',
    'warnings.noteExpiringKeys',
    'warnings.claim',
    'inspection.readFacts',
    'inspection.findPendingMigrations',
    'inspection.sampleSecrets',
    'inspection.countWorkers',
    'inspection.countSweeping',
    'inspection.hearsNotifications',
    'warnings.recordCall',
    'warnings.forget',
    'replays.advance',
    'workers.recoverDead',
    'telemetry.readQueueState',
    'telemetry.findDeliveryOrigins',
    'workers.retire',
    'workers.share',
    'quotations.findStalled',
    'eventFeed.isBehind',
    'eventFeed.repair',
    'eventFeed.findOpenWriters',
    'uploads.abandonBefore',
    'uploads.noteStrays',
    'retention.countHours',
    'retention.forgetIdempotencyKeys',
    'retention.expireDeliveries',
    'retention.removeStrayLeases',
    'retention.removeHistory',
    'retention.forgetKeyUses',
    'retention.forgetReplays',
    'retention.removeAuditEntries',
    'retention.abandonFilesOfEndedQuotations',
    'erasure.next',
    'workers.listen',
    'within',
    'watch',
    'transaction',
    'close',
  ]
  const careOfDatabase = ['migrate', 'migrationPlan', 'migrationStatus', 'requireMigrated']

  const methods = Object.entries(storage).flatMap(([noun, part]) =>
    typeof part === 'function' ? [noun] : Object.keys(part).map((name) => `${noun}.${name}`),
  )

  expect(methods.sort()).toEqual(
    [
      ...heldAbove,
      ...heldInTheTestOfFiles,
      ...insertsItsOrganization,
      ...ofTheHost,
      ...trusted,
      ...careOfDatabase,
    ].sort(),
  )
})
