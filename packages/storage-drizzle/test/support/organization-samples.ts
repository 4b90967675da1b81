import { randomBytes, randomUUID } from 'node:crypto'
import type { FileDatabase } from './database.ts'
import {
  MANY_KEYS,
  sampleApiKey,
  sampleAuditEntry,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleRequests,
  sampleSecrets,
} from './samples.ts'

/** An organization with a row in every table. */
export async function everything({ sql, storage }: FileDatabase) {
  const organization_id = randomUUID()
  const key = sampleApiKey({ organization_id })
  const endpoint = sampleEndpoint({ organization_id, events: ['quotation.completed'] })
  const file = { id: randomUUID(), name: 'a.txt', type: 'txt' as const, size: 1 }
  const upload = { id: randomUUID(), organization_id }
  const quotation = sampleQuotation({ organization_id, api_key_id: key.id, files: [file] })
  const proposal = { id: randomUUID(), name: 'Offer', document_id: null }
  const event = sampleEvent({ organization_id, quotation_id: quotation.id })
  const entry = sampleAuditEntry({ organization_id })
  const test = randomUUID()
  const testEvent = sampleEvent({ organization_id })
  const attempt = randomUUID()
  const replay = { id: randomUUID(), endpoint_id: endpoint.id, since: new Date(0), until: new Date() }
  const now = new Date()
  await storage.apiKeys.insert(key, randomBytes(32), MANY_KEYS)
  await storage.apiKeys.recordRequests([sampleRequests(key.id)])
  await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
  for (const id of [file.id, upload.id]) await storage.uploads.record({ id, organization_id }, now)
  await storage.quotations.accept(quotation, { key: 'once', requestHash: randomBytes(32) })
  const step = { step: 'requirement_analysis', status: 'running', error_code: null } as const
  await storage.quotations.saveProgress(
    organization_id,
    quotation.id,
    { status: 'running', step, proposal },
    now,
  )
  await storage.events.record(event)
  await storage.auditLog.record(entry)
  await storage.testDeliveries.insert(testEvent, { id: test, endpointId: endpoint.id })
  await storage.replays.insert(organization_id, { ...replay, status: 'all' }, now)
  await sql`insert into quickquote.delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id,
      event_type, attempt, status, is_test, created_at)
    values (${attempt}, ${attempt}, ${organization_id}, ${endpoint.id}, ${event.id}, 'quotation.completed', 1, 'failed',
      false, now())`
  await sql`insert into quickquote.endpoint_health (endpoint_id, failing_since) values (${endpoint.id}, now())`
  const failingSince = new Date(now.getTime() + 60_000)
  await storage.warnings.noteFailingEndpoints({ failingSince, stage: 1, now })
  await sql`insert into quickquote.delivery_hours (endpoint_id, hour, delivered, failed, given_up, organization_id)
    values (${endpoint.id}, date_trunc('hour', now()), 1, 0, 0, ${organization_id})`
  await sql`insert into quickquote.attempt_types values (${organization_id}, 'quotation.completed', now())`
  await sql`insert into quickquote.feed_floors values (${organization_id}, 0)`
  await sql`insert into quickquote.endpoint_urls values (${endpoint.id}, 0, 'https://old.example/')`
  await sql`insert into quickquote.file_chunks (file_id, position, organization_id, is_last, bytes)
    values (${randomUUID()}, 0, ${organization_id}, true, '')`
  const [row] = await sql<{ id: string }[]>`
    select id from quickquote.deliveries where endpoint_id = ${endpoint.id} and not is_test`
  const delivery = row?.id ?? ''
  return {
    organization_id,
    key,
    endpoint,
    quotation,
    proposal,
    event,
    entry,
    test,
    testEvent,
    attempt,
    replay,
    delivery,
    upload,
  }
}

export type Everything = Awaited<ReturnType<typeof everything>>

/** All rows of an organization as text, by table. */
export async function rowsOf(
  { sql }: FileDatabase,
  { organization_id, quotation, endpoint, key }: Everything,
): Promise<Record<string, string[]>> {
  const ids = [organization_id, quotation.id, endpoint.id, key.id].map((id) => `%${id}%`)
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'quickquote'::regnamespace
      and relkind = 'r'`
  const rows = tables.map(async ({ name }) => {
    const found = await sql<{ row: string }[]>`
      select row from (select to_jsonb(each)::text as row from quickquote.${sql(name)} each) as text
      where row like any (${ids}) order by row`
    return [name, found.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}
