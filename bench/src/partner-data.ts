import { randomUUID } from 'node:crypto'
import { generateApiKeyValue, hashApiKey } from '@quickquote/core/internal'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { BODY, EVENT_TYPE } from './delivery/payload.ts'

/** An organization with keys, quotations and events, in an SQL schema of its own. */
export interface PartnerData {
  readonly databaseUrl: string
  readonly schema: string
  readonly organizationId: string
  /** The id of one of the keys. */
  readonly apiKeyId: string
  /** Values of keys. There may be more keys than these. */
  readonly apiKeys: readonly string[]
  readonly quotationIds: readonly string[]
  /** The place in the feed of the first event; those of the others follow, one by one. */
  readonly firstPosition: number
}

/** So many keys are enough for 10,000 requests a second at the default limit. */
const KEYS_IN_USE = 10_000
const QUOTATIONS = 10_000
const BATCH = 1000
const EVENTS = 10_000

/** @param options.keys how many there are; at most 10,000 of them can be used, spread over all */
export async function createPartnerData(
  databaseUrl: string,
  { schema, keys }: { schema: string; keys: number },
): Promise<PartnerData> {
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
    // Keys that nobody knows, for the size of the table and its index.
    await sql`${insertInto(sql)} select gen_random_uuid(), ${organizationId}, 'bench', 'Bench', sha256(int8send(n)),
      'pk_', 'active', now() + interval '1 year', now(), now() from generate_series(1, ${keys - apiKeys.length}::bigint) n`
    const [apiKey] = await sql<{ id: string }[]>`select id from api_keys limit 1`
    const quotations = await sql<{ id: string }[]>`
      insert into quotations (id, organization_id, name, description, status, processed_step, source, created_at, updated_at)
      select gen_random_uuid(), ${organizationId}, 'Customer portal ' || n, 'Second phase, with invoices', 'running',
        'requirement_analysis', 'api_key', now(), now() from generate_series(1, ${QUOTATIONS}::int) n returning id`
    await sql`
      insert into events (id, organization_id, type, generation_source, body, feed_position, created_at)
      select gen_random_uuid(), ${organizationId}, ${EVENT_TYPE}, 'api_key', ${BODY}, next_feed_position(${organizationId}), now()
      from generate_series(1, ${EVENTS}::int)`
    const [first] = await sql<{ position: string }[]>`select min(feed_position)::text as position from events`
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
