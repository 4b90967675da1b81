import {
  isUuid,
  type Storage,
  type StoredWebhookEndpoint,
  type WebhookEndpointChange,
} from '@quickquote/core/internal'
import { type Database, oneAtATime } from '../connection/database.ts'
import { encryptedSecret } from './signing-secrets.ts'
import * as sql from './webhook-endpoints.sql.ts'

export function webhookEndpointStorage(database: Database): Storage['webhookEndpoints'] {
  const { call, run } = database

  async function names(organizationId: string, ids: readonly string[]) {
    const known = ids.filter(isUuid)
    if (known.length === 0) return new Map<string, string>()
    const rows = await run(sql.NAME_ENDPOINTS, { organization_id: organizationId, ids: known })
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  async function findWith(statement: typeof sql.FIND_ENDPOINT, organization_id: string, id: string) {
    if (!isUuid(id)) return null
    const [found] = await run(statement, { organization_id, id })
    return found ?? null
  }

  return {
    // A new endpoint has no previous secrets.
    insert: ({ previous_secrets: _, ...endpoint }, { secret, headers }, maximum) =>
      call('webhookEndpoints.insert', () =>
        database.transaction(async (transaction) => {
          await oneAtATime(transaction, `endpoints of ${endpoint.organization_id}`)
          const inserted = await transaction.run(sql.INSERT_ENDPOINT, {
            ...endpoint,
            secret_ciphertext: secret.ciphertext,
            secret_key_id: secret.keyId,
            headers_ciphertext: headers?.ciphertext ?? null,
            headers_key_id: headers?.keyId ?? null,
            maximum,
          })
          return inserted.length > 0
        }),
      ),

    list: (organizationId) =>
      call('webhookEndpoints.list', () => run(sql.LIST_ENDPOINTS, { organization_id: organizationId })),

    find: (organizationId, id) =>
      call('webhookEndpoints.find', () => findWith(sql.FIND_ENDPOINT, organizationId, id)),

    lock: (organizationId, id) =>
      call('webhookEndpoints.lock', () => findWith(sql.LOCK_ENDPOINT, organizationId, id)),

    findHeaders: (organizationId, id) =>
      call('webhookEndpoints.findHeaders', async () => {
        const [found] = await run(sql.FIND_HEADERS, { organization_id: organizationId, id })
        return found === undefined ? null : encryptedSecret(found.key_id, found.ciphertext)
      }),

    had: (organizationId, id) =>
      call('webhookEndpoints.had', async () => (await names(organizationId, [id])).size > 0),

    names: (organizationId, ids) => call('webhookEndpoints.names', () => names(organizationId, ids)),

    update: (organizationId, id, change, now) =>
      call('webhookEndpoints.update', () =>
        database.transaction((transaction) =>
          update(transaction, { organization_id: organizationId, id, now }, change),
        ),
      ),

    delete: (organizationId, id, now) =>
      call('webhookEndpoints.delete', () =>
        database.transaction(async (transaction) => {
          const which = { organization_id: organizationId, id, now }
          const deleted = await transaction.run(sql.DELETE_ENDPOINT, which)
          await transaction.run(sql.PARK_SOME, which)
          return locked(deleted)
        }),
      ),

    rotateSecret: (organizationId, id, { secret, hint, previousUntil }, now) =>
      call('webhookEndpoints.rotateSecret', async () => {
        const rotated = await run(sql.ROTATE_SECRET, {
          organization_id: organizationId,
          id,
          ciphertext: secret.ciphertext,
          key_id: secret.keyId,
          hint,
          previous_until: previousUntil,
          now,
        })
        return locked(rotated)
      }),
  }
}

/** See `update` of the port. */
async function update(
  { run, wake }: Database,
  which: { readonly organization_id: string; readonly id: string; readonly now: Date },
  { headers, ends_pause, ...fields }: WebhookEndpointChange,
): Promise<StoredWebhookEndpoint> {
  const changes = { ...fields, ...(headers && toColumns(headers)) }
  const changed = await run(sql.CHANGE_ENDPOINT, { ...which, changes: JSON.stringify(changes) })
  const { is_enabled, ordering } = fields
  if (is_enabled === false) await run(sql.PARK_SOME, which)
  if (is_enabled === true) await run(sql.FORGET_FAILURES, which)
  if (ends_pause === true) await run(sql.END_PAUSE, which)
  if (is_enabled === true || ordering !== undefined) {
    const limit = ordering === undefined ? CAUGHT_UP_AT_ONCE : ORDERED_AT_ONCE
    await run(sql.CATCH_UP, { endpoint_id: which.id, now: which.now, limit })
  }
  if (is_enabled === true || ordering !== undefined || ends_pause === true) await wake('deliveries')
  return locked(changed)
}

/** Deliveries that catch up while the request waits, in less than 0.1 s. Parking reads no events. */
const CAUGHT_UP_AT_ONCE = 1500
const ORDERED_AT_ONCE = 500

function toColumns({ header_names, encrypted }: NonNullable<WebhookEndpointChange['headers']>) {
  const bytes = encrypted && `\\x${Buffer.from(encrypted.ciphertext).toString('hex')}`
  return {
    header_names: encrypted === null ? [] : header_names,
    headers_ciphertext: bytes,
    headers_key_id: encrypted?.keyId ?? null,
  }
}

function locked([changed]: readonly StoredWebhookEndpoint[]): StoredWebhookEndpoint {
  if (changed === undefined)
    throw new Error('The endpoint has been deleted: it was not locked before the update.')
  return changed
}
