-- Makes the day partitions (UTC) of today and the next six days where they are missing. Rows of such a day that went to the
-- default partition meanwhile are moved.
--
-- It runs with the rights of whoever owns the schema, so that the role of API and workers needs none to change tables. It
-- takes no arguments and looks names up nowhere else, so that whoever calls it decides nothing.
create function "quickquote".make_partitions() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- A job that fails for days in a row loses nothing: then the default partition takes over.
  days constant int := 7;
  parent text;
  day timestamp;
  partition text;
  since text;
  until text;
begin
  perform pg_advisory_xact_lock(hashtextextended(nspname || ' maintenance', 0))
  from pg_namespace where oid = '"quickquote"'::regnamespace;

  foreach parent in array array['"quickquote".events', '"quickquote".delivery_attempts'] loop
    for ahead in 0 .. days - 1 loop
      day := date_trunc('day', now() at time zone 'utc') + ahead * interval '1 day';
      partition := parent || to_char(day, '_YYYY_MM_DD');
      continue when to_regclass(partition) is not null;
      since := quote_literal(to_char(day, 'YYYY-MM-DD"T00:00:00Z"'));
      until := quote_literal(to_char(day + interval '1 day', 'YYYY-MM-DD"T00:00:00Z"'));

      -- Attached, not created as a partition: that would lock out all readers and writers of the whole table. Nobody may
      -- write to the default partition between the move and the attachment, which fails when a row of the day is in there.
      execute format('lock table %s_default in access exclusive mode', parent);
      execute format('create table %s (like %s including all)', partition, parent);
      execute format(
        'with moved as (delete from %s_default where created_at >= %s and created_at < %s returning *)
         insert into %s select * from moved', parent, since, until, partition);
      execute format('alter table %s attach partition %s for values from (%s) to (%s)', parent, partition, since, until);
    end loop;
  end loop;
end
$$;
revoke all on function "quickquote".make_partitions() from public;
