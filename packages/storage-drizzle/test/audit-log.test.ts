import { randomUUID } from 'node:crypto'
import type { AuditFilter, PageRequest } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import { ANY_ENTRY, AWKWARD, sampleAuditEntry } from './support/samples.ts'

const { sql, storage } = await openDatabase()

const at = (second: number) => new Date(Date.parse('2026-11-21T10:00:00Z') + second * 1000)

/** Six changes of three resources, two of them at the same time. */
async function insertSix() {
  const organization_id = randomUUID()
  const resources = [randomUUID(), randomUUID(), randomUUID()]
  const entries = [0, 1, 2, 2, 3, 4].map((second, index) =>
    sampleAuditEntry({
      organization_id,
      resource_id: String(resources[index % 3]),
      action: index % 2 === 0 ? 'api_key.updated' : 'api_key.revoked',
      created_at: at(second),
    }),
  )
  for (const entry of entries) await storage.auditLog.record(entry)
  const list = (filter: Partial<AuditFilter> = {}, after: PageRequest['after'] = null, limit = 10) =>
    storage.auditLog.list(organization_id, { ...ANY_ENTRY, ...filter }, { after, limit })
  return { organization_id, entries, resources, list }
}

describe('the audit log', () => {
  it('returns entries as recorded, with any content', async () => {
    const entry = sampleAuditEntry({
      actor_id: null,
      changes: [
        { field: 'name', from: AWKWARD, to: 'CRM' },
        { field: 'events', from: [AWKWARD], to: [] },
        { field: 'is_enabled', from: true, to: false },
        { field: 'description' },
      ],
    })
    await storage.auditLog.record(entry)
    expect(await storage.auditLog.list(entry.organization_id, ANY_ENTRY, { after: null, limit: 1 })).toEqual([
      entry,
    ])
  })

  it('pages newest first, and returns simultaneous changes exactly once', async () => {
    const { entries, list } = await insertSix()
    const read = []
    for (let after: PageRequest['after'] = null; ; ) {
      const page = await list({}, after, 1)
      const [entry] = page
      if (entry === undefined) break
      read.push(entry)
      after = entry
    }
    expect(read.map(({ created_at }) => created_at)).toEqual([4, 3, 2, 2, 1, 0].map(at))
    expect(new Set(read.map(({ id }) => id))).toEqual(new Set(entries.map(({ id }) => id)))
  })

  it('filters by resource, action and time', async () => {
    const { entries, resources, list } = await insertSix()
    const ids = async (filter: Partial<AuditFilter>) => (await list(filter)).map(({ id }) => id)
    const expected = (keep: (entry: (typeof entries)[number], index: number) => boolean) =>
      expect.arrayContaining(entries.filter(keep).map(({ id }) => id))

    const ofFirst = await ids({ resource_id: String(resources[0]) })
    expect(ofFirst).toEqual(expected((_, index) => index % 3 === 0))
    expect(ofFirst).toHaveLength(2)
    expect(await ids({ action: 'api_key.revoked' })).toHaveLength(3)
    expect(await ids({ since: at(2) })).toHaveLength(4)
    expect(await ids({ until: at(2) })).toHaveLength(2)
    expect(await ids({ since: at(1), until: at(3), action: 'api_key.updated' })).toEqual(
      expected((_, index) => index === 2),
    )
  })

  it('is rolled back with the change it records', async () => {
    const entry = sampleAuditEntry()
    const work = storage.transaction(async (transaction) => {
      await transaction.auditLog.record(entry)
      throw new Error('the change failed')
    })
    await expect(work).rejects.toThrow('the change failed')
    expect(await storage.auditLog.list(entry.organization_id, ANY_ENTRY, { after: null, limit: 1 })).toEqual(
      [],
    )
  })

  it('reads a page from an index, however long the log is', async () => {
    const organization_id = randomUUID()
    await sql`
      insert into quickquote.audit_log
        (id, organization_id, actor_id, action, resource_type, resource_id, resource_name, changes, created_at)
      select gen_random_uuid(), ${organization_id}, 'm', 'api_key.updated', 'api_key', gen_random_uuid(), 'CRM', '[]',
        timestamptz '2026-01-01Z' + n * interval '1 second'
      from generate_series(1, 20000) n`
    await sql`analyze quickquote.audit_log`
    const explain = await sql`
      explain (format text) select * from quickquote.audit_log
      where organization_id = ${organization_id}
        and (created_at, id) < (timestamptz '2026-01-01 01:00Z', ${randomUUID()}::uuid)
      order by created_at desc, id desc limit 51`
    const plan = explain.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('audit_log_of_organization')
    expect(plan).not.toContain('Sort')
  })
})
