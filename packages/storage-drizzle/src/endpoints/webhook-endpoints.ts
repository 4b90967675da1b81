import {
  isUuid,
  type StoredWebhookEndpoint,
  type WebhookEndpointChange,
  type WebhookEndpointStorage,
} from '@quickquote/core/internal'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { oneAtATime } from '../connection/one-at-a-time.ts'
import { readable } from '../connection/readable.ts'
import { CATCH_UP } from '../deliveries/deliveries.sql.ts'
import { REFUSE_ERASED } from '../organizations/not-erased.sql.ts'
import type { Tables } from '../schema.ts'
import { END_PAUSE, FORGET_FAILURES, PARK_SOME } from './webhook-endpoints.sql.ts'

const NO_PREVIOUS_SECRET = {
  previous_secret_ciphertext: null,
  previous_secret_key_id: null,
  previous_secret_expires_at: null,
}

const NO_HEADERS = { header_names: [], headers_ciphertext: null, headers_key_id: null }

/** See WebhookEndpointStorage. */
export function webhookEndpointStorage(database: Database): WebhookEndpointStorage {
  const { webhookEndpoints: endpoints } = database.tables
  const { id, organization_id, created_at } = endpoints
  const endpoint = columnsOf(endpoints)

  return {
    async insert(endpoint, { secret, headers }, maximum) {
      return database.transaction(async (transaction) => {
        const { db } = transaction
        await oneAtATime(transaction, `endpoints of ${endpoint.organization_id}`)
        await transaction.run(REFUSE_ERASED, { organization_id: endpoint.organization_id })
        const existing = await db.$count(endpoints, ofOrganization(endpoints, endpoint.organization_id))
        if (existing >= maximum) return false
        await db.insert(endpoints).values({
          ...endpoint,
          secret_ciphertext: secret.ciphertext,
          secret_key_id: secret.keyId,
          headers_ciphertext: headers?.ciphertext,
          headers_key_id: headers?.keyId,
        })
        return true
      })
    },

    async list(organizationId) {
      return database.db
        .select(endpoint)
        .from(endpoints)
        .where(ofOrganization(endpoints, organizationId))
        .orderBy(asc(created_at), asc(id))
    },

    async find(organizationId, endpointId) {
      if (!isUuid(endpointId)) return null
      const [found] = await database.db
        .select(endpoint)
        .from(endpoints)
        .where(byId(endpoints, organizationId, endpointId))
      return found ?? null
    },

    async lock(organizationId, endpointId) {
      if (!isUuid(endpointId)) return null
      const [found] = await database.db
        .select(endpoint)
        .from(endpoints)
        .where(byId(endpoints, organizationId, endpointId))
        .for('no key update')
      return found ?? null
    },

    async findHeaders(organizationId, endpointId) {
      const [found] = await database.db
        .select({ keyId: endpoints.headers_key_id, ciphertext: endpoints.headers_ciphertext })
        .from(endpoints)
        .where(byId(endpoints, organizationId, endpointId))
      const { keyId = null, ciphertext = null } = found ?? {}
      return keyId === null || ciphertext === null ? null : { keyId, ciphertext }
    },

    async had(organizationId, endpointId) {
      if (!isUuid(endpointId)) return false
      const found = await database.db
        .select({ id })
        .from(endpoints)
        .where(and(eq(id, endpointId), eq(organization_id, organizationId)))
      return found.length > 0
    },

    async names(organizationId, ids) {
      const known = ids.filter(isUuid)
      if (known.length === 0) return new Map()
      const rows = await database.db
        .select({ id, name: endpoints.name })
        .from(endpoints)
        .where(and(inArray(id, known), eq(organization_id, organizationId)))
      return new Map(rows.map((row) => [row.id, row.name]))
    },

    update: (organizationId, endpointId, change, now) =>
      database.transaction((transaction) => update(transaction, { organizationId, endpointId, change, now })),

    async delete(organizationId, endpointId, now) {
      return database.transaction(async (transaction) => {
        const fields = {
          deleted_at: now,
          secret_ciphertext: null,
          secret_key_id: null,
          ...NO_PREVIOUS_SECRET,
          ...NO_HEADERS,
        }
        const deleted = await change(transaction, organizationId, endpointId, fields, now)
        await transaction.run(PARK_SOME, { organization_id: organizationId, endpoint_id: endpointId, now })
        return deleted
      })
    },

    async rotateSecret(organizationId, endpointId, { secret, hint, previousUntil }, now) {
      const isKept = previousUntil !== null
      return change(
        database,
        organizationId,
        endpointId,
        {
          secret_ciphertext: secret.ciphertext,
          secret_key_id: secret.keyId,
          secret_hint: hint,
          previous_secret_ciphertext: isKept ? sql`${endpoints.secret_ciphertext}` : null,
          previous_secret_key_id: isKept ? sql`${endpoints.secret_key_id}` : null,
          previous_secret_expires_at: previousUntil,
        },
        now,
      )
    },
  }
}

