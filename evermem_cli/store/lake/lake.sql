-- The log of a shared memory. DuckLake has neither keys nor indexes; machines append, and merge what they read.
-- The row with the greatest document and that with the least are in every push: DuckLake notes the extremes of each
-- column in its catalogue, and no words may stand there.

create table about (
  key   varchar,                            -- lake: a random name | format | schema_version
  value varchar
);

create table lines (
  push     varchar,                         -- a random name of the transaction that wrote the line
  thing    varchar,                         -- a digest of the kind and name of what the line is about
  revision integer,                         -- with presence and weight the mark that decides which line wins
  presence integer,
  weight   varchar,
  digest   varchar,
  moment   timestamp,                       -- the place of a message; the earlier one wins
  number   double,
  document blob                             -- the line of a sync bundle
);

create table purges (
  push varchar                              -- removed something: until its old lines are gone from all files
);
