import { isUuid, type ReplayStorage } from '@quickquote/core/internal'
import { and, eq } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { readable } from '../connection/readable.ts'
import { FIRST_UUID } from './delivery-id.ts'
import { ADVANCE_REPLAY, COUNT_REPLAY, INSERT_REPLAY, LIVE_ON_INDEXES } from './replays.sql.ts'

/** See ReplayStorage. */
export function replayStorage(database: Database): ReplayStorage {
  const { db, tables } = database
  const { replays } = tables

  return {
    async insert(organizationId, { id, endpoint_id, since, until, status }, now) {
      const inserted = await database.run(INSERT_REPLAY, {
        id,
        organization_id: organizationId,
        endpoint_id,
        since,
        until,
        status,
        position_id: FIRST_UUID,
        now,
      })
      return inserted.length > 0
    },

    async count(organizationId, { endpoint_id, since, until, status }, limit) {
      const wanted = { organization_id: organizationId, endpoint_id, since, until, status, limit }
      const [counted] = await database.run(COUNT_REPLAY, wanted)
      return counted ?? { events: 0, is_more: false }
    },

    async find(organizationId, endpointId, id) {
      if (!isUuid(endpointId) || !isUuid(id)) return null
      const { endpoint_id, state, since, until, status, examined, total, resent } = replays
      const { created_at, updated_at } = replays
      const [row] = await db
        .select(
          readable({
            endpoint_id,
            state,
            since,
            until,
            status,
            examined,
            total,
            resent,
            created_at,
            updated_at,
          }),
        )
        .from(replays)
        .where(
          and(
            eq(replays.id, id),
            eq(replays.organization_id, organizationId),
            eq(replays.endpoint_id, endpointId),
          ),
        )
      if (row === undefined) return null
      const { examined: looked, total: all, ...replay } = row
      return { ...replay, id: id.toLowerCase(), progress: { examined: looked, total: all } }
    },

    async advance(limit, now) {
      return database.transaction(async (transaction) => {
        // For the same reason as in a claim.
        await transaction.run(LIVE_ON_INDEXES)
        const moved = await transaction.run(ADVANCE_REPLAY, { now, limit })
        if (moved.some(({ resent }) => resent > 0)) await transaction.wake()
        return moved.length > 0
      })
    },
  }
}
