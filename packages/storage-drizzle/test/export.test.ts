import { randomUUID } from 'node:crypto'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import {
  MANY_KEYS,
  sampleApiKey,
  sampleAuditEntry,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleSecret,
} from './support/samples.ts'

const { sql, storage } = await openDatabase()
const { organizations } = integrationsOn(storage)

const QUOTATIONS = 250
const ATTEMPTS = 130

/** An organization with more than one page of everything. */
async function organization() {
  const organization_id = randomUUID()
  const hash = Buffer.from(randomUUID().repeat(2).slice(0, 32))
  await storage.apiKeys.insert(sampleApiKey({ organization_id }), hash, MANY_KEYS)
  const endpoints = [sampleEndpoint({ organization_id }), sampleEndpoint({ organization_id })]
  const secret = sampleSecret()
  for (const endpoint of endpoints)
    await storage.webhookEndpoints.insert(endpoint, { secret, headers: null }, 50)
  for (let n = 0; n < QUOTATIONS; n += 1) {
    const file = { id: randomUUID(), name: 'a.txt', type: 'txt' as const, size: 1 }
    await storage.uploads.record({ id: file.id, organization_id }, new Date())
    const source = n % 2 === 0 ? 'ui' : 'api_key'
    await storage.quotations.accept(sampleQuotation({ organization_id, source, files: [file] }), null)
  }
  const event = sampleEvent({ organization_id })
  await storage.events.record(event)
  for (const { id } of endpoints) {
    await sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
        event_type, attempt, status, is_test, created_at)
      select gen_random_uuid(), gen_random_uuid(), ${organization_id}, ${id}, ${event.id}, 'quotation.completed', 1,
        'failed', false, now() - n % 7 * interval '1 second' from generate_series(1, ${ATTEMPTS}) n`
  }
  await storage.auditLog.record(sampleAuditEntry({ organization_id }))
  return {
    organization_id,
    secrets: [hash, secret.ciphertext].map((each) => Buffer.from(each).toString('hex')),
  }
}

interface Line {
  readonly position: string
  readonly type: string
  readonly data: Record<string, unknown>
}

async function linesOf(
  organizationId: string,
  after?: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of organizations.export(organizationId, after === undefined ? {} : { after })) {
    expect(line.endsWith('\n')).toBe(true)
    lines.push(JSON.parse(line))
    if (lines.length >= limit) break
  }
  return lines
}

it('contains everything of the organization once, no other organization, and no secret', async () => {
  const own = await organization()
  const other = await organization()
  const lines = await linesOf(own.organization_id.toUpperCase())

  const counts: Record<string, number> = {}
  for (const { type } of lines) counts[type] = (counts[type] ?? 0) + 1
  expect(counts).toEqual({
    quotation: QUOTATIONS,
    api_key: 1,
    webhook_endpoint: 2,
    event: 1,
    delivery_attempt: 2 * ATTEMPTS,
    audit_entry: 1,
  })
  expect(new Set(lines.map(({ type, data }) => `${type} ${data['id']}`)).size).toBe(lines.length)
  expect(lines[0]?.data).toMatchObject({ files: [{ name: 'a.txt' }], steps: [], proposal: null })
  const text = JSON.stringify(lines)
  expect(text).not.toContain(other.organization_id)
  for (const secret of own.secrets) expect(text).not.toContain(secret)
})

it('continues after the position of any line', async () => {
  const { organization_id } = await organization()
  const whole = await linesOf(organization_id)
  for (const at of [0, 99, 100, 249, 250, 253, 254, 300, 383, 384, 400, whole.length - 1]) {
    expect(await linesOf(organization_id, whole[at]?.position)).toEqual(whole.slice(at + 1))
  }
})

it('reads no more than requested', async () => {
  const { organization_id } = await organization()
  expect(await linesOf(organization_id, undefined, 3)).toHaveLength(3)
})

it('refuses an invalid organization or position', async () => {
  await expect(linesOf('crm')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  for (const after of ['', 'quotation', 'nothing:["x"]', 'event:["2026"', 'event:["a\'"]']) {
    await expect(linesOf(randomUUID(), after)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  }
  expect(await linesOf(randomUUID())).toEqual([])
})
