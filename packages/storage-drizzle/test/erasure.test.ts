import { randomBytes, randomUUID } from 'node:crypto'
import { IntegrationError } from '@quickquote/core'
import type { Storage } from '@quickquote/core/internal'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './support/database.ts'
import { claimOf, succeeded } from './support/delivery-samples.ts'
import { type Everything, everything, rowsOf } from './support/organization-samples.ts'
import {
  MANY_KEYS,
  sampleApiKey,
  sampleAuditEntry,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleRequests,
  sampleSecret,
  sampleSecrets,
} from './support/samples.ts'

const database = await openDatabase()
const { sql, storage } = database
const { erasure } = storage

function begin({ organization_id }: Everything, keepAuditLog = false): Promise<void> {
  const entry = sampleAuditEntry({ organization_id })
  return erasure.begin(organization_id, { keepAuditLog, entry, now: new Date() })
}

async function statusOf({ organization_id }: Everything) {
  return (await erasure.find(organization_id))?.status
}

/** One step, as workers take it. */
async function step({ organization_id: id }: Everything, limit = 100): Promise<void> {
  if ((await erasure.removeRows(id, limit)) !== 0) return
  const files = await erasure.findFiles(id, limit)
  await storage.files.delete(files)
  if (files.length > 0 && (await erasure.forgetFiles(id, files)) > 0) return
  await erasure.setLeftToHost(id, [])
  if ((await erasure.removeAuditLog(id, limit)) === 0) await erasure.finish(id)
}

/** An organization with everything, none of it being uploaded. */
async function organization(): Promise<Everything> {
  const made = await everything(database)
  await storage.uploads.renew(made.upload, { isReceived: true }, new Date())
  return made
}

async function leftOf(own: Everything): Promise<string[]> {
  const rows = await rowsOf(database, own)
  return Object.keys(rows)
    .filter((name) => (rows[name]?.length ?? 0) > 0)
    .sort()
}

/** A transaction that stays open, with its snapshot from now. */
async function openTransaction() {
  const connection = await sql.reserve()
  await connection`begin isolation level repeatable read`
  await connection`select from quickquote.quotations`
  let isOpen = true
  const end = async () => {
    if (isOpen) await connection`commit`
    if (isOpen) connection.release()
    isOpen = false
  }
  onTestFinished(end)
  return { connection, end }
}

it('an erasure changes no other organization, even one at the same step', async () => {
  const waiting = await organization()
  await begin(waiting)
  const [own, erasedToo] = [await organization(), await organization()]
  const others = [waiting, erasedToo]
  const rowsOfOthers = () => Promise.all(others.map((each) => rowsOf(database, each)))
  async function leavesOthers(change: () => Promise<void>): Promise<void> {
    const before = await rowsOfOthers()
    await change()
    expect(await rowsOfOthers()).toEqual(before)
  }

  await leavesOthers(() => begin(own, true))
  await leavesOthers(async () => void (await erasure.forgetFiles(own.organization_id, [erasedToo.upload])))
  await begin(erasedToo)
  // Not in a poll, which would try again after a failed comparison.
  const latest = Date.now() + 60_000
  while ((await statusOf(own)) !== 'erased') {
    expect(Date.now()).toBeLessThan(latest)
    // Row by row.
    await leavesOthers(() => step(own, 1))
    if ((await statusOf(erasedToo)) === 'erasing') await step(erasedToo, 1)
  }

  const { audit_log, ...rest } = await erasure.count(own.organization_id)
  expect(audit_log).toBe(2)
  expect(new Set(Object.values(rest))).toEqual(new Set([0]))
  // Nothing is left, so there is nothing to begin.
  await begin(own, true)
  expect(await statusOf(own)).toBe('erased')

  // A step of the ended erasure.
  const quotation = sampleQuotation({ organization_id: own.organization_id })
  await storage.quotations.accept(quotation, null)
  await step(own)
  expect(await storage.quotations.find(own.organization_id, quotation.id)).toMatchObject({ id: quotation.id })
})

