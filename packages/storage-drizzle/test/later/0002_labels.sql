-- Adds a table and an index, and drops an index.
create table "quickquote".labels (
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  name text not null,
  primary key (quotation_id, name)
);
create index quotations_by_name on "quickquote".quotations (organization_id, name);
drop index "quickquote".uploads_by_age;
