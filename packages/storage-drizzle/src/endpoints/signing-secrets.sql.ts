import { bool, bytes, columnsOf, int, nullable, selected, statement, text } from '../connection/statement.ts'
import { webhookEndpoints } from '../schema.ts'

const SECRETS = columnsOf(webhookEndpoints, [
  'id',
  'secret_ciphertext',
  'secret_key_id',
  'previous_secrets',
  'headers_ciphertext',
  'headers_key_id',
])

/** Endpoints with anything that is not encrypted with a key, by id. */
export const LOCK_OLD = statement(
  SECRETS,
  `select ${selected(SECRETS)} from $schema.webhook_endpoints
    where ($key_id::text <> any (array[secret_key_id, headers_key_id]) or exists (
        select from jsonb_array_elements(previous_secrets) previous where previous->>'key_id' <> $key_id
      ))
      and ($after::uuid is null or id > $after)
    order by id limit $limit::int for no key update`,
)

/** `$secrets` is an array of objects. */
export const SAVE_SECRETS = statement(
  {},
  `update $schema.webhook_endpoints endpoint set
      secret_ciphertext = decode(saved.ciphertext, 'hex'), secret_key_id = saved.key_id,
      previous_secrets = saved.previous_secrets,
      headers_ciphertext = decode(saved.headers_ciphertext, 'hex'), headers_key_id = saved.headers_key_id, version = version + 1
    from json_to_recordset($secrets::text::json) as saved (id uuid, ciphertext text, key_id text,
      previous_secrets jsonb, headers_ciphertext text, headers_key_id text)
    where endpoint.id = saved.id`,
)

export const CLAIM_KEY = statement(
  { fits: nullable(bool) },
  `select $schema.claim_encryption_key($key_id, decode($check_value, 'hex'), $is_proven::boolean) as fits`,
)

export const READ_CHECK_VALUES = statement(
  { id: text, check_value: bytes },
  `select id, encode(check_value, 'hex') as check_value from $schema.encryption_keys`,
)

export const COUNT_SECRETS = statement(
  { key: text, secrets: int },
  `select key, count(*)::int as secrets from (
      select secret_key_id as key from $schema.webhook_endpoints where secret_key_id is not null
      union all
      select previous->>'key_id' from $schema.webhook_endpoints, jsonb_array_elements(previous_secrets) previous
      union all
      select headers_key_id from $schema.webhook_endpoints where headers_key_id is not null
    ) as secret
    group by key order by key`,
)
