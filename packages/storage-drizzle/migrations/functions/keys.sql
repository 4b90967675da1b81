-- Encryption keys

-- Whether a process may encrypt with its key of that id: it has the check value of the key that encrypted the existing secrets,
-- or there are none. Null: unknown, because those secrets are older than the check value. Then the caller tries the key on one
-- of them, and asks again. Until its transaction ends, no other key gets the id.
create or replace function "quickquote".claim_encryption_key(key_id text, value bytea, is_proven boolean) returns boolean
language plpgsql as $$
declare
  known bytea;
  is_used boolean;
begin
  perform from "quickquote".encryption_keys where id = key_id and check_value = value for share;
  if found then
    return true;
  end if;
  -- Those who encrypt lock the row, so what they encrypted is visible once it is locked here.
  select check_value into known from "quickquote".encryption_keys where id = key_id for update;
  -- Another with the same key was first.
  if known = value then
    return true;
  end if;
  is_used := exists (
    select from "quickquote".webhook_endpoints
    where key_id in (secret_key_id, headers_key_id)
      or previous_secrets @> jsonb_build_array(jsonb_build_object('key_id', key_id))
  );
  if is_used and known is not null then
    return false;
  elsif is_used and not is_proven then
    return null;
  elsif known is not null then
    update "quickquote".encryption_keys set check_value = value where id = key_id;
    return true;
  end if;
  insert into "quickquote".encryption_keys (id, check_value) values (key_id, value) on conflict do nothing;
  -- Another process may have been first.
  return found or "quickquote".claim_encryption_key(key_id, value, is_proven);
end
$$;
