import { ENDPOINT_CHANGES } from '@quickquote/core/internal'
import { int, millisOf, nullable, oneOf, statement, text, time, uuid } from '../connection/statement.ts'

/** Those that change an endpoint: a test or a replay does not. */
const CHANGES = ENDPOINT_CHANGES.map((action) => `'${action}'`).join(', ')

/** The number of recent attempts considered. */
const RECENT = 100

export const READ_HEALTH = statement(
  {
    id: uuid,
    success: nullable(time),
    failing: nullable(time),
    paused: nullable(time),
    attempts: int,
    succeeded: int,
    action: nullable(oneOf<(typeof ENDPOINT_CHANGES)[number]>()),
    actor_id: nullable(text),
    changed: nullable(time),
  },
  `select endpoint.id, ${millisOf('greatest(health.last_success_at, recent.succeeded_at)')} as success,
      ${millisOf('health.failing_since')} as failing, ${millisOf('health.paused_until')} as paused, recent.attempts, recent.succeeded, change.action, change.actor_id,
      ${millisOf('change.created_at')} as changed
    from $schema.webhook_endpoints endpoint
    left join $schema.endpoint_health health on health.endpoint_id = endpoint.id
    cross join lateral (
      select count(*)::int as attempts, (count(*) filter (where status = 'succeeded'))::int as succeeded,
        max(created_at) filter (where status = 'succeeded') as succeeded_at
      from (
        select status, is_test, created_at from $schema.delivery_attempts
        where endpoint_id = endpoint.id order by created_at desc, id desc limit ${RECENT}
      ) newest
      where not is_test
    ) recent
    left join lateral (
      select action, actor_id, created_at from $schema.audit_log
      where resource_id = endpoint.id and organization_id = endpoint.organization_id
        and created_at < health.failing_since and action = any (array[${CHANGES}])
      order by created_at desc, id desc limit 1
    ) change on true
    where endpoint.id = any ($ids::uuid[]) and endpoint.organization_id = $organization_id`,
)

/**
 * Endpoints that have failed since before `$failing_since`. Concurrent workers may record out of order, so the attempts
 * decide.
 */
export const FROM_FAILING = `from $schema.endpoint_health health
    join $schema.webhook_endpoints endpoint on endpoint.id = health.endpoint_id
    where health.failing_since <= $failing_since and endpoint.is_enabled and endpoint.deleted_at is null
      and not exists (
        select from $schema.delivery_attempts attempt
        where attempt.endpoint_id = endpoint.id and attempt.created_at > health.failing_since
          and attempt.status = 'succeeded' and not attempt.is_test
      )`

export const FIND_FAILING = statement(
  { id: uuid, organization_id: uuid, name: text, failing_since: time },
  `select endpoint.id, endpoint.organization_id, endpoint.name,
      ${millisOf('health.failing_since')} as failing_since
    ${FROM_FAILING}
    order by health.failing_since limit $limit::int`,
)
