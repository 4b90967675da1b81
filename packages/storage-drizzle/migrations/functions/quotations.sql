-- Quotations

-- Deleting a quotation also deletes its orders, idempotency keys and event numbers, which have no foreign key.
create or replace function "quickquote".forget_quotation() returns trigger language plpgsql as $$
begin
  delete from "quickquote".pipeline_starts where quotation_id = old.id;
  delete from "quickquote".idempotency_keys where organization_id = old.organization_id and quotation_id = old.id;
  delete from "quickquote".event_sequences where organization_id = old.organization_id and quotation_id = old.id;
  return null;
end
$$;
create or replace trigger forget_quotation after delete on "quickquote".quotations
  for each row execute function "quickquote".forget_quotation();
