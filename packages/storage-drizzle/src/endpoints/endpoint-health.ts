import type { EndpointCondition, Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { FIND_FAILING, READ_HEALTH } from './endpoint-health.sql.ts'

/** Maintained by `delivery_round`. */
export function endpointHealthStorage({ call, run }: Database): Storage['endpointHealth'] {
  return {
    read: (organizationId, ids) =>
      call('endpointHealth.read', async () => {
        if (ids.length === 0) return new Map()
        const rows = await run(READ_HEALTH, { ids, organization_id: organizationId })
        return new Map(
          rows.map(
            ({
              id,
              success,
              failing,
              paused,
              attempts,
              succeeded,
              ...change
            }): [string, EndpointCondition] => [
              id,
              {
                health: {
                  last_success_at: success,
                  failing_since: failing,
                  recent_attempts: attempts,
                  recent_success_rate: attempts === 0 ? null : succeeded / attempts,
                  changed_before_failing:
                    change.action === null || change.changed === null
                      ? null
                      : { action: change.action, actor_id: change.actor_id, at: change.changed },
                },
                paused_until: paused,
              },
            ],
          ),
        )
      }),

    findFailing: (failingSince, limit) =>
      call('endpointHealth.findFailing', () => run(FIND_FAILING, { failing_since: failingSince, limit })),
  }
}
