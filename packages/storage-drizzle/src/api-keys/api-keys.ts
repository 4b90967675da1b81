import { isUuid, MOST_REQUESTS, newId, type Storage } from '@quickquote/core/internal'
import { batched } from '../connection/batched.ts'
import { type Database, oneAtATime } from '../connection/database.ts'
import { pageParameters } from '../connection/page.ts'
import { firstIdOf } from '../ids.ts'
import * as sql from './api-keys.sql.ts'

export function apiKeyStorage(database: Database): Storage['apiKeys'] {
  const { call, run } = database

  const findByHash = batched(async (hexes) => {
    const [hash] = hexes
    const found =
      hash !== undefined && hexes.length === 1
        ? await run(sql.FIND_BY_HASH, { hash })
        : await run(sql.FIND_BY_HASHES, { hashes: hexes })
    return new Map(found.map(({ hash, ...key }) => [hash, key]))
  })

  async function findWith(statement: typeof sql.FIND_KEY, organization_id: string, id: string) {
    if (!isUuid(id)) return null
    const [key] = await run(statement, { organization_id, id })
    return key ?? null
  }

  return {
    insert: (key, hash, maximum) =>
      call('apiKeys.insert', () =>
        database.transaction(async (transaction) => {
          await oneAtATime(transaction, `keys of ${key.organization_id}`)
          const { organization_id, owner_id, created_at } = key
          const counted = { organization_id, owner_id, now: created_at }
          const { owned, total } = await transaction.one(sql.COUNT_KEYS, counted)
          if (owned >= maximum.ofOwner) return 'ofOwner'
          if (total >= maximum.ofOrganization) return 'ofOrganization'
          await transaction.run(sql.INSERT_KEY, { ...key, key_hash: hash })
          return null
        }),
      ),

    findByHash: (hash) =>
      call('apiKeys.findByHash', async () => (await findByHash(Buffer.from(hash).toString('hex'))) ?? null),

    find: (organizationId, id) => call('apiKeys.find', () => findWith(sql.FIND_KEY, organizationId, id)),

    lock: (organizationId, id) => call('apiKeys.lock', () => findWith(sql.LOCK_KEY, organizationId, id)),

    lockOfOwner: (organizationId, ownerId) =>
      call('apiKeys.lockOfOwner', () =>
        run(sql.LOCK_KEYS_OF_OWNER, { organization_id: organizationId, owner_id: ownerId }),
      ),

    transfer: (organizationId, ids, ownerId, { maximum, now }) =>
      call('apiKeys.transfer', () =>
        database.transaction(async (transaction) => {
          await oneAtATime(transaction, `keys of ${organizationId}`)
          const transferred = { organization_id: organizationId, owner_id: ownerId, now }
          await transaction.run(sql.TRANSFER_KEYS, { ...transferred, ids })
          const { owned } = await transaction.one(sql.COUNT_KEYS, transferred)
          return owned <= maximum
        }),
      ),

    save: (key) =>
      call('apiKeys.save', async () => {
        await run(sql.SAVE_KEY, { ...key })
      }),

    list: (organizationId, ownerId, page) =>
      call('apiKeys.list', () =>
        run(sql.listKeys(ownerId, page.after), {
          organization_id: organizationId,
          owner_id: ownerId,
          ...pageParameters(page),
        }),
      ),

    recordRequests: (uses) =>
      call('apiKeys.recordRequests', async () => {
        const days = uses.flatMap(({ api_key_id, days }) =>
          days.map(({ day, counts }) => ({ api_key_id, day, ...counts })),
        )
        const batches = uses.flatMap(({ api_key_id, requests }) => {
          const at = requests.at(-1)?.at
          return at === undefined ? [] : [{ id: newId(new Date(at)), api_key_id, at, requests }]
        })
        const ids = uses.map(({ api_key_id }) => api_key_id)
        await database.transaction(async (transaction) => {
          await transaction.run(sql.RECORD_DAYS, { days: JSON.stringify(days) })
          await transaction.run(sql.RECORD_REQUESTS, { batches: JSON.stringify(batches) })
          await transaction.run(sql.FORGET_REQUESTS, { ids, most: MOST_REQUESTS })
        })
      }),

    findQuotations: (organization_id, id, { since, limit }) =>
      call('apiKeys.findQuotations', () =>
        run(sql.FIND_QUOTATIONS, { organization_id, id, from: firstIdOf(since), limit }),
      ),

    readUses: (organization_id, id, since) =>
      call('apiKeys.readUses', async () => {
        const [days, batches] = await Promise.all([
          run(sql.READ_DAYS, { organization_id, id, since }),
          run(sql.READ_REQUESTS, { organization_id, id, most: MOST_REQUESTS }),
        ])
        const counted = days.map(({ day, ...of }) => ({
          day,
          counts: { '2xx': of.status_2xx, '3xx': of.status_3xx, '4xx': of.status_4xx, '5xx': of.status_5xx },
        }))
        // Several processes write batches of the same time.
        const requests = batches
          .flatMap(({ requests }) => requests.toReversed())
          .sort((one, other) => other.at - one.at)
          .slice(0, MOST_REQUESTS)
          .map(({ at, ...request }) => ({ at: new Date(at), ...request }))
        return { days: counted, requests }
      }),

    recordUses: (uses) =>
      call('apiKeys.recordUses', async () => {
        await run(sql.RECORD_USES, { ids: [...uses.keys()], times: [...uses.values()] })
      }),
  }
}
