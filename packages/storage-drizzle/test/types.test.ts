import { randomBytes, randomUUID } from 'node:crypto'
import type { Storage } from '@quickquote/core'
import type { ClaimedDelivery, SettledAttempt } from '@quickquote/core/internal'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../src/connection/database.ts'
import { onHostDrizzle } from '../src/connection/host-drizzle.ts'
import { onPostgresJs } from '../src/connection/postgres-js.ts'
import {
  bool,
  bytes,
  int,
  json,
  list,
  nullable,
  selected,
  statement,
  text,
  time,
  uuid,
} from '../src/connection/statement.ts'
import { drizzleStorage } from '../src/index.ts'
import { openDatabase } from './support/database.ts'
import { databaseOn } from './support/database-on.ts'
import { claimOf, succeeded } from './support/delivery-samples.ts'
import { HOSTILE_SETTINGS, PLAIN_SETTINGS, setForDatabase } from './support/hostile-session.ts'
import { DRIZZLES, HOSTS } from './support/hosts.ts'
import {
  AWKWARD,
  MANY_KEYS,
  sampleApiKey,
  sampleEndpoint,
  sampleEvent,
  sampleQuotation,
  sampleSecret,
  sampleSecrets,
} from './support/samples.ts'

const { url, sql } = await openDatabase({ sql: { connection: PLAIN_SETTINGS, onnotice() {} } })