it('findErased finds a quotation only for the organization that erased it', async () => {
  const { id, organization_id } = sampleQuotation()
  await storage.auditLog.record(
    sampleAuditEntry({ organization_id, resource_id: id, action: 'quotation.erased' }),
  )
  const other = sampleQuotation().organization_id

  expect(await erasure.findErased([{ id, organization_id }])).toEqual(new Set([id]))
  expect(await erasure.findErased([{ id, organization_id: other }])).toEqual(new Set())
})

describe('the end of an erasing', () => {
  /** Erased up to the first look that finds nothing, with a transaction open that may still add something. */
  async function sweeping() {
    const own = await organization()
    const open = await openTransaction()
    await begin(own)
    while ((await statusOf(own)) === 'erasing') await step(own)
    expect(await statusOf(own)).toBe('sweeping')
    return { own, ...open }
  }

  /** What the open transaction adds: its snapshot is older than the erasing. */
  async function add({ own, connection }: Awaited<ReturnType<typeof sweeping>>): Promise<void> {
    const { organization_id } = own
    await connection`insert into quickquote.warnings (id, organization_id, kind, subject_id, since, stage, created_at)
      values (gen_random_uuid(), ${organization_id}, 'endpoint_failing', gen_random_uuid(), now(), 1, now())`
  }

  it('waits for every transaction that was open when nothing was left', async () => {
    const swept = await sweeping()
    await erasure.finish(swept.own.organization_id)
    expect(await statusOf(swept.own)).toBe('sweeping')
    await swept.end()
    await expect
      .poll(() => erasure.finish(swept.own.organization_id).then(() => statusOf(swept.own)))
      .toBe('erased')
  })

  it('is no end if something was added: the second look finds it', async () => {
    const swept = await sweeping()
    await add(swept)
    await swept.end()
    await expect
      .poll(() => erasure.finish(swept.own.organization_id).then(() => statusOf(swept.own)))
      .toBe('erasing')
    expect(await leftOf(swept.own)).toContain('warnings')
  })

  it('is no end if something was removed since: others may have read it', async () => {
    const swept = await sweeping()
    await add(swept)
    await swept.end()
    expect(await erasure.removeRows(swept.own.organization_id, 100)).toBe(1)
    expect(await statusOf(swept.own)).toBe('erasing')
    await expect.poll(() => step(swept.own).then(() => statusOf(swept.own))).toBe('erased')
    expect(await leftOf(swept.own)).toEqual([])
  })

  it('waits for prepared transactions', async ({ skip }) => {
    const [setting] = await sql`select current_setting('max_prepared_transactions')::int as most`
    skip(setting?.['most'] === 0, 'The server allows no prepared transactions.')
    const swept = await sweeping()
    await add(swept)
    const name = `'${randomUUID()}'`
    await swept.connection.unsafe(`prepare transaction ${name}`)
    await erasure.finish(swept.own.organization_id)
    expect(await statusOf(swept.own)).toBe('sweeping')
    await sql.unsafe(`commit prepared ${name}`)
    await expect
      .poll(() => erasure.finish(swept.own.organization_id).then(() => statusOf(swept.own)))
      .toBe('erasing')
  })
})

