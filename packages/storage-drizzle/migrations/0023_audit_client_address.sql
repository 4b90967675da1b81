-- Where a change came from. Null for what came of no request, and for what was recorded before.
alter table "quickquote".audit_log add column client_address text;
