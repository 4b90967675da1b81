import { randomUUID } from 'node:crypto'
import type {
  ClaimedDelivery,
  DeliveryRound,
  RecordedEvent,
  SettledAttempt,
  StoredWebhookEndpoint,
} from '@quickquote/core/internal'
import { afterAll } from 'vitest'
import { type DrizzleStorage, drizzleStorage } from '../../src/index.ts'
import { type CloseAfter, type FileDatabase, openDatabase } from './database.ts'
import { sampleEndpoint, sampleEvent, sampleSecrets } from './samples.ts'

/** A migrated database, with helpers for tests of deliveries. */
export interface Outbox extends FileDatabase {
  /** Stands for another process: has its own connections. */
  anotherStorage(options?: { url?: string; prepare?: boolean }): DrizzleStorage
  insertEndpoint(fields?: Partial<StoredWebhookEndpoint>): Promise<StoredWebhookEndpoint>
  /** Records an event of the endpoint's organization, with a delivery for each endpoint. */
  recordEvent(endpoint: StoredWebhookEndpoint, fields?: Partial<RecordedEvent>): Promise<RecordedEvent>
  /** Creates many due deliveries, oldest first, from `from` milliseconds ago. */
  insertBacklog(endpointIds: readonly string[], each: number, from?: number): Promise<void>
  /** Creates many endpoints, each in its own organization. */
  insertEndpoints(count: number): Promise<string[]>
  /** Removes all endpoints, events and deliveries. */
  clear(): Promise<void>
}

/** Closed after the calling test file, or after the test. */
export async function openOutbox(closeAfter: CloseAfter = afterAll): Promise<Outbox> {
  const database = await openDatabase({ sql: { onnotice() {} }, maxConnections: 4, closeAfter })
  const { sql, storage } = database
  const opened: DrizzleStorage[] = []
  closeAfter(async () => {
    await Promise.all(opened.map((each) => each.close()))
  })

  return {
    ...database,
    anotherStorage({ url = database.url, prepare = true } = {}) {
      const another = drizzleStorage({ connectionString: url, prepare, maxConnections: 4 })
      opened.push(another)
      return another
    },
    async insertEndpoint(fields = {}) {
      const endpoint = sampleEndpoint(fields)
      await storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 1000)
      return endpoint
    },
    async recordEvent(endpoint, fields = {}) {
      const event = sampleEvent({ organization_id: endpoint.organization_id, ...fields })
      await storage.events.record(event)
      return event
    },
    async insertBacklog(endpointIds, each, from = 60_000) {
      await sql`
        with endpoint as (
          select id, organization_id, gen_random_uuid() as event_id from quickquote.webhook_endpoints
          where id = any (${[...endpointIds]}::uuid[])
        ), event as (
          insert into quickquote.events (id, organization_id, type, body, created_at)
          select event_id, organization_id, 'quotation.completed', '{}', now() from endpoint
        )
        insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
        select gen_random_uuid(), organization_id, id, event_id, now()::timestamptz(3),
          now() - ${from}::int * interval '1 ms' + n * interval '1 ms'
        from endpoint, generate_series(1, ${each}::int) n`
    },
    async clear() {
      await sql`truncate quickquote.webhook_endpoints, quickquote.endpoint_urls, quickquote.delivery_hours, quickquote.events,
        quickquote.deliveries, quickquote.delivery_attempts, quickquote.workers, quickquote.event_sequences`
    },
    async insertEndpoints(count) {
      const rows = await sql<{ id: string }[]>`
        insert into quickquote.webhook_endpoints (id, organization_id, name, url, events, trigger_mode, is_enabled,
          secret_ciphertext, secret_key_id, secret_hint, created_at, updated_at)
        select gen_random_uuid(), gen_random_uuid(), '', 'https://receiver.example/', '{}', 'always', true,
          '\\x00', 'key-1', '', now(), now()
        from generate_series(1, ${count}::int)
        returning id`
      return rows.map(({ id }) => id).sort()
    },
  }
}

/** A round without outcomes that claims as much as possible. */
export function claimOf(workerId: string, fields: Partial<DeliveryRound> = {}) {
  return { workerId, settled: [], limit: 100, perEndpoint: 8, now: new Date(), ...fields }
}

/** Of any outcome. */
type Fields = { readonly [Name in keyof SettledAttempt]?: SettledAttempt[Name] }

/** The outcome of a successful attempt. */
export function succeeded(delivery: ClaimedDelivery, fields: Fields = {}): SettledAttempt {
  return {
    id: randomUUID(),
    delivery,
    status: 'succeeded',
    http_status: 204,
    error: null,
    error_code: null,
    duration_ms: 12,
    header_names: [],
    response_body: 'thanks',
    response_headers: null,
    first_byte_ms: 9,
    created_at: new Date(),
    next_attempt_at: null,
    paused_until: null,
    ...fields,
  } as SettledAttempt
}

/** The outcome of an attempt that is retried. */
export function failed(delivery: ClaimedDelivery, next_attempt_at: Date): SettledAttempt {
  const error = 'The receiver answered 500.'
  return succeeded(delivery, {
    status: 'failed',
    http_status: 500,
    error,
    error_code: '500',
    next_attempt_at,
  })
}
