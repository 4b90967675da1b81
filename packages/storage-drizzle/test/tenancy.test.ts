import { randomBytes, randomUUID } from 'node:crypto'
import type { Position, Storage } from '@quickquote/core'
import { type TestDatabase, testDatabase } from '@quickquote/testing'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../src/index.ts'
import {
  sampleApiKey,
  sampleAuditEntry,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleSecret,
} from './samples.ts'

let testing: TestDatabase
let sql: postgres.Sql
let storage: DrizzleStorage

beforeAll(async () => {
  testing = await testDatabase(inject('postgresUrl'))
  sql = postgres(testing.url)
  storage = drizzleStorage({ connectionString: testing.url })
  await storage.migrate()
})

afterAll(async () => {
  await storage.close()
  await sql.end()
  await testing.drop()
})

/** An organization with one of everything. */
async function organization() {
  const id = randomUUID()
  const quotation = sampleQuotation({ organization_id: id })
  const proposal = { id: randomUUID(), name: 'Offer', document_id: null }
  await storage.acceptQuotation(quotation, null)
  await storage.saveProgress(id, quotation.id, { status: 'running', proposal }, new Date())
  return { id, quotationId: quotation.id, proposalId: proposal.id }
}

type Organization = Awaited<ReturnType<typeof organization>>

/** The look-ups by id: what each finds for an organization, and the id of what it finds. */
const LOOKUPS: Record<string, (organizationId: string, of: Organization) => Promise<unknown>> = {
  findQuotation: (organizationId, of) => storage.findQuotation(organizationId, of.quotationId),
  findPipelineStatus: (organizationId, of) => storage.findPipelineStatus(organizationId, of.quotationId),
  findProposalOfQuotation: (organizationId, of) =>
    storage.findProposalOfQuotation(organizationId, of.quotationId),
  findProposal: (organizationId, of) => storage.findProposal(organizationId, of.proposalId),
}

describe.each(Object.entries(LOOKUPS))('%s', (_, find) => {
  it('finds what is in the organization', async () => {
    const own = await organization()
    expect(await find(own.id, own)).toBeTypeOf('object')
    expect(await find(own.id.toUpperCase(), own)).toBeTypeOf('object')
  })

  it('tells what is in another organization (403) from what is nowhere (404)', async () => {
    const [own, other] = [await organization(), await organization()]
    expect(await find(own.id, other)).toBe('other_organization')
    expect(await find(own.id, { ...own, quotationId: randomUUID(), proposalId: randomUUID() })).toBe(
      'unknown',
    )
  })
})

it('findProposalOfQuotation tells a quotation without a proposal from one that is not there', async () => {
  const quotation = sampleQuotation()
  await storage.acceptQuotation(quotation, null)

  expect(await storage.findProposalOfQuotation(quotation.organization_id, quotation.id)).toBeNull()
  expect(await storage.findProposalOfQuotation(randomUUID(), quotation.id)).toBe('other_organization')
})

