import { randomUUID } from 'node:crypto'
import { generateApiKeyValue, hashApiKey } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import type { BenchContext } from './bench.ts'
import { BODY, EVENT_TYPE } from './delivery/payload.ts'
import { fillHistory } from './history.ts'

/** An organization with keys, quotations and events, in its own SQL schema. */
export interface PartnerData {
  readonly databaseUrl: string
  readonly schema: string
  readonly organizationId: string
  /** The ID of one of the keys. */
  readonly apiKeyId: string
  /** The usable keys; there may be more. */
  readonly apiKeys: readonly string[]
  readonly quotationIds: readonly string[]
  /** The feed position of the first event; the others follow without gaps. */
  readonly firstPosition: number
}

/** Enough keys for 10,000 requests a second at the default limit. */
const KEYS_IN_USE = 10_000
const QUOTATIONS = 10_000
const BATCH = 1000
const EVENTS = 10_000
/** Of others, in each day of history. */
const PER_DAY = 1000

/**
 * In a new database.
 * @param context.days of history of others
 * @param options.keys how many to create; at most 10,000 of them, spread over all, can be used
 */
export async function createPartnerData(
  { postgres: server, days }: Pick<BenchContext, 'postgres' | 'days'>,
  { keys }: { keys: number },
): Promise<PartnerData> {
  const schema = 'quickquote'
  const databaseUrl = await server.createDatabase()
  const storage = drizzleStorage({ connectionString: databaseUrl, schema })
  await storage.migrate()
  await storage.close()
  const sql = postgres(databaseUrl, { max: 1, connection: { search_path: schema }, onnotice() {} })
  const organizationId = randomUUID()
  try {
    const apiKeys = Array.from({ length: Math.min(keys, KEYS_IN_USE) }, () => generateApiKeyValue().reveal())
    for (let first = 0; first < apiKeys.length; first += BATCH) {
      await insertKeys(sql, organizationId, apiKeys.slice(first, first + BATCH).map(hashApiKey))
    }
    // Unusable keys, for the size of the table and its index.
    await sql`${insertInto(sql)} select gen_random_uuid(), ${organizationId}, 'bench', 'Bench', sha256(int8send(n)),
      'pk_', 'active', now() + interval '1 year', now(), now() from generate_series(1, ${keys - apiKeys.length}::bigint) n`
    const [apiKey] = await sql<{ id: string }[]>`select id from api_keys limit 1`
    const quotations = await sql<{ id: string }[]>`
      insert into quotations (id, organization_id, name, description, status, processed_step, source, created_at, updated_at)
      select gen_random_uuid(), ${organizationId}, 'Customer portal ' || n, 'Second phase, with invoices', 'running',
        'requirement_analysis', 'api_key', now(), now() from generate_series(1, ${QUOTATIONS}::int) n returning id`
    await fillHistory(sql, { days, perDay: PER_DAY, schema })
    await sql`
      insert into events (id, organization_id, type, generation_source, body, feed_position, created_at)
      select gen_random_uuid(), ${organizationId}, ${EVENT_TYPE}, 'api_key', ${BODY}, next_feed_position(${organizationId}), now()
      from generate_series(1, ${EVENTS}::int)`
    const [first] = await sql<{ position: string }[]>`select min(feed_position)::text as position from events
      where organization_id = ${organizationId}`
    await sql`vacuum analyze api_keys, quotations, events`
    return {
      databaseUrl,
      schema,
      organizationId,
      apiKeyId: apiKey?.id ?? '',
      apiKeys,
      quotationIds: quotations.map(({ id }) => id),
      firstPosition: Number(first?.position),
    }
  } finally {
    await sql.end()
  }
}

function insertInto(sql: postgres.Sql) {
  return sql`insert into api_keys
    (id, organization_id, owner_id, name, key_hash, masked_key, status, expires_at, created_at, updated_at)`
}

async function insertKeys(
  sql: postgres.Sql,
  organizationId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql`${insertInto(sql)} select gen_random_uuid(), ${organizationId}, 'bench', 'Bench', decode(hash, 'hex'), 'pk_',
    'active', now() + interval '1 year', now(), now()
    from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) hash`
}
