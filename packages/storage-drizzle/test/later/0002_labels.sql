-- A table, an index, and an index that goes.
create table "quickquote".labels (
  quotation_id uuid not null references "quickquote".quotations (id) on delete cascade,
  name text not null,
  primary key (quotation_id, name)
);
create index quotations_by_name on "quickquote".quotations (organization_id, name);
drop index "quickquote".uploads_by_age;