/** Every method that writes something of an organization, called again after the erasing began. */
const WRITES: Record<string, (on: Storage, own: Everything) => Promise<unknown>> = {
  'apiKeys.insert': (on, { organization_id }) =>
    on.apiKeys.insert(sampleApiKey({ organization_id }), randomBytes(32), MANY_KEYS),
  'auditLog.record': (on, { organization_id }) => on.auditLog.record(sampleAuditEntry({ organization_id })),
  'quotations.accept': (on, { organization_id }) =>
    on.quotations.accept(sampleQuotation({ organization_id }), {
      key: randomUUID(),
      requestHash: randomBytes(32),
    }),
  'pipelineStarts.order': (on, { organization_id }) =>
    on.pipelineStarts.order(sampleQuotation({ organization_id }), null),
  'pipelineStarts.orderCancel': (on, { organization_id }) =>
    on.pipelineStarts.orderCancel(sampleQuotation({ organization_id }), new Date()),
  'uploads.record': (on, { organization_id }) =>
    on.uploads.record({ id: randomUUID(), organization_id }, new Date()),
  'uploads.renew': (on, { upload }) => on.uploads.renew(upload, { isReceived: false }, new Date()),
  'files.put': (on, { organization_id }) => {
    const bytes = (async function* () {
      yield Buffer.from('x')
    })()
    return on.files.put({ id: randomUUID(), organization_id }, bytes)
  },
  'webhookEndpoints.insert': (on, { organization_id }) =>
    on.webhookEndpoints.insert(sampleEndpoint({ organization_id }), sampleSecrets(), 50),
  'events.record': (on, { organization_id, quotation }) =>
    on.events.record(sampleEvent({ organization_id, quotation_id: quotation.id })),
  'deliveryLog.resend': (on, { organization_id, delivery, event, endpoint }) =>
    on.deliveryLog.resend(
      organization_id,
      { id: delivery, event_id: event.id, endpoint_id: endpoint.id },
      new Date(),
    ),
  'replays.insert': (on, { organization_id, endpoint }) => {
    const replay = { id: randomUUID(), endpoint_id: endpoint.id, since: new Date(0), until: new Date() }
    return on.replays.insert(organization_id, { ...replay, status: 'all' }, new Date())
  },
  'testDeliveries.insert': (on, { organization_id, endpoint }) =>
    on.testDeliveries.insert(sampleEvent({ organization_id }), { id: randomUUID(), endpointId: endpoint.id }),
  'testDeliveries.repeat': (on, { testEvent, endpoint }) =>
    on.testDeliveries.repeat(testEvent, { endpointId: endpoint.id, check_kind: 'repeated' }),
}

/** Those that only change rows, or derive them from others: nothing is left to change. */
const CHANGES: typeof WRITES = {
  'apiKeys.save': (on, { key }) => on.apiKeys.save({ ...key, name: 'x' }),
  'apiKeys.transfer': (on, { organization_id, key }) =>
    on.apiKeys.transfer(organization_id, [key.id], 'other', { maximum: 25, now: new Date() }),
  'apiKeys.recordUses': (on, { key }) => on.apiKeys.recordUses(new Map([[key.id, new Date()]])),
  'apiKeys.recordRequests': (on, { key }) => on.apiKeys.recordRequests([sampleRequests(key.id)]),
  'quotations.saveProgress': (on, { organization_id, quotation, proposal }) =>
    on.quotations.saveProgress(organization_id, quotation.id, { status: 'failed', proposal }, new Date()),
  'quotations.cancelStart': async (on, { organization_id, quotation }) =>
    on.quotations.cancelStart?.(organization_id, quotation.id, new Date()),
  'quotations.erase': (on, { organization_id, quotation }) =>
    on.quotations.erase(organization_id, quotation.id),
  'pipelineStarts.claim': (on) =>
    on.pipelineStarts.claim({ workerId: randomUUID(), limit: 10, now: new Date() }),
  'pipelineStarts.recordCall': (on, { quotation: { id: quotationId } }) =>
    on.pipelineStarts.recordCall({ workerId: randomUUID(), quotationId, attempt: 1, retryAt: new Date() }),
  'pipelineStarts.release': (on, { quotation: { id: quotationId } }) =>
    on.pipelineStarts.release({ workerId: randomUUID(), quotationId, attempt: 1 }),
  'uploads.abandon': (on, { upload }) => on.uploads.abandon([upload], new Date()),
  'uploads.abandonBefore': (on) => on.uploads.abandonBefore(new Date(), 10, new Date()),
  'uploads.noteStrays': async (on) => on.uploads.noteStrays?.(new Date(), new Date()),
  'uploads.forget': (on, { upload }) => on.uploads.forget([upload]),
  'files.delete': (on, { upload }) => on.files.delete([upload]),
  'webhookEndpoints.update': (on, { organization_id, endpoint }) =>
    on.webhookEndpoints.update(organization_id, endpoint.id, { is_enabled: true }, new Date()),
  'webhookEndpoints.delete': (on, { organization_id, endpoint }) =>
    on.webhookEndpoints.delete(organization_id, endpoint.id, new Date()),
  'webhookEndpoints.rotateSecret': (on, { organization_id, endpoint }) => {
    const rotation = { secret: sampleSecret(), hint: '…', previousUntil: new Date() }
    return on.webhookEndpoints.rotateSecret(organization_id, endpoint.id, rotation, new Date())
  },
  'signingSecrets.lockOld': (on) => on.signingSecrets.lockOld({ keyId: 'key-2', after: null, limit: 10 }),
  'warnings.noteFailingEndpoints': (on) =>
    on.warnings.noteFailingEndpoints({ failingSince: new Date(), stage: 2, now: new Date() }),
  'warnings.noteExpiringKeys': (on) => on.warnings.noteExpiringKeys({ days: 400, now: new Date() }),
  'replays.stop': (on, { organization_id, endpoint, replay }) =>
    on.replays.stop(organization_id, endpoint.id, replay.id, new Date()),
  'replays.advance': (on) => on.replays.advance(100, new Date()),
  'testDeliveries.withdraw': (on, { organization_id, test }) =>
    on.testDeliveries.withdraw(organization_id, test),
  'erasure.eraseHistory': (on, { organization_id, quotation }) =>
    on.erasure.eraseHistory(organization_id, quotation.id, new Date(0)),
}

