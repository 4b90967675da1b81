import type { EndpointHealth, FailingEndpoint } from '@quickquote/core'
import type { EndpointHealthStorage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { millisOf, toDate } from '../connection/readable.ts'

/** So many of the newest attempts are looked at. */
const RECENT = 100

/** How the deliveries of endpoints go, in PostgreSQL: see EndpointHealthStorage. What changes it is in delivery-statements.ts. */
export function endpointHealthStorage({ run, schema }: Database): EndpointHealthStorage {
  return {
    async read(organizationId, ids) {
      if (ids.length === 0) return new Map()
      // Names of one word: the client of a host may rename others.
      const rows = await run<{
        id: string
        success: string | null
        failing: string | null
        attempts: number
        succeeded: number
      }>(
        `select endpoint.id, ${millisOf('greatest(health.last_success_at, recent.succeeded_at)')} as success,
           ${millisOf('health.failing_since')} as failing, recent.attempts, recent.succeeded
         from ${schema}.webhook_endpoints endpoint
         left join ${schema}.endpoint_health health on health.endpoint_id = endpoint.id
         cross join lateral (
           select count(*)::int as attempts, (count(*) filter (where status = 'succeeded'))::int as succeeded,
             max(created_at) filter (where status = 'succeeded') as succeeded_at
           from (
             select status, is_test, created_at from ${schema}.delivery_attempts
             where endpoint_id = endpoint.id order by created_at desc, id desc limit ${RECENT}
           ) newest
           where not is_test
         ) recent
         where endpoint.id = any ($2::uuid[]) and endpoint.organization_id = $1`,
        [organizationId, ids],
      )
      return new Map(
        rows.map(({ id, success, failing, attempts, succeeded }): [string, EndpointHealth] => [
          id,
          {
            last_success_at: toDate(success),
            failing_since: toDate(failing),
            recent_attempts: attempts,
            recent_success_rate: attempts === 0 ? null : succeeded / attempts,
          },
        ]),
      )
    },

    async findFailing(failingSince, limit) {
      // What two workers recorded at once may be out of order: the attempts have the last word.
      const failing = await run<Omit<FailingEndpoint, 'failing_since'> & { failing_since: string }>(
        `select endpoint.id, endpoint.organization_id, endpoint.name,
           ${millisOf('health.failing_since')} as failing_since
         from ${schema}.endpoint_health health
         join ${schema}.webhook_endpoints endpoint on endpoint.id = health.endpoint_id
         where health.failing_since <= $1 and endpoint.is_enabled and endpoint.deleted_at is null
           and not exists (
             select from ${schema}.delivery_attempts attempt
             where attempt.endpoint_id = endpoint.id and attempt.created_at > health.failing_since
               and attempt.status = 'succeeded' and not attempt.is_test
           )
         order by health.failing_since limit $2::int`,
        [failingSince, limit],
      )
      return failing.map((endpoint) => ({ ...endpoint, failing_since: toDate(endpoint.failing_since) }))
    },
  }
}
