-- A quotation is updated with each report, and none of these updates was HOT, since the index of those under way had the time of
-- the last one. Its place is taken by an index on the id: most updates change no column of an index now, and a row finds its
-- next version on its own page.
--
-- Writers of quotations wait while the index is built: that is one pass over the table, about a second for each million of
-- quotations. Where that is too long, make the index before, while everything runs:
--   create index concurrently quotations_unfinished on "quickquote".quotations (id) where status in ('queued', 'running');
-- The fill factor holds for pages from now on; nothing is rewritten. "quotations_of_organization" stays: its columns never
-- change, and it lists the quotations of an organization, the newest first (ids begin with the time).
create index if not exists quotations_unfinished on "quickquote".quotations (id) where status in ('queued', 'running');
drop index "quickquote".quotations_under_way;
alter table "quickquote".quotations set (fillfactor = 80);

-- An endpoint that was deleted never signs again: its secrets go with it. Endpoints are few.
alter table "quickquote".webhook_endpoints
  alter column secret_ciphertext drop not null,
  alter column secret_key_id drop not null;
update "quickquote".webhook_endpoints set secret_ciphertext = null, secret_key_id = null,
  previous_secret_ciphertext = null, previous_secret_key_id = null, previous_secret_expires_at = null
where deleted_at is not null;
alter table "quickquote".webhook_endpoints add constraint webhook_endpoints_have_secrets
  check (deleted_at is not null or num_nulls(secret_ciphertext, secret_key_id) = 0);
