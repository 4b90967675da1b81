-- Keys of an organization are counted before one is created: only those that may still work are looked at, however many were
-- revoked. No column of a use is in it, so that writing `last_used_at` stays an update in place.
create index api_keys_that_count on "quickquote".api_keys (organization_id, expires_at) include (owner_id)
where status <> 'revoked';
