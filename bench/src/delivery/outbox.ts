import { randomUUID } from 'node:crypto'
import { createIntegrations, type Integrations, type IntegrationsOptions } from '@quickquote/core'
import { adminOf, hostOptions } from '@quickquote/dev-servers/host'
import { type DrizzleStorage, drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { v7 as uuidv7 } from 'uuid'
import type { BenchContext } from '../bench.ts'
import { fillHistory } from '../history.ts'
import { BODY, EVENT_TYPE } from './payload.ts'

/** Our database with endpoints. Unless said otherwise, each has its own organization. */
export interface Outbox {
  readonly databaseUrl: string
  readonly sql: postgres.Sql
  readonly storage: DrizzleStorage
  readonly endpoints: readonly Endpoint[]
  addEndpoint(url: string, organizationId?: string): Promise<Endpoint>
  /** Adds events, one per past millisecond, with one delivery each, spread over the endpoints. */
  fill(deliveries: number, endpoints?: readonly Endpoint[]): Promise<void>
  close(): Promise<void>
}

export interface Endpoint {
  readonly id: string
  readonly organizationId: string
}

const FILL_AT_ONCE = 20_000

/** In each day of the history that a bench's databases have. */
const PER_DAY = 1000

/**
 * @param options.urls of the endpoints
 * @param options.days of history. Default: as the command line says
 */
export async function openOutbox(
  context: BenchContext,
  { urls, days = context.days }: { urls: readonly string[]; days?: number },
): Promise<Outbox> {
  const databaseUrl = await context.postgres.createDatabase()
  const storage = drizzleStorage({ connectionString: databaseUrl })
  await storage.migrate()
  const integrations = createBenchIntegrations(storage)
  const sql = postgres(databaseUrl, { max: 2, onnotice() {} })

  async function addEndpoint(url: string, organizationId: string = randomUUID()): Promise<Endpoint> {
    const { id } = await integrations.webhookEndpoints.create(adminOf(organizationId), {
      name: 'Bench',
      url,
      events: [EVENT_TYPE],
    })
    return { id, organizationId }
  }

  await fillHistory(sql, { days, perDay: PER_DAY })
  const endpoints: Endpoint[] = []
  for (const url of urls) endpoints.push(await addEndpoint(url))

  return {
    databaseUrl,
    sql,
    storage,
    endpoints,
    addEndpoint,
    async fill(deliveries, of = endpoints) {
      for (let from = 0; from < deliveries; from += FILL_AT_ONCE) {
        await insert(sql, of, { count: Math.min(FILL_AT_ONCE, deliveries - from), age: deliveries - from })
      }
      await sql`vacuum analyze quickquote.deliveries`
    },
    async close() {
      await sql.end()
      await integrations.close()
    },
  }
}

/** The most that can be kept: workers remove no history while they are measured. */
const EVENT_DAYS = 366

/** Shared by all processes of a bench. */
export function createBenchIntegrations(
  storage: DrizzleStorage,
  delivery: IntegrationsOptions['delivery'] = {},
): Integrations {
  return createIntegrations({ ...hostOptions, storage, delivery, retention: { eventDays: EVENT_DAYS } })
}

async function insert(
  sql: postgres.Sql,
  endpoints: readonly Endpoint[],
  { count, age }: { count: number; age: number },
): Promise<void> {
  const ids = Array.from({ length: count }, () => uuidv7())
  await sql`
    with wanted as (
      select event_id, endpoint.id as endpoint_id, organization_id, date_trunc('milliseconds', now()) - (${age}::int - n) * interval '1 ms' as at
      from unnest(${ids}::uuid[]) with ordinality as event (event_id, n)
      join unnest(${endpoints.map(({ id }) => id)}::uuid[], ${endpoints.map(({ organizationId }) => organizationId)}::uuid[])
        with ordinality as endpoint (id, organization_id, position) on position = 1 + n % ${endpoints.length}::int
    ), event as (
      insert into quickquote.events (id, organization_id, type, body, created_at)
      select event_id, organization_id, ${EVENT_TYPE}, ${BODY}, at from wanted
    )
    insert into quickquote.deliveries (id, organization_id, endpoint_id, event_id, event_created_at, due_at)
    select (left(event_id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, organization_id, endpoint_id, event_id, at, at
    from wanted`
}