/** Every way in which our statements reach PostgreSQL. */
const PATHS: Record<string, (url: string, use: (opened: Opened) => Promise<void>) => Promise<void>> = {
  'our own connections': (url, use) => onClient(postgres(url), true, use),
  'our own connections without prepared statements': (url, use) => onClient(postgres(url), false, use),
  'a client of the host that drizzle wraps': (url, use) => {
    const client = postgres(url)
    drizzle(client)
    return onClient(client, true, use)
  },
  ...Object.fromEntries(
    Object.entries(DRIZZLES).map(([name, openDrizzle]) => [
      name,
      async (url: string, use: (opened: Opened) => Promise<void>) => {
        const { db, close } = openDrizzle(url)
        const driver = onHostDrizzle(db)
        const database = databaseOn(driver)
        await use({ storage: drizzleStorage({ db }), database }).finally(close)
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(HOSTS).map(([name, openHost]) => [
      name,
      async (url: string, use: (opened: Opened) => Promise<void>) => {
        const host = openHost(url)
        const storage = drizzleStorage({ sql })
        const database = databaseOn(onPostgresJs(sql, { prepare: true }))
        await host
          .transaction((transaction) =>
            use({ storage: storage.within(transaction), database: database.within(transaction) }),
          )
          .finally(() => host.close())
      },
    ]),
  ),
}

interface Opened {
  storage: Storage
  database: Database
}

async function onClient(client: postgres.Sql, prepare: boolean, use: (opened: Opened) => Promise<void>) {
  const database = databaseOn(onPostgresJs(client, { prepare }), { prepare })
  await use({ storage: drizzleStorage({ sql: client, prepare }), database }).finally(() => client.end())
}

/** Session settings, each of which changes how values are written or read. */
const SESSIONS: Record<string, string[]> = {
  '': [],
  ', in a session with other settings': HOSTILE_SETTINGS,
}

const WAYS = Object.entries(SESSIONS).flatMap(([session, settings]) =>
  Object.entries(PATHS).map(([path, open]) => [`${path}${session}`, settings, open, path in HOSTS] as const),
)

describe.each(WAYS)('through %s', (_, settings, open, isTransactionOfHost) => {
  beforeAll(() => setForDatabase(sql, settings))

  it('a key keeps its hash and times', async () => {
    const hash = Buffer.from([0, 1, 92, 39, 34, 255, ...randomBytes(26)])
    const key = sampleApiKey()
    const used = new Date('2026-11-21T10:05:00.007Z')

    await open(url, async ({ storage }) => {
      await storage.apiKeys.insert(key, hash, MANY_KEYS)
      await storage.apiKeys.recordUses(new Map([[key.id, used]]))
      const { id, organization_id, status, expires_at } = key
      expect(await storage.apiKeys.findByHash(hash)).toEqual({ id, organization_id, status, expires_at })
      expect(await storage.apiKeys.findByHash(randomBytes(32))).toBeNull()
    })

    expect(await rowOf('api_keys', key.id)).toEqual({ ...key, key_hash: hash, last_used_at: used })
  })

  it('a quotation keeps its text, metadata and files', async () => {
    const metadata = {
      [AWKWARD]: [1.5, null, true, {}, []],
      snake_case: { camelCase: AWKWARD },
      text: '{"no": "json"}',
    }
    const files = [
      { id: randomUUID(), name: AWKWARD, type: 'pdf' as const, size: 2 ** 40 },
      { id: randomUUID(), name: 'null', type: 'md' as const, size: 0 },
    ]
    const config_id = randomUUID()
    const quotation = sampleQuotation({ metadata, files, config_id, external_id: AWKWARD })
    const { id, organization_id, name, description, source, created_at } = quotation

    await open(url, async ({ storage }) => {
      for (const file of files) await storage.uploads.record({ id: file.id, organization_id }, created_at)
      await storage.quotations.accept(quotation, null)
      expect(await storage.quotations.find(organization_id, id)).toEqual({
        id,
        name,
        description,
        status: 'queued',
        processed_step: 'none',
        source,
        config_id,
        error_code: null,
        external_id: AWKWARD,
        metadata,
        created_at,
        updated_at: created_at,
      })
    })

    expect(await rowOf('quotations', id)).toMatchObject({
      requirements_text: AWKWARD,
      metadata,
      created_at,
      updated_at: created_at,
    })
    expect(
      await sql`select id, name, type, size::float8 from quickquote.quotation_files
      where quotation_id = ${id} order by position`,
    ).toEqual(files)
    expect(
      await sql`select due_at, attempt, leased_by from quickquote.pipeline_starts where quotation_id = ${id}`,
    ).toEqual([{ due_at: created_at, attempt: 0, leased_by: null }])
  })

  it('progress and the proposal keep their times', async () => {
    const quotation = sampleQuotation()
    const { id, organization_id } = quotation
    const now = new Date('2026-11-21T10:06:00.345Z')
    const proposal = { id: randomUUID(), name: AWKWARD, document_id: randomUUID() }
    const stored = { ...proposal, status: 'completed', quotation_id: id, created_at: now, updated_at: now }

    await open(url, async ({ storage }) => {
      await storage.quotations.accept(quotation, null)
      await storage.quotations.saveProgress(
        organization_id,
        id,
        {
          status: 'running',
          processed_step: 'proposal',
          step: { step: 'proposal', status: 'completed', error_code: null },
          proposal,
        },
        now,
      )
      expect(await storage.quotations.lockProgress(id)).toEqual({
        quotation_id: id,
        organization_id,
        name: quotation.name,
        source: 'api_key',
        status: 'running',
        error_code: null,
        steps: [{ step: 'proposal', status: 'completed' }],
        proposal,
        trace: quotation.trace,
        updated_at: now,
      })
      expect(await storage.quotations.findPipelineStatus(organization_id, id)).toMatchObject({
        quotation_id: id,
        processed_step: 'proposal',
        // The earlier steps were skipped: this pipeline has fewer.
        progress: { completed: 5, total: 5 },
        updated_at: now,
        steps: [
          { step: 'requirement_analysis', status: 'completed', started_at: null },
          {},
          {},
          {},
          { step: 'proposal', status: 'completed', started_at: now, completed_at: now },
        ],
      })
      expect(await storage.quotations.findProposalOf(organization_id, id)).toEqual(stored)
      expect(await storage.quotations.findProposal(organization_id, proposal.id)).toEqual(stored)
    })

    expect(await rowOf('proposals', proposal.id)).toEqual({ ...stored, organization_id })
  })

  it('an endpoint keeps its secret and events, and an event its bytes', async () => {
    const endpoint = sampleEndpoint({
      events: [AWKWARD, 'null', '', 'quotation.completed'],
      description: AWKWARD,
      header_names: ["X-!#$%&'*+.^_`|~", 'null'],
    })
    const [secret, headers] = [sampleSecret(), sampleSecret()]
    const { organization_id } = endpoint
    const event = sampleEvent({
      organization_id,
      type: AWKWARD,
      created_at: new Date('2026-11-21T10:05:00.500Z'),
    })

    await open(url, async ({ storage }) => {
      expect(await storage.webhookEndpoints.insert(endpoint, { secret, headers }, 1)).toBe(true)
      expect(
        await storage.webhookEndpoints.insert(sampleEndpoint({ organization_id }), sampleSecrets(), 1),
      ).toBe(false)
      await storage.events.record(event)
    })

    expect(await rowOf('webhook_endpoints', endpoint.id)).toMatchObject({
      ...endpoint,
      secret_ciphertext: secret.ciphertext,
      secret_key_id: secret.keyId,
      headers_ciphertext: headers.ciphertext,
      headers_key_id: headers.keyId,
      deleted_at: null,
    })
    expect(await rowOf('events', event.id)).toMatchObject({ body: event.body, created_at: event.created_at })
    expect(
      await sql`select endpoint_id, event_created_at, due_at, attempt, is_test from quickquote.deliveries
      where event_id = ${event.id}`,
    ).toEqual([
      {
        endpoint_id: endpoint.id,
        event_created_at: event.created_at,
        due_at: event.created_at,
        attempt: 0,
        is_test: false,
      },
    ])
  })

  // Rounds have a transaction of their own.
  if (!isTransactionOfHost) {
    it('an attempt keeps its texts, and what is missing stays missing', async () => {
      // Workers need that isolation, and say so.
      await setForDatabase(
        sql,
        settings.filter((setting) => !setting.includes('isolation')),
      )
      onTestFinished(() => setForDatabase(sql, settings))
      const endpoint = sampleEndpoint({ events: ['quotation.completed'] })
      const { organization_id } = endpoint
      const texts = {
        status: 'failed',
        error: AWKWARD,
        response_body: AWKWARD,
        header_names: ["X-!#$%&'*+.^_`|~", 'null', AWKWARD],
        next_attempt_at: new Date('2026-11-22T10:05:00.001Z'),
      } as const
      const empty = { error: '', response_body: '', first_byte_ms: 0, header_names: ['null'] }
      const missing = { http_status: null, error: null, response_body: null, first_byte_ms: null }
      const workerId = randomUUID()
      let settled: SettledAttempt[] = []

      await open(url, async ({ storage: { webhookEndpoints, events, deliveries } }) => {
        await webhookEndpoints.insert(endpoint, sampleSecrets(), 1)
        for (const _ of [texts, empty, missing]) {
          await events.record(sampleEvent({ organization_id, type: 'quotation.completed' }))
        }
        const { claimed } = await deliveries.round(claimOf(workerId))
        const ours = claimed.filter((delivery) => delivery.organization_id === organization_id)
        settled = [texts, empty, missing].map((fields, index) =>
          succeeded(ours[index] as ClaimedDelivery, fields),
        )
        await deliveries.round({ ...claimOf(workerId, { limit: 0 }), settled })
      })

      const [kept, keptEmpty, keptMissing] = await Promise.all(
        settled.map(({ id }) => rowOf('delivery_attempts', id)),
      )
      expect(kept).toMatchObject(texts)
      expect(keptEmpty).toMatchObject({ ...empty, next_attempt_at: null })
      expect(keptMissing).toMatchObject({ ...missing, header_names: null })
    })
  }

  it('a raw statement accepts and returns the same values', async () => {
    const at = new Date('2026-11-21T10:05:00.009Z')
    const some = Buffer.from([0, 92, 255])
    const id = randomUUID()

    await open(url, async ({ database }) => {
      const columns = {
        at: time,
        bytes,
        id: uuid,
        number: int,
        flag: bool,
        nothing: nullable(text),
        never: nullable(time),
        equal: bool,
        second: text,
        is_same: bool,
        length: int,
        no_null: text,
        snake_case: json<object>(),
        texts: list<string>(),
      }
      const EVERY_TYPE = statement(
        columns,
        `select ${selected(columns)} from (
            select $at::timestamptz as at, decode($bytes::text, 'hex') as bytes, $id::uuid as id,
              $number::int as number, $flag::boolean as flag, $nothing::text as nothing,
              $never::timestamptz as never, $at::timestamptz = all ($times::timestamptz[]) as equal,
              ($texts::text[])[2] as second, decode(($list::text[])[1], 'hex') = decode($bytes::text, 'hex') as is_same,
              cardinality($none::int[]) as length, ($nulls::text[])[1] as no_null, $json::text::jsonb as snake_case,
              $texts::text[] as texts
          ) every`,
      )
      const rows = await database.run(EVERY_TYPE, {
        at,
        bytes: new Uint8Array(some),
        id,
        number: -5,
        flag: false,
        nothing: null,
        never: null,
        times: [at, at],
        texts: ['', AWKWARD],
        list: [some],
        none: [],
        nulls: ['null'],
        json: JSON.stringify({ snake_case: AWKWARD }),
      })
      expect(rows).toEqual([
        {
          at,
          bytes: some,
          id,
          number: -5,
          flag: false,
          nothing: null,
          never: null,
          equal: true,
          second: AWKWARD,
          is_same: true,
          length: 0,
          no_null: 'null',
          snake_case: { snake_case: AWKWARD },
          texts: ['', AWKWARD],
        },
      ])
      expect(await database.run(statement({}, 'select 1 as one where false'))).toEqual([])
    })
  })
})

async function rowOf(table: string, id: string): Promise<postgres.Row | undefined> {
  const [row] = await sql`select * from ${sql(`quickquote.${table}`)} where id = ${id}`
  return row
}
