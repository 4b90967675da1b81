-- Adds columns to tables in use, one with values for existing rows, and replaces a function.
alter table "quickquote".events add column region text;
update "quickquote".events set region = 'eu';
alter table "quickquote".deliveries add column priority smallint not null default 0;
create or replace function "quickquote".forget_quotation() returns trigger language plpgsql as $$
begin
  delete from "quickquote".labels where quotation_id = old.id;
  delete from "quickquote".pipeline_starts where quotation_id = old.id;
  delete from "quickquote".idempotency_keys where organization_id = old.organization_id and quotation_id = old.id;
  return null;
end
$$;