async function refusalOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
    return 'none'
  } catch (error) {
    return error instanceof IntegrationError ? error.code : String(error)
  }
}

describe('while an organization is erased', () => {
  it.each(Object.entries(WRITES))('%s is refused, in a transaction of the host, too', async (name, write) => {
    const own = await organization()
    await begin(own)
    const before = await rowsOf(database, own)
    expect(await refusalOf(() => write(storage, own))).toBe('ORGANIZATION_ERASED')
    const inTransaction = sql.begin((tx) => write(storage.within(tx), own))
    expect(await refusalOf(() => inTransaction)).toBe('ORGANIZATION_ERASED')
    expect(await rowsOf(database, own), name).toEqual(before)
  })

  it('nothing adds a row once everything is removed', async () => {
    const own = await organization()
    const worker = randomUUID()
    const { claimed } = await storage.deliveries.round(claimOf(worker))
    const ofOwn = claimed.filter(({ organization_id }) => organization_id === own.organization_id)
    expect(ofOwn.length).toBeGreaterThan(0)
    const { end } = await openTransaction()
    await begin(own)
    while ((await statusOf(own)) === 'erasing') await step(own)
    expect(await leftOf(own)).toEqual(['erased_organizations'])

    const settled = ofOwn.map((delivery) => succeeded(delivery))
    const late: typeof WRITES = {
      'deliveries.round': (on) => on.deliveries.round({ ...claimOf(worker), settled }),
    }
    for (const [name, write] of Object.entries({ ...WRITES, ...CHANGES, ...late })) {
      await write(storage, own).catch(() => {})
      expect(await leftOf(own), name).toEqual(['erased_organizations'])
    }
    // Only this one: its caller has stored bytes, and must have them deleted. Then its row is removed, too.
    await storage.uploads.queueForDeletion([own.upload], new Date())
    expect(await leftOf(own)).toEqual(['erased_organizations', 'uploads'])
    await end()
    await expect.poll(() => step(own).then(() => statusOf(own))).toBe('erased')
  })

  it('every method of the storage is tried above, or writes nothing of an organization', () => {
    const reads = [
      ...[
        'apiKeys.findByHash',
        'apiKeys.find',
        'apiKeys.lock',
        'apiKeys.lockOfOwner',
        'apiKeys.list',
        'apiKeys.readUses',
        'apiKeys.findQuotations',
      ],
      ...[
        'auditLog.list',
        'eventFeed',
        'deliveryLog.listAttempts',
        'deliveryLog.find',
        'deliveryLog.identify',
        'deliveryLog.findBody',
      ],
      ...['deliveryLog.countByHour', 'quotations.find', 'quotations.lock', 'quotations.list', 'files.get'],
      ...['webhookEndpoints.list', 'webhookEndpoints.find', 'webhookEndpoints.lock', 'webhookEndpoints.had'],
      ...['webhookEndpoints.names', 'endpointHealth', 'replays.count', 'replays.find', 'testDeliveries.find'],
      ...['replays.list', 'deliveryLog.statistics'],
      ...['clock', 'telemetry', 'inspection', 'exports', 'signingSecrets.count'],
      'pipelineStarts.findCancelled',
      'signingSecrets.readCheckValues',
    ]
    // Of no organization, only for its rows, or that change rows by their lease.
    const others = [
      'erasure',
      'retention',
      'workers',
      'warnings',
      'deliveries',
      'signingSecrets.save',
      'signingSecrets.claimKey',
    ]
    const databaseCare = ['migrat', 'requireMigrated', 'within', 'transaction', 'watch', 'close']
    const known = [...reads, ...others, ...databaseCare, 'uploads.queueForDeletion']
    const methods = Object.entries(storage).flatMap(([noun, part]) =>
      typeof part === 'function' ? [noun] : Object.keys(part).map((name) => `${noun}.${name}`),
    )
    const tried = new Set(Object.keys({ ...WRITES, ...CHANGES }))
    const isKnown = (method: string) => known.some((each) => method.startsWith(each))
    expect(methods.filter((method) => !tried.has(method) && !isKnown(method))).toEqual([])
  })
})

