-- A host may keep quotations in tables of its own. An order to start then brings the quote along, and neither it nor an
-- idempotency key has a row of ours to refer to. Quotations that are ours still take both with them.
alter table "quickquote".pipeline_starts
  drop constraint if exists pipeline_starts_quotation_id_fkey,
  add column if not exists quote jsonb;

alter table "quickquote".idempotency_keys drop constraint if exists idempotency_keys_quotation_id_fkey;

create or replace function "quickquote".forget_quotation() returns trigger language plpgsql as $$
begin
  delete from "quickquote".pipeline_starts where quotation_id = old.id;
  delete from "quickquote".idempotency_keys where organization_id = old.organization_id and quotation_id = old.id;
  return null;
end
$$;

create or replace trigger forget_quotation after delete on "quickquote".quotations
  for each row execute function "quickquote".forget_quotation();
