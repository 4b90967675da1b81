-- Adds columns to tables in use, one with values for existing rows.
alter table "quickquote".events add column region text;
update "quickquote".events set region = 'eu';
alter table "quickquote".deliveries add column priority smallint not null default 0;