it('erasing and writing at the same time never deadlock', async () => {
  const integrations = integrationsOn(storage)
  const deadlocks = async () => {
    await sql`select pg_stat_clear_snapshot()`
    const [row] = await sql`select deadlocks::int from pg_stat_database where datname = current_database()`
    return Number(row?.['deadlocks'])
  }
  const before = await deadlocks()
  const all = await Promise.all(Array.from({ length: 10 }, () => organization()))
  const now = new Date()
  const calls = all.flatMap((own) => {
    const { organization_id, key, endpoint, quotation, replay } = own
    return [
      ...Array.from({ length: 4 }, () => () => integrations.organizations.erase(organization_id)),
      ...Array.from({ length: 4 }, () => () => integrations.continueErasing()),
      ...Array.from({ length: 3 }, () => () => WRITES['events.record']?.(storage, own)),
      () => storage.apiKeys.recordUses(new Map(all.map((each) => [each.key.id, now]))),
      () => storage.apiKeys.transfer(organization_id, [key.id], 'other', { maximum: 25, now }),
      () => storage.webhookEndpoints.update(organization_id, endpoint.id, { is_enabled: false }, now),
      () => storage.webhookEndpoints.delete(organization_id, endpoint.id, now),
      () => storage.deliveries.round(claimOf(randomUUID())),
      () => storage.replays.advance(10, now),
      () => storage.quotations.saveProgress(organization_id, quotation.id, { status: 'running' }, now),
      () => WRITES['deliveryLog.resend']?.(storage, own),
      () => storage.replays.find(organization_id, endpoint.id, replay.id),
      () => storage.pipelineStarts.claim({ workerId: randomUUID(), limit: 3, now }),
    ]
  })
  expect(calls.length).toBeGreaterThanOrEqual(200)
  const shuffled = calls
    .map((call, n) => ({ call, at: (n * 7919) % calls.length }))
    .sort((a, b) => a.at - b.at)
  const outcomes = await Promise.all(shuffled.map(({ call }) => refusalOf(async () => call())))
  const allowed = [
    'none',
    'ORGANIZATION_ERASED',
    'Error: The endpoint has been deleted: it was not locked before the update.',
  ]
  expect(outcomes.filter((outcome) => !allowed.includes(outcome))).toEqual([])
  for (const own of all) {
    await expect.poll(() => step(own).then(() => statusOf(own))).toBe('erased')
    expect(await leftOf(own)).toEqual([])
  }
  expect(await deadlocks()).toBe(before)
})
