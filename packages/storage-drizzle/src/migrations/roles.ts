import { ConfigurationError } from '@quickquote/core'
import { checkSchema } from '../schema-name.ts'
import { createJournal } from './migrate.ts'

export interface Roles {
  readonly schema: string
  /** Owns and migrates the SQL schema. */
  readonly owner: string
  /** The role of API and workers. It reads and writes rows, and cannot change tables. */
  readonly runtime: string
}

/**
 * The SQL that grants two roles exactly the rights they need, now and after later migrations. It can be applied
 * repeatedly. It contains no passwords.
 * @throws ConfigurationError unless the names are two valid role names
 */
export function rolesSql({ schema, owner, runtime }: Roles): string {
  checkSchema(schema)
  for (const name of [owner, runtime]) checkRole(name)
  if (owner === runtime)
    throw new ConfigurationError('The owner and the runtime role must be two different roles.')
  return `-- The roles of the SQL schema "${schema}": "${owner}" owns and migrates it, API and workers run as "${runtime}".
-- Apply it before the first migration, as a superuser or as a role that may create roles and schemas. An existing schema
-- is transferred to the owner, which requires a superuser. Set the passwords separately: \\password ${owner}
begin;

do $$
declare
  thing text;
begin
  if to_regrole('"${owner}"') is null then create role "${owner}" login; end if;
  if to_regrole('"${runtime}"') is null then create role "${runtime}" login; end if;
  -- Superusers may act as any role, others only as roles they belong to.
  if current_user <> '${owner}' and not (select rolsuper from pg_roles where rolname = current_user) then
    grant "${owner}" to current_user;
  end if;
  if to_regnamespace('"${schema}"') is null then create schema "${schema}" authorization "${owner}"; end if;

  -- Objects created before the roles belong to the role that created them.
  if exists (select from pg_namespace where nspname = '${schema}' and nspowner <> '"${owner}"'::regrole) then
    alter schema "${schema}" owner to "${owner}";
  end if;
  for thing in select oid::regclass from pg_class where relnamespace = '"${schema}"'::regnamespace
    and relkind in ('r', 'p', 'S') and relowner <> '"${owner}"'::regrole
  loop
    execute format('alter table %s owner to "${owner}"', thing);
  end loop;
  for thing in select oid::regprocedure from pg_proc where pronamespace = '"${schema}"'::regnamespace
    and proowner <> '"${owner}"'::regrole
  loop
    execute format('alter function %s owner to "${owner}"', thing);
  end loop;
end
$$;

set local role "${owner}";
${createJournal(schema)}

grant usage on schema "${schema}" to "${runtime}";
grant select, insert, update, delete on all tables in schema "${schema}" to "${runtime}";
grant usage, select on all sequences in schema "${schema}" to "${runtime}";
grant execute on all functions in schema "${schema}" to "${runtime}";
-- The same rights on objects of later migrations.
alter default privileges in schema "${schema}" grant select, insert, update, delete on tables to "${runtime}";
alter default privileges in schema "${schema}" grant usage, select on sequences to "${runtime}";
alter default privileges in schema "${schema}" grant execute on functions to "${runtime}";
-- Only the owner records migrations.
revoke insert, update, delete on "${schema}".migrations from "${runtime}";
-- History is append-only, except for functions that enforce the floor in "${schema}".retention_floor.
do $$
begin
  if to_regprocedure('"${schema}".protect_history()') is not null then
    perform "${schema}".protect_history();
  end if;
end
$$;

commit;
`
}

function checkRole(name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/.test(name) || name.startsWith('pg_')) {
    throw new ConfigurationError(
      'A role name has letters, digits, _, . and -, at most 63 characters, and does not begin with pg_.',
    )
  }
}