function toColumns({ header_names, encrypted }: NonNullable<WebhookEndpointChange['headers']>) {
  if (encrypted === null) return NO_HEADERS
  return { header_names, headers_ciphertext: encrypted.ciphertext, headers_key_id: encrypted.keyId }
}

type Endpoints = Tables['webhookEndpoints']

/** See WebhookEndpointStorage.update. */
async function update(
  transaction: Database,
  { organizationId, endpointId, change: wanted, now }: Update,
): Promise<StoredWebhookEndpoint> {
  const { headers, ends_pause, ...fields } = wanted
  const { is_enabled, ordering } = fields
  const which = { organization_id: organizationId, endpoint_id: endpointId }
  const written = {
    ...fields,
    ...(headers && toColumns(headers)),
    ...nextGeneration(transaction.tables.webhookEndpoints, fields),
  }
  const changed = await change(transaction, organizationId, endpointId, written, now)
  if (is_enabled === false) await transaction.run(PARK_SOME, { ...which, now })
  if (is_enabled === true) await transaction.run(FORGET_FAILURES, which)
  if (ends_pause === true) await transaction.run(END_PAUSE, which)
  if (is_enabled === true || ordering !== undefined) {
    const limit = ordering === undefined ? PARKED_AT_ONCE : ORDERED_AT_ONCE
    await transaction.run(CATCH_UP, { endpoint_id: endpointId, now, limit })
  }
  if (is_enabled === true || ordering !== undefined || ends_pause === true) await transaction.wake()
  return changed
}

interface Update {
  readonly organizationId: string
  readonly endpointId: string
  readonly change: WebhookEndpointChange
  readonly now: Date
}

/** Deliveries that catch up while the request waits, in less than 0.1 s. Parking reads no events. */
const PARKED_AT_ONCE = 1500
const ORDERED_AT_ONCE = 500

/** Enabling an endpoint, or changing its order, begins a new generation: see `migrations/functions/catching-up.sql`. */
function nextGeneration(
  { generation, parks_before, is_enabled, ordering }: Endpoints,
  wanted: Pick<WebhookEndpointChange, 'is_enabled' | 'ordering'>,
): PgUpdateSetSource<Endpoints> {
  const isEnabled = sql`(${wanted.is_enabled === true} and not ${is_enabled})`
  const isReordered = sql`(${ordering} <> coalesce(${wanted.ordering ?? null}::text, ${ordering}))`
  if (wanted.is_enabled !== true && wanted.ordering === undefined) return {}
  return {
    generation: sql`${generation} + (${isEnabled} or ${isReordered})::int`,
    parks_before: sql`case when ${isEnabled} then ${generation} + 1 else ${parks_before} end`,
    caught_up_until: sql`'-infinity'`,
  }
}

/** The columns that members see. */
function columnsOf(endpoints: Endpoints) {
  const { id, organization_id, name, url, description, events, trigger_mode, ordering } = endpoints
  const { is_enabled, disabled_reason, header_names, secret_hint } = endpoints
  const { previous_secret_expires_at, created_at, updated_at } = endpoints
  return readable({
    id,
    organization_id,
    name,
    url,
    description,
    events,
    trigger_mode,
    ordering,
    is_enabled,
    disabled_reason,
    header_names,
    secret_hint,
    previous_secret_expires_at,
    created_at,
    updated_at,
  })
}

function ofOrganization(endpoints: Endpoints, organizationId: string) {
  return and(eq(endpoints.organization_id, organizationId), isNull(endpoints.deleted_at))
}

function byId(endpoints: Endpoints, organizationId: string, endpointId: string) {
  return and(eq(endpoints.id, endpointId), ofOrganization(endpoints, organizationId))
}

/** Any change: workers that know the endpoint reload it. */
async function change(
  { db, tables: { webhookEndpoints: endpoints } }: Database,
  organizationId: string,
  endpointId: string,
  fields: PgUpdateSetSource<Endpoints>,
  now: Date,
) {
  const [changed] = await db
    .update(endpoints)
    .set({ ...fields, updated_at: now, version: sql`${endpoints.version} + 1` })
    .where(byId(endpoints, organizationId, endpointId))
    .returning(columnsOf(endpoints))
  if (changed === undefined)
    throw new Error('The endpoint has been deleted: it was not locked before the update.')
  return changed
}
