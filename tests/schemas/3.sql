-- The memory file, schema version 3. Runs as it is in the duckdb shell.
-- Times are UTC. Ids derive from content: reading the same chat twice yields the same ids. There are no foreign keys, because
-- DuckDB turns an update of a referenced row into delete and insert; `sources` and the *_id columns carry the references.

create table meta (
  key    varchar primary key,               -- schema_version, embedder, dimension, created_at, indexed_documents, indexed_memories, mean_length
  value  varchar not null
);

create table conversations (
  id          varchar primary key,
  key         varchar not null,             -- the export's own id, or a digest of how the chat begins
  title       varchar not null,
  kind        varchar not null,             -- assistant | group
  format      varchar not null,
  group_id    varchar not null,
  user_id     varchar not null,             -- whose memory this is
  created_at  timestamp not null
);

create table messages (
  id               varchar primary key,
  conversation_id  varchar not null,
  ordinal          integer not null,        -- place in the conversation, from 1
  external_id      varchar not null,        -- the transcript's own id, or the ordinal where it gave none
  speaker          varchar not null,
  user_id          varchar not null,
  role             varchar not null,        -- user | assistant | participant
  text             varchar not null,
  said_at          timestamp not null,
  utc_offset       integer not null,        -- seconds: the speaker's zone, for "tomorrow"
  time_source      varchar not null,        -- explicit | assumed
  memcell_id       varchar,
  created_at       timestamp not null
);

create table memcells (
  event_id         varchar primary key,
  conversation_id  varchar not null,
  group_id         varchar not null,
  kind             varchar not null,
  boundary_reason  varchar not null,        -- why the topic ended here
  is_open          boolean not null,        -- its topic may go on with the next message
  policy           varchar not null,        -- v1.0 | v1.1: what is extracted from group chats
  extraction       varchar not null,        -- pending | done | failed
  failure          varchar,                 -- why extraction failed, for the retry
  model            varchar,                 -- the language model that made its memories
  summary          varchar not null,
  start_at         timestamp not null,
  end_at           timestamp not null,
  scene_id         varchar,
  consolidated     boolean default false,   -- its assertions are read and it has its scene
  created_at       timestamp not null
);

create table episodes (
  id             varchar primary key,
  memcell_id     varchar not null,
  user_id        varchar,                   -- null: group episode, told in the third person
  subject        varchar not null,
  summary        varchar not null,
  episode        varchar not null,
  said_at        timestamp not null,
  created_at     timestamp not null,
  strength       double not null default 1.0,
  last_accessed  timestamp,
  access_count   integer not null default 0,
  privacy_tier   varchar not null default 'public'
);

create table event_logs (                   -- one row per atomic fact
  id             varchar primary key,
  memcell_id     varchar not null,
  atomic_fact    varchar not null,
  speaker        varchar not null,
  user_id        varchar not null,
  group_id       varchar not null,
  parent_type    varchar not null,          -- memcell (v1.1) | episode (v1.0)
  parent_id      varchar not null,
  said_at        timestamp not null,
  valid_at       timestamp,                 -- true from; null: unknown
  invalid_at     timestamp,                 -- true until, exclusive; null: still
  created_at     timestamp not null,        -- when we were told: the row was written
  confidence     double not null,
  domain         varchar,
  strength       double not null default 1.0,
  last_accessed  timestamp,
  access_count   integer not null default 0,
  privacy_tier   varchar not null default 'public',
  superseded_at  timestamp,                 -- from when on another statement took its place, by consolidation
  superseded_told_at timestamp              -- when we were told that
);

create table foresights (
  id             varchar primary key,
  memcell_id     varchar not null,
  foresight      varchar not null,
  evidence       varchar not null,          -- exact words of the message
  user_id        varchar not null,
  start_time     timestamp not null,        -- both ends inclusive
  end_time       timestamp,                 -- null: open
  duration_days  integer,
  duration_type  varchar not null,          -- fixed | ongoing | indefinite
  parent_type    varchar not null,
  parent_id      varchar not null,
  said_at        timestamp not null,
  created_at     timestamp not null,
  confidence     double not null,
  strength       double not null default 1.0,
  last_accessed  timestamp,
  access_count   integer not null default 0,
  privacy_tier   varchar not null default 'public'
);

create table sources (                      -- which messages a memory came from, in order
  memory_id   varchar not null,
  place       integer not null,
  message_id  varchar not null
);

create table scenes (
  scene_id           varchar primary key,
  user_id            varchar not null,
  theme              varchar not null,
  summary            varchar not null,
  centroid           float[384],
  size               integer not null,      -- members of the running mean
  first_timestamp    timestamp not null,
  latest_timestamp   timestamp not null,
  previous_scene_id  varchar,
  created_at         timestamp not null
);

create table assertions (                   -- what people said of themselves under an attribute; the profile follows from it
  id            varchar primary key,
  memcell_id    varchar not null,
  user_id       varchar not null,
  attribute     varchar not null,
  value         varchar not null,           -- '' where it ended whatever there was
  stance        varchar not null,           -- holds | ended
  valid_at      timestamp,                  -- when it became true, or, where it ended, when it did so
  invalid_at    timestamp,                  -- an end that was told with it, exclusive
  said_at       timestamp not null,
  confidence    double not null,
  fact_ids      varchar[] not null,         -- the facts that state it
  created_at    timestamp not null,
  privacy_tier  varchar not null default 'public'
);

create table conflicts (
  id             varchar primary key,
  scope          varchar not null,          -- scene | profile
  user_id        varchar not null,
  attribute      varchar not null,
  old_value      varchar not null,
  new_value      varchar not null,
  old_timestamp  timestamp not null,
  new_timestamp  timestamp not null,
  old_messages   varchar[] not null,        -- ids of the messages that say so
  new_messages   varchar[] not null,
  resolution     varchar not null           -- recency_wins
);

create table documents (                    -- what can be found: a row per piece of a message, per episode, fact, foresight
  number           bigint not null,
  head             bigint not null,         -- number of the memory's first row
  kind             varchar not null,        -- message | episode | fact | foresight
  memory_id        varchar not null,
  conversation_id  varchar not null,
  user_id          varchar,                 -- who said it or whom it concerns; null: a group episode
  said_at          timestamp not null,
  valid_at         timestamp,
  invalid_at       timestamp,
  superseded_told_at timestamp,             -- when we were told that another fact took its place
  body             varchar not null,        -- normalised for the keyword index: casefolded, Chinese as bigrams
  embedding        float[384] not null
);

create table forgotten (                    -- messages that the user had forgotten: reading their chat again leaves them out
  message_id       varchar primary key,
  conversation_id  varchar not null,
  ordinal          integer not null
);
