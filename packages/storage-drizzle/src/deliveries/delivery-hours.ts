/**
 * Counts the attempts of an organization by hours (UTC), tests left out.
 *
 * `$1` the organization, `$2` an endpoint or null, `$3` since, `$4` until
 */
export function hoursStatement(schema: string): string {
  return `select date_trunc('hour', created_at, 'UTC') as hour,
      count(*) filter (where status = 'succeeded')::int as delivered,
      count(*) filter (where status <> 'succeeded')::int as failed
    from ${schema}.delivery_attempts
    where organization_id = $1 and ($2::uuid is null or endpoint_id = $2)
      and created_at >= $3 and created_at < $4 and not is_test
    group by 1 order by 1`
}
