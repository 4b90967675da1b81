import { isUuid, type StoredWebhookEndpoint, type WebhookEndpointStorage } from '@quickquote/core/internal'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import type { Database } from '../connection/database.ts'
import { oneAtATime } from '../connection/one-at-a-time.ts'
import { readable } from '../connection/readable.ts'

/** Deliveries that are parked while somebody waits for it. */
const PARKED_AT_ONCE = 1000

const NO_PREVIOUS_SECRET = {
  previous_secret_ciphertext: null,
  previous_secret_key_id: null,
  previous_secret_expires_at: null,
}

/** Webhook endpoints in PostgreSQL: see WebhookEndpointStorage. */
export function webhookEndpointStorage(database: Database): WebhookEndpointStorage {
  const { webhookEndpoints: endpoints } = database.tables
  const { id, organization_id, name, url, description, events, trigger_mode, ordering, is_enabled } =
    endpoints
  const { disabled_reason, secret_hint, previous_secret_expires_at, created_at, updated_at } = endpoints
  const settings = { name, url, description, events, trigger_mode, ordering, is_enabled }
  const endpoint = readable({
    id,
    organization_id,
    ...settings,
    disabled_reason,
    secret_hint,
    previous_secret_expires_at,
    created_at,
    updated_at,
  })
  const ofOrganization = (organizationId: string) =>
    and(eq(organization_id, organizationId), isNull(endpoints.deleted_at))
  const byId = (organizationId: string, endpointId: string) =>
    and(eq(id, endpointId), ofOrganization(organizationId))

  /** A change of any kind: workers that know the endpoint read it anew. */
  async function change(
    { db }: Database,
    organizationId: string,
    endpointId: string,
    fields: PgUpdateSetSource<typeof endpoints>,
    now: Date,
  ) {
    const [changed] = await db
      .update(endpoints)
      .set({ ...fields, updated_at: now, version: sql`${endpoints.version} + 1` })
      .where(byId(organizationId, endpointId))
      .returning(endpoint)
    if (changed === undefined) throw new Error('An endpoint that was not locked is gone.')
    return changed
  }

  /**
   * Takes what is pending out of the indexes that claims read, however little time there is for it: claims park the rest
   * of a long backlog as they come to it. What is under way ends as it ends.
   */
  async function park(
    { run, schema }: Database,
    organizationId: string,
    endpointId: string,
    now: Date,
  ): Promise<void> {
    await run(
      `update ${schema}.deliveries set parked_at = $2::timestamptz where ctid = any (array(
         select ctid from ${schema}.deliveries
         where endpoint_id = $1 and organization_id = $3 and leased_by is null and parked_at is null
         order by due_at limit ${PARKED_AT_ONCE} for update skip locked
       ))`,
      [endpointId, now, organizationId],
    )
  }

  /** Parks what is left of the backlog of an endpoint that was disabled: none of it is sent when that is enabled again. */
  async function parkRest(
    { run, schema }: Database,
    organizationId: string,
    endpointId: string,
    now: Date,
  ): Promise<void> {
    await run(
      `update ${schema}.deliveries set parked_at = $2::timestamptz
       where endpoint_id = $1 and organization_id = $3 and leased_by is null and parked_at is null
         and exists (select from ${schema}.webhook_endpoints where id = $1 and not is_enabled)`,
      [endpointId, now, organizationId],
    )
  }

  /** Gives what waits its place in its quotation, or takes it away. What is under way keeps what it has. */
  async function order(
    { run, schema, wake }: Database,
    organizationId: string,
    { id: endpointId, ordering: wanted }: Pick<StoredWebhookEndpoint, 'id' | 'ordering'>,
    now: Date,
  ): Promise<void> {
    const waiting = 'delivery.endpoint_id = $1 and delivery.organization_id = $2 and leased_by is null'
    if (wanted === 'quotation') {
      await run(
        `update ${schema}.deliveries delivery set quotation_id = event.quotation_id, sequence = event.sequence
         from ${schema}.events event
         where ${waiting} and not delivery.is_test and event.id = delivery.event_id
           and event.created_at = delivery.event_created_at and event.sequence is not null`,
        [endpointId, organizationId],
      )
      return
    }
    await run(
      `update ${schema}.deliveries delivery set quotation_id = null, sequence = null,
         due_at = case when due_at = 'infinity' then $3::timestamptz else due_at end
       where ${waiting} and quotation_id is not null`,
      [endpointId, organizationId, now],
    )
    await wake()
  }

  /** What failed before it was enabled does not count. */
  async function forgive(
    { run, schema }: Database,
    organizationId: string,
    endpointId: string,
  ): Promise<void> {
    await run(
      `update ${schema}.endpoint_health set failing_since = null
       where endpoint_id = $1 and failing_since is not null
         and exists (select from ${schema}.webhook_endpoints where id = $1 and organization_id = $2)`,
      [endpointId, organizationId],
    )
  }

  return {
    async insert(endpoint, secret, maximum) {
      return database.transaction(async (transaction) => {
        const { db } = transaction
        await oneAtATime(transaction, `endpoints of ${endpoint.organization_id}`)
        const existing = await db.$count(endpoints, ofOrganization(endpoint.organization_id))
        if (existing >= maximum) return false
        await db
          .insert(endpoints)
          .values({ ...endpoint, secret_ciphertext: secret.ciphertext, secret_key_id: secret.keyId })
        return true
      })
    },

    async list(organizationId) {
      return database.db
        .select(endpoint)
        .from(endpoints)
        .where(ofOrganization(organizationId))
        .orderBy(asc(created_at), asc(id))
    },

    async find(organizationId, endpointId) {
      if (!isUuid(endpointId)) return null
      const [found] = await database.db
        .select(endpoint)
        .from(endpoints)
        .where(byId(organizationId, endpointId))
      return found ?? null
    },

    async lock(organizationId, endpointId) {
      if (!isUuid(endpointId)) return null
      const [found] = await database.db
        .select(endpoint)
        .from(endpoints)
        .where(byId(organizationId, endpointId))
        .for('no key update')
      return found ?? null
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

    async update(organizationId, endpointId, fields, now) {
      return database.transaction(async (transaction) => {
        if (fields.is_enabled === true) await parkRest(transaction, organizationId, endpointId, now)
        const changed = await change(transaction, organizationId, endpointId, fields, now)
        if (fields.is_enabled === false) await park(transaction, organizationId, endpointId, now)
        if (fields.is_enabled === true) await forgive(transaction, organizationId, endpointId)
        if (fields.ordering !== undefined) await order(transaction, organizationId, changed, now)
        return changed
      })
    },

    async delete(organizationId, endpointId, now) {
      return database.transaction(async (transaction) => {
        const fields = {
          deleted_at: now,
          secret_ciphertext: null,
          secret_key_id: null,
          ...NO_PREVIOUS_SECRET,
        }
        const deleted = await change(transaction, organizationId, endpointId, fields, now)
        await park(transaction, organizationId, endpointId, now)
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
