import { bool, bytes, int, json, statement, text, uuid } from '../connection/statement.ts'

/**
 * The rights of the API and worker role, as granted by `rolesSql`. It can only add to history, and cannot change
 * migrations or retention. Reads the catalogs, which any role can do.
 */
export const READ_FACTS = statement(
  {
    version: text,
    is_read_only: bool,
    role: text,
    is_owner: bool,
    missing_grants: json<string[]>(),
    may_read: bool,
  },
  `with namespace as (
      select oid, nspowner from pg_catalog.pg_namespace where nspname = trim(both '"' from '$schema')
    ), needed as (
      select 'usage on the schema' as what, true as is_to_read where exists (
        select from namespace where not has_schema_privilege(oid, 'usage')
      )
      union all
      select privilege || ' on ' || relname, privilege = 'select'
      from pg_catalog.pg_class cross join unnest(case
        when relkind = 'S' then array['usage']
        when relname in ('migrations', 'retention_floor', 'feed_floors') then array['select']
        when relname in ('events', 'delivery_attempts', 'audit_log') then array['select', 'insert']
        when relname = 'erased_organizations' then array['select', 'insert', 'update']
        else array['select', 'insert', 'update', 'delete']
      end) as privilege
      where relnamespace = (select oid from namespace) and relkind in ('r', 'S')
        and not (case when relkind = 'S' then has_sequence_privilege(oid, privilege)
          else has_table_privilege(oid, privilege) end)
      union all
      select 'execute on ' || proname, false
      from pg_catalog.pg_proc
      where pronamespace = (select oid from namespace) and proname <> 'protect_history'
        and proname <> 'history_floor' and not has_function_privilege(oid, 'execute')
    )
    select split_part(current_setting('server_version'), ' ', 1) as version,
      (pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on') as is_read_only,
      current_user::text as role,
      coalesce((select pg_has_role(nspowner, 'member') from namespace), false) as is_owner,
      (select coalesce(json_agg(what order by what), '[]')::text from needed) as missing_grants,
      not exists (select from needed where is_to_read) as may_read`,
)

export const READ_FLOOR = statement({ days: int }, `select event_days as days from $schema.retention_floor`)

export const SAMPLE_SECRETS = statement(
  { key_id: text, secrets: int, endpoint_id: uuid, ciphertext: bytes },
  `select key_id, count(*)::int as secrets, (array_agg(id order by id desc))[1] as endpoint_id,
      (array_agg(encode(ciphertext, 'hex') order by id desc))[1] as ciphertext
    from (
      select id, secret_key_id as key_id, secret_ciphertext as ciphertext from $schema.webhook_endpoints
      union all
      select id, previous->>'key_id', decode(previous->>'ciphertext', 'hex')
      from $schema.webhook_endpoints, jsonb_array_elements(previous_secrets) previous
    ) as secret
    where key_id is not null and ciphertext is not null
    group by key_id order by key_id`,
)

export const COUNT_SWEEPING = statement(
  { organizations: int },
  `select count(*)::int as organizations from $schema.erased_organizations
    where organization_id is not null and finished_at < now() - $ms::int * interval '1 millisecond'`,
)
