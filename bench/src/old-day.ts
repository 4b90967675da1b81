import { randomUUID } from 'node:crypto'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'

/** An organization with one enabled endpoint that subscribes to everything. */
export interface Subscriber {
  readonly organizationId: string
  readonly endpointId: string
}

/** Migrates a database and writes an endpoint for each of `count` organizations. */
export async function createSubscribers(databaseUrl: string, count: number): Promise<Subscriber[]> {
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  const subscribers = Array.from({ length: count }, () => ({
    organizationId: randomUUID(),
    endpointId: randomUUID(),
  }))
  for (const { organizationId, endpointId } of subscribers) {
    const now = new Date()
    await storage.webhookEndpoints.insert(
      {
        id: endpointId,
        organization_id: organizationId,
        name: 'Bench',
        url: 'https://receiver.example/',
        description: null,
        events: ['quotation.completed'],
        trigger_mode: 'always',
        ordering: 'none',
        header_names: [],
        is_enabled: true,
        disabled_reason: null,
        secret_hint: 'whsec_…',
        previous_secret_expires_at: null,
        created_at: now,
        updated_at: now,
      },
      { secret: { keyId: 'bench', ciphertext: Buffer.alloc(48) }, headers: null },
      50,
    )
  }
  await storage.close()
  return subscribers
}

/** Gives the only subscriber `count` endpoints in all. */
export async function addEndpoints(sql: postgres.Sql, count: number): Promise<void> {
  await sql`
    insert into webhook_endpoints (id, organization_id, name, url, events, trigger_mode, is_enabled, secret_ciphertext,
      secret_key_id, secret_hint, created_at, updated_at)
    select gen_random_uuid(), organization_id, name, url, events, trigger_mode, is_enabled, secret_ciphertext,
      secret_key_id, secret_hint, created_at, updated_at
    from webhook_endpoints, generate_series(2, ${count}::int)`
}

/** Fills an expired day with events, and one attempt of each. */
export async function fillOldDay(databaseUrl: string, subscribers: readonly Subscriber[], events: number) {
  const sql = postgres(databaseUrl, { max: 1, connection: { search_path: 'quickquote' }, onnotice() {} })
  const day = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  const nextDay = new Date(Date.parse(day) + 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  for (const table of ['events', 'delivery_attempts']) {
    await sql.unsafe(`create table ${table}_old partition of ${table} for values
      from ('${day}T00:00:00Z') to ('${nextDay}T00:00:00Z')`)
  }
  const organizations = subscribers.map(({ organizationId }) => organizationId)
  const endpoints = subscribers.map(({ endpointId }) => endpointId)
  await sql`
    insert into events (id, organization_id, type, quotation_id, body, created_at, generation_source)
    select gen_random_uuid(), (${organizations}::uuid[])[1 + n % ${subscribers.length}::int], 'quotation.completed',
      gen_random_uuid(), repeat('x', 400), ${day}::timestamptz + n * interval '24 hours' / ${events + 1}::int, 'api_key'
    from generate_series(1, ${events}::int) n`
  await sql`
    insert into delivery_attempts (id, delivery_id, organization_id, endpoint_id, event_id, event_type, quotation_id,
      attempt, status, http_status, duration_ms, is_test, created_at)
    select gen_random_uuid(), gen_random_uuid(), (${organizations}::uuid[])[1 + n % ${subscribers.length}::int],
      (${endpoints}::uuid[])[1 + n % ${subscribers.length}::int], gen_random_uuid(), 'quotation.completed',
      gen_random_uuid(), 1, 'succeeded', 204, 12, false,
      ${day}::timestamptz + n * interval '24 hours' / ${events + 1}::int
    from generate_series(1, ${events}::int) n`
  await sql`vacuum analyze events, delivery_attempts`
  await sql.end()
}

/** The database name of a connection string. */
export function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1))
}