it('saveProgress changes nothing in another organization', async () => {
  const [own, other] = [await organization(), await organization()]
  const before = await storage.findPipelineStatus(other.id, other.quotationId)

  await storage.saveProgress(
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

  expect(await storage.findPipelineStatus(other.id, other.quotationId)).toEqual(before)
  expect(await storage.findProposal(other.id, other.proposalId)).toMatchObject({
    name: 'Offer',
    document_id: null,
  })
})

it('recordEvent reaches the endpoints of its organization alone', async () => {
  const [own, other] = [sampleEndpoint(), sampleEndpoint()]
  for (const endpoint of [own, other]) await storage.insertWebhookEndpoint(endpoint, sampleSecret(), 50)

  const event = sampleEvent({ organization_id: own.organization_id })
  await storage.recordEvent(event)

  expect(
    await sql`select organization_id, endpoint_id from quickquote.deliveries where event_id = ${event.id}`,
  ).toEqual([{ organization_id: own.organization_id, endpoint_id: own.id }])
})

it('listAuditLog tells of its organization alone, wherever an id or a cursor comes from', async () => {
  const [own, other] = [sampleAuditEntry(), sampleAuditEntry()]
  for (const entry of [own, other]) await storage.recordAudit(entry)
  const any = { resource_id: null, action: null, since: null, until: null }
  const list = (filter: object, after: Position | null = null) =>
    storage.listAuditLog(own.organization_id, { ...any, ...filter }, { after, limit: 10 })

  expect(await list({})).toEqual([own])
  expect(await list({ resource_id: own.resource_id })).toEqual([own])
  expect(await list({ resource_id: other.resource_id })).toEqual([])
  const later = { ...other, created_at: new Date(other.created_at.getTime() + 1) }
  expect(await list({}, later)).toEqual([own])
})

describe('an API key of another organization', () => {
  it('is no key at all', async () => {
    const [own, other] = [sampleApiKey(), sampleApiKey()]
    for (const key of [own, other]) await storage.insertApiKey(key, randomBytes(32))

    expect(await storage.findApiKey(own.organization_id, other.id)).toBeNull()
    expect(await storage.lockApiKey(own.organization_id, other.id)).toBeNull()
    await storage.saveApiKey({ ...other, organization_id: own.organization_id, status: 'revoked' })
    expect(await storage.findApiKey(other.organization_id, other.id)).toEqual(other)
    const later = { ...other, created_at: new Date(other.created_at.getTime() + 1) }
    expect(await storage.listApiKeys(own.organization_id, null, { after: later, limit: 10 })).toEqual([own])
    expect(
      await storage.listApiKeys(own.organization_id, other.owner_id, { after: null, limit: 10 }),
    ).toEqual([own])
  })
})

describe('a webhook endpoint of another organization', () => {
  const now = new Date()

  it('is no endpoint at all', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.insertWebhookEndpoint(endpoint, sampleSecret(), 50)

    expect(await storage.listWebhookEndpoints(own.organization_id)).toEqual([own])
    for (const find of [storage.findWebhookEndpoint, storage.lockWebhookEndpoint]) {
      expect(await find(own.organization_id, own.id)).toEqual(own)
      expect(await find(own.organization_id, other.id)).toBeNull()
      expect(await find(own.organization_id, 'crm')).toBeNull()
    }
    expect(await storage.hadWebhookEndpoint(own.organization_id, own.id)).toBe(true)
    expect(await storage.hadWebhookEndpoint(own.organization_id, other.id)).toBe(false)
    expect(await storage.hadWebhookEndpoint(own.organization_id, 'crm')).toBe(false)
    const health = await storage.readEndpointHealth(own.organization_id, [own.id, other.id])
    expect([...health.keys()]).toEqual([own.id])
  })

  it('is not changed', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.insertWebhookEndpoint(endpoint, sampleSecret(), 50)
    await storage.recordEvent(sampleEvent({ organization_id: other.organization_id }))
    const rotation = { secret: sampleSecret(), hint: 'whsec_…mine', previousUntil: null }
    const reach = [own.organization_id, other.id] as const

    await expect(storage.updateWebhookEndpoint(...reach, { is_enabled: false }, now)).rejects.toThrow()
    await expect(storage.deleteWebhookEndpoint(...reach, now)).rejects.toThrow()
    await expect(storage.rotateSigningSecret(...reach, rotation, now)).rejects.toThrow()

    expect(await storage.findWebhookEndpoint(other.organization_id, other.id)).toEqual(other)
    expect(await sql`select parked_at from quickquote.deliveries where endpoint_id = ${other.id}`).toEqual([
      { parked_at: null },
    ])
  })

  it('shows none of its attempts and tests', async () => {
    const [own, other] = [sampleEndpoint(), sampleEndpoint()]
    for (const endpoint of [own, other]) await storage.insertWebhookEndpoint(endpoint, sampleSecret(), 50)
    const id = randomUUID()
    const event = sampleEvent({ organization_id: other.organization_id })
    await storage.insertTestDelivery(event, { id, endpointId: other.id })
    await sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
        event_type, attempt, status, is_test, created_at)
      values (${randomUUID()}, ${randomUUID()}, ${other.organization_id}, ${other.id}, ${event.id}, 'quotation.failed',
        1, 'succeeded', false, now())`

    const page = { after: null, limit: 10 }
    const any = { endpoint_id: null, event_type: null, status: null, since: null, until: null }
    expect(await storage.listDeliveryAttempts(other.organization_id, any, page)).toHaveLength(1)
    expect(await storage.listDeliveryAttempts(own.organization_id, any, page)).toEqual([])
    const theirs = { ...any, endpoint_id: other.id }
    expect(await storage.listDeliveryAttempts(own.organization_id, theirs, page)).toEqual([])
    expect((await storage.findTestDelivery(own.organization_id, id)).state).toBe('over')
    expect(await storage.withdrawTestDelivery(own.organization_id, id)).toBe(false)
    expect((await storage.findTestDelivery(other.organization_id, id)).state).toBe('waiting')
  })
})

it('a delivery of another organization is no delivery at all', async () => {
  const [own, other] = [sampleEndpoint(), sampleEndpoint()]
  for (const endpoint of [own, other]) await storage.insertWebhookEndpoint(endpoint, sampleSecret(), 50)
  await storage.recordEvent(sampleEvent({ organization_id: other.organization_id }))
  const [row] = await sql`select id from quickquote.deliveries where endpoint_id = ${other.id}`

  const delivery = await storage.findDelivery(other.organization_id, row?.['id'])
  expect(delivery).toMatchObject({ status: 'pending' })
  expect(await storage.findDelivery(own.organization_id, row?.['id'])).toBeNull()
  if (delivery === null) return
  expect(await storage.resendDelivery(own.organization_id, delivery, new Date())).toBeNull()
  expect(await storage.findDelivery(other.organization_id, row?.['id'])).toEqual(delivery)
})

it('findQuotationNames names the quotations of its organization alone', async () => {
  const [own, other] = [await organization(), await organization()]
  const names = await storage.findQuotationNames(own.id, [own.quotationId, other.quotationId, randomUUID()])
  expect([...names.keys()]).toEqual([own.quotationId])
  expect(await storage.findQuotationNames(own.id, [])).toEqual(new Map())
})

it('findApiKeyByHash crosses organizations, for the key is what tells the organization', async () => {
  const key = sampleApiKey()
  const hash = randomBytes(32)
  await storage.insertApiKey(key, hash)

  expect(await storage.findApiKeyByHash(hash)).toMatchObject({ organization_id: key.organization_id })
})

it('every method of the storage is either held to an organization above, or known not to need one', () => {
  const heldAbove = [
    ...Object.keys(LOOKUPS),
    'saveProgress',
    'recordEvent',
    'insertWebhookEndpoint',
    'findApiKey',
    'lockApiKey',
    'saveApiKey',
    'listApiKeys',
    'listAuditLog',
    'listWebhookEndpoints',
    'findWebhookEndpoint',
    'lockWebhookEndpoint',
    'hadWebhookEndpoint',
    'readEndpointHealth',
    'updateWebhookEndpoint',
    'deleteWebhookEndpoint',
    'rotateSigningSecret',
    'listDeliveryAttempts',
    'findDelivery',
    'resendDelivery',
    'insertReplay',
    'findReplay',
    'findTestDelivery',
    'withdrawTestDelivery',
    'findQuotationNames',
  ]
  // Of the host's quotations only the order is ours: see examples/server/test/host-quotations.test.ts.
  const ofTheHost = ['orderPipelineStart']
  const heldInTheTestOfFiles = ['files', 'recordUpload', 'abandonUploads', 'forgetUploads']
  const insertsItsOrganization = ['insertApiKey', 'acceptQuotation', 'recordAudit', 'insertTestDelivery']
  const trusted: (keyof Storage)[] = [
    // The key tells the organization; ids of keys that were just authenticated.
    'findApiKeyByHash',
    'recordApiKeyUses',
    // For the encryption of all secrets.
    'lockOldSecrets',
    'saveSecrets',
    'countSecrets',
    // Called by the pipeline and by the workers.
    'lockProgress',
    'settleAndClaim',
    'releaseDeliveries',
    'claimPipelineStarts',
    'settlePipelineStart',
    'heartbeat',
    'hasLiveWorker',
    'findFailingEndpoints',
    'advanceReplay',
    'recoverDeadWorkers',
    'readQueueState',
    'findDeliveryOrigins',
    'retireWorker',
    'findStalledQuotations',
    'abandonUploadsBefore',
    'forgetIdempotencyKeys',
    'expireDeliveries',
    'removeStrayLeases',
    'dropHistory',
    'forgetReplays',
    'removeAuditEntries',
    'abandonFilesOfEndedQuotations',
    'ensurePartitions',
    'listen',
    'within',
    'transaction',
    'close',
  ]
  const careOfDatabase = ['migrate', 'migrationPlan', 'migrationStatus', 'requireMigrated']

  expect(Object.keys(storage).sort()).toEqual(
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
