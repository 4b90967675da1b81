import { isUuid, type ReplayOrder, type Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { FIRST_UUID } from '../ids.ts'
import * as sql from './replays.sql.ts'

export function replayStorage(database: Database): Storage['replays'] {
  const { call, run, one } = database

  return {
    insert: (organizationId, { id, ...order }, now) =>
      call('replays.insert', async () => {
        const replay = { ...parametersOf(organizationId, order), id, position_id: FIRST_UUID, now }
        return (await run(sql.INSERT_REPLAY, replay)).length > 0
      }),

    count: (organizationId, order, limit) =>
      call('replays.count', () => one(sql.COUNT_REPLAY, { ...parametersOf(organizationId, order), limit })),

    find: (organizationId, endpointId, id) =>
      call('replays.find', async () => {
        if (!isUuid(endpointId) || !isUuid(id)) return null
        const [found] = await run(sql.FIND_REPLAY, {
          organization_id: organizationId,
          endpoint_id: endpointId,
          id,
        })
        return found === undefined ? null : replayOf(found)
      }),

    list: (organization_id, endpoint_id, limit) =>
      call('replays.list', async () =>
        (await run(sql.LIST_REPLAYS, { organization_id, endpoint_id, limit })).map(replayOf),
      ),

    stop: (organization_id, endpoint_id, id, now) =>
      call('replays.stop', async () => {
        if (!isUuid(endpoint_id) || !isUuid(id)) return false
        return (await run(sql.STOP_REPLAY, { id, organization_id, endpoint_id, now })).length > 0
      }),

    advance: (limit, now) =>
      call('replays.advance', () =>
        database.transaction(async (transaction) => {
          // For the same reason as in a claim.
          await transaction.run(sql.LIVE_ON_INDEXES)
          const moved = await transaction.run(sql.ADVANCE_REPLAY, { now, limit })
          if (moved.some(({ resent }) => resent > 0)) await transaction.wake('deliveries')
          return moved.length > 0
        }),
      ),
  }
}

function parametersOf(organization_id: string, order: ReplayOrder) {
  const { endpoint_id, since, until, status, event_type = null } = order
  return { organization_id, endpoint_id, since, until, status, event_type }
}

function replayOf<Row extends { examined: number; total: number }>({ examined, total, ...replay }: Row) {
  return { ...replay, progress: { examined, total } }
}
