import { ERASURE_PHASES } from '@quickquote/core/internal'
import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { type Everything, everything, rowsOf } from './organization-samples.ts'
import { sampleAuditEntry, sampleQuotation } from './samples.ts'

const database = await openDatabase()
const { storage } = database

function begin({ organization_id }: Everything, keepAuditLog = false): Promise<void> {
  const entry = sampleAuditEntry({ organization_id })
  return storage.erasure.begin(organization_id, { keepAuditLog, entry, now: new Date() })
}

async function phaseOf({ organization_id }: Everything) {
  const { phase, status } = (await storage.erasure.find(organization_id)) ?? {}
  return status === 'erasing' ? phase : status
}

/** One step of the phase, as workers take it. */
async function step({ organization_id }: Everything, phase: (typeof ERASURE_PHASES)[number]): Promise<void> {
  const open = { organizationId: organization_id, phase, keepAuditLog: false }
  if (phase === 'end') return storage.erasure.finish(open)
  if (phase === 'host_quotations') {
    return storage.erasure.endPhase(open, { removed: 0, isOver: true, leftToHost: [] })
  }
  if (phase !== 'uploads') return void (await storage.erasure.eraseBatch(open, 100))
  const files = await storage.erasure.findFiles(organization_id, 100)
  await storage.files.delete(files)
  await storage.uploads.forget(files)
  await storage.erasure.endPhase(open, { removed: files.length, isOver: files.length === 0 })
}

it('an erasure changes no other organization, even one in the same phase', async () => {
  const waiting = await everything(database)
  await begin(waiting)
  const [own, erasedToo] = [await everything(database), await everything(database)]
  const others = [waiting, erasedToo]
  const rowsOfOthers = () => Promise.all(others.map((each) => rowsOf(database, each)))
  async function leavesOthers(change: () => Promise<void>): Promise<void> {
    const before = await rowsOfOthers()
    await change()
    expect(await rowsOfOthers()).toEqual(before)
  }

  await leavesOthers(() => begin(own, true))
  await begin(erasedToo)
  for (const [index, phase] of ERASURE_PHASES.entries()) {
    const next = ERASURE_PHASES[index + 1] ?? 'erased'
    // The second time finds nothing more.
    for (let n = 0; n < 2 && (await phaseOf(own)) === phase; n += 1) {
      await leavesOthers(() => step(own, phase))
    }
    expect(await phaseOf(own)).toBe(next)
    if (phase === 'end') break
    while ((await phaseOf(erasedToo)) === phase) await step(erasedToo, phase)
  }

  const { audit_log, ...rest } = await storage.erasure.count(own.organization_id)
  expect(audit_log).toBe(2)
  expect(new Set(Object.values(rest))).toEqual(new Set([0]))
  // Nothing is left, so there is nothing to begin.
  await begin(own, true)
  expect(await phaseOf(own)).toBe('erased')

  // A batch of the ended erasure, while another organization is in that phase.
  for (const phase of ['waiting', 'idempotency_keys'] as const) {
    while ((await phaseOf(waiting)) === phase) await step(waiting, phase)
  }
  expect(await phaseOf(waiting)).toBe('quotations')
  const quotation = sampleQuotation({ organization_id: own.organization_id })
  await storage.quotations.accept(quotation, null)
  await step(own, 'quotations')
  expect(await storage.quotations.find(own.organization_id, quotation.id)).toMatchObject({ id: quotation.id })
})

it('findErased finds a quotation only for the organization that erased it', async () => {
  const { id, organization_id } = sampleQuotation()
  await storage.auditLog.record(
    sampleAuditEntry({ organization_id, resource_id: id, action: 'quotation.erased' }),
  )
  const other = sampleQuotation().organization_id

  expect(await storage.erasure.findErased([{ id, organization_id }])).toEqual(new Set([id]))
  expect(await storage.erasure.findErased([{ id, organization_id: other }])).toEqual(new Set())
})
