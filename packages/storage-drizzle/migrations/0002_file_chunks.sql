-- Files that belong to no quote: noted before their first byte is stored, struck off by the transaction that accepts the
-- quote. What stays here was given up, wherever its bytes are.
create table "quickquote".uploads (
  id uuid primary key,
  organization_id uuid not null,
  created_at timestamptz(3) not null,
  -- Set when the upload was given up: no quote takes it any more, and its bytes are on their way out.
  abandoned_at timestamptz(3)
);
create index uploads_by_age on "quickquote".uploads (created_at);

-- The bytes of files, unless the host keeps them elsewhere.
create table "quickquote".file_chunks (
  file_id uuid not null,
  position integer not null,
  organization_id uuid not null,
  is_last boolean not null,
  bytes bytea not null,
  primary key (file_id, position)
);
-- docx and pdf are compressed already: trying again costs time and gains nothing.
alter table "quickquote".file_chunks alter column bytes set storage external;
