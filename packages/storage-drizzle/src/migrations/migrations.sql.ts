import { bool, nullable, statement, text } from '../connection/statement.ts'

export const READ_VERSION = statement({ version: text }, 'select version() as version')

/**
 * A function's body contains the name of the schema at its creation. Anything quoted without being a qualifier is text,
 * usually a comment.
 */
export const FIND_FAULTS = statement(
  { name: text, encoding: text, isolation: text, strangers: nullable(text), hidden: nullable(text) },
  `select current_database()::text as name, current_setting('server_encoding') as encoding,
      current_setting('default_transaction_isolation') as isolation,
      (select string_agg(distinct named[1], ', ') from pg_catalog.pg_proc cross join lateral
         regexp_matches(prosrc, '("[a-z_][a-z0-9_]*")(?:[.][a-z_]|''::reg)', 'g') as match (named)
       where pronamespace = to_regnamespace('$schema') and named[1] <> '$schema') as strangers,
      (select string_agg(relname, ', ' order by relname) from pg_catalog.pg_class
       where relnamespace = to_regnamespace('$schema') and relkind = 'r' and row_security_active(oid)) as hidden`,
)

/** The owner of the SQL schema; null if there is no schema yet. Whether the connection can act as that role. */
export const FIND_SCHEMA = statement(
  { owner: nullable(text), may_act_as_owner: bool, has_journal: bool },
  `select pg_get_userbyid(nspowner)::text as owner,
      coalesce(pg_has_role(nspowner, 'member'), false) as may_act_as_owner,
      to_regclass('$schema.migrations') is not null as has_journal
    from (select 1) one left join pg_catalog.pg_namespace on oid = to_regnamespace('$schema')`,
)

export const READ_JOURNAL = statement(
  { name: text, hash: text },
  `select name, hash from $schema.migrations order by applied_at, name`,
)
