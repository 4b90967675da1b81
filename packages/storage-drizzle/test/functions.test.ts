import { randomUUID } from 'node:crypto'
import type { Storage } from '@quickquote/core'
import { expect, it } from 'vitest'
import { openDatabase } from './support/database.ts'
import { openExplained, rowsRead } from './support/explained.ts'

const { url, sql } = await openDatabase({ sql: { onnotice() {} } })
const ROWS = 100_000
/** More than one, so that no index is of one organization only. */
const ORGANIZATIONS = Array.from({ length: 20 }, () => randomUUID())
const [own = '', erased = ''] = ORGANIZATIONS
const FEED = { types: null, source: null }
const NOW = new Date()
const LONG_AGO = new Date(0)

interface Target {
  readonly quotation: string
  readonly event: string
  readonly endpoint: string
  /** When the event was recorded. */
  readonly at: Date
}

/** What runs the functions that read a large table; a round and the readers of a feed have tests of their own. */
const CALLS: Record<
  string,
  (storage: Storage, target: Target, run: (text: string) => Promise<unknown>) => Promise<unknown>
> = {
  read_feed: (storage) => storage.eventFeed.read(own, null, FEED, 10),
  'start_of_feed, at the end': (storage) => storage.eventFeed.findEnd(own),
  'start_of_feed, after an event': (storage, { event }) => storage.eventFeed.findStart(own, event),
  catch_up: (storage) => storage.deliveries.catchUp(NOW, 10),
  deliveries_to: (_, { endpoint }, run) =>
    run(`select count(*) from quickquote.deliveries_to('${endpoint}')`),
  count_delivery_hours: (storage) => storage.retention.countHours(),
  erase_history_of_quotation: (storage, { quotation, at }) =>
    storage.erasure.eraseHistory(own, quotation, at),
  forget_quotation: (_, { quotation }, run) =>
    run(`delete from quickquote.quotations where id = '${quotation}'`),
  remove_audit_entries: (storage) => storage.retention.removeAuditEntries(LONG_AGO, 10),
  ...Object.fromEntries(
    ['events', 'delivery_attempts', 'audit_log'].map((table) => [
      `erase_history_of_organization, ${table}`,
      (_: Storage, __: Target, run: (text: string) => Promise<unknown>) =>
        run(`select quickquote.erase_history_of_organization('${erased}', '${table}', 10)`),
    ]),
  ),
}

async function fill(): Promise<void> {
  await sql`create table public.filled as
    select n, now() + n * interval '1 ms' as at, gen_random_uuid() as quotation, gen_random_uuid() as id,
      (${ORGANIZATIONS}::uuid[])[1 + n % ${ORGANIZATIONS.length}::int] as organization
    from generate_series(1, ${ROWS}::int) n`
  await sql.unsafe(`
    insert into quickquote.erased_organizations (organization_hash, organization_id, keeps_audit_log, requested_at, due_at)
    values ('\\x00', '${erased}', false, now(), 'infinity');
    insert into quickquote.webhook_endpoints (id, organization_id, name, url, events, trigger_mode, is_enabled, generation,
      secret_ciphertext, secret_key_id, secret_hint, created_at, updated_at)
    select organization, organization, '', 'https://receiver.example/', '{}', 'always', true,
      case organization when '${own}' then 1 else 0 end, '\\x00', 'key-1', '', now(), now()
    from (select distinct organization from filled) each;
    insert into quickquote.quotations (id, organization_id, name, description, status, processed_step, source, created_at, updated_at)
    select quotation, organization, '', '', 'completed', 'proposal', 'ui', now(), now() from filled;
    insert into quickquote.event_sequences select organization, quotation, 1 from filled;
    insert into quickquote.events (id, organization_id, type, quotation_id, sequence, body, feed_position, created_at)
    select id, organization, 'quotation.completed', quotation, 1, '{}', nextval('quickquote.feed_positions'), at from filled;
    insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
    select id, organization, organization, id, at, at from filled;
    insert into quickquote.delivery_attempts (id, delivery_id, attempt, organization_id, endpoint_id, event_id, event_type,
      is_test, status, created_at)
    select id, id, 1, organization, organization, id, '', false, 'succeeded', now() from filled;
    insert into quickquote.audit_log (id, organization_id, action, resource_type, resource_id, resource_name, changes, created_at)
    select id, organization, '', '', id, '', '[]', now() from filled;
    insert into quickquote.idempotency_keys select organization, n::text, '\\x00', quotation, now() from filled where n <= 1000`)
}

it('each function reads large tables by an index, and little of them, with plans from when they were empty', async () => {
  const explained = openExplained(url)
  const { storage, explain, nodes, run } = explained
  const nobody = { quotation: randomUUID(), event: randomUUID(), endpoint: randomUUID(), at: LONG_AGO }
  for (const call of Object.values(CALLS)) {
    for (let n = 0; n < 6; n += 1) await call(storage, nobody, run)
  }
  await fill()
  const [chosen] = await sql<Target[]>`
    select quotation, id as event, organization as endpoint, at::timestamptz(3) from filled where organization = ${own} and n > 50000 limit 1`

  const wrong: unknown[] = []
  for (const [name, call] of Object.entries(CALLS)) {
    await explain()
    await call(storage, chosen ?? nobody, run)
    const read = nodes()
    expect(read.length, name).toBeGreaterThan(0)
    const scans = read.filter((node) => node['Node Type'] === 'Seq Scan' && rowsRead([node]) > 100)
    const isWhole = ['deliveries_to', 'count_delivery_hours'].includes(name)
    if (scans.length > 0 || (!isWhole && rowsRead(read) > 2000)) {
      wrong.push([
        name,
        rowsRead(read),
        read.map((node) => [node['Node Type'], node['Index Name'], rowsRead([node])]),
      ])
    }
  }
  expect(wrong).toEqual([])
  await explained.close()
})
