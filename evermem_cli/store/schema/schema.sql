-- The memory file, schema version 22. Runs as it is in the duckdb shell.
-- Moments are UTC. What was told as a day, month or year (its grain: day | week | month | …, in the column beside) stands
-- as any clock shows it, in no zone; where the grain is null it is a moment. Ids derive from content: reading the same chat
-- twice yields the same ids. There are no foreign keys, because DuckDB turns an update of a referenced row into delete and
-- insert; `sources` and the *_id columns carry the references. The two tables with the most rows have no keys either: each
-- transaction would read and write back most of an index of a million digests.

create table meta (
  key    varchar primary key,               -- schema_version, embedder, dimension, created_at, settled (postings), unsettled (assertions)
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
  id               varchar not null,
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
  created_at       timestamp not null,
  domain           varchar,                 -- health | finance | relationships | work | travel | general
  strength         double default 1.0,      -- when it was last accessed, else when it was written; fades from then on
  last_accessed    timestamp,
  access_count     integer default 0
);

create table memcells (
  event_id         varchar primary key,
  conversation_id  varchar not null,
  group_id         varchar not null,
  kind             varchar not null,
  boundary_reason  varchar not null,        -- why the topic ended here
  is_open          boolean not null,        -- its topic may go on with the next message
  policy           varchar not null,        -- all | v1.0 | v1.1: what is extracted from chats of people
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
  access_count   integer not null default 0
);

create table digests (                      -- summaries of the old MemCells of a scene and the scenes that it continues, found in place of their episodes
  id               varchar primary key,
  conversation_id  varchar not null,        -- that of the last of them
  subject          varchar not null,
  digest           varchar not null,
  memcell_ids      varchar[] not null,      -- in order of time
  start_at         timestamp not null,
  said_at          timestamp not null,      -- when the last MemCell ended
  created_at       timestamp not null,
  strength         double not null default 1.0,
  last_accessed    timestamp,
  access_count     integer not null default 0
);

create table event_logs (                   -- one row per atomic fact
  id             varchar not null,
  memcell_id     varchar not null,
  atomic_fact    varchar not null,
  speaker        varchar not null,
  user_id        varchar not null,
  group_id       varchar not null,
  parent_type    varchar not null,          -- memcell (all, v1.1) | episode (v1.0)
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
  superseded_at  timestamp,                 -- from when on another statement took its place, by consolidation
  superseded_told_at timestamp,             -- when we were told that
  valid_grain      varchar,
  invalid_grain    varchar,
  superseded_grain varchar
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
  domain         varchar,
  start_grain      varchar,
  end_grain        varchar,
  predicted      boolean default false      -- nobody said it: the language model expects it
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

create table assertions (                   -- what people said about themselves, by attribute; profiles are derived from it
  id            varchar primary key,
  memcell_id    varchar not null,
  user_id       varchar not null,
  attribute     varchar not null,
  value         varchar not null,           -- '' if it ended any value, whatever it was
  stance        varchar not null,           -- holds | ended | denied | offered | taken
  valid_at      timestamp,                  -- when it became true, or when it ended if `stance` is ended
  invalid_at    timestamp,                  -- an end that was told with it, exclusive
  said_at       timestamp not null,
  confidence    double not null,
  fact_ids      varchar[] not null,         -- the facts that state it
  created_at    timestamp not null,
  sure          boolean default true,       -- a profile may rest on it
  valid_grain      varchar,
  invalid_grain    varchar
);

create table conflicts (
  id             varchar primary key,
  scope          varchar not null,          -- scene | profile
  owner_id       varchar not null,          -- in whose memory
  user_id        varchar not null,
  attribute      varchar not null,
  old_value      varchar not null,
  new_value      varchar not null,
  old_timestamp  timestamp not null,
  new_timestamp  timestamp not null,
  old_messages   varchar[] not null,        -- ids of the messages that say so
  new_messages   varchar[] not null,
  resolution     varchar not null,          -- recency_wins
  old_grain        varchar,
  new_grain        varchar
);

create table accords (                      -- how facts of different messages confirm or end each other
  fact_id   varchar not null,
  other_id  varchar not null,
  effect    varchar not null                -- confirms | ends: what the other does to the fact
);

create table documents (                    -- what can be found: a row per piece and statement of a message, per episode, fact, foresight, digest
  number           bigint not null,
  head             bigint not null,         -- number of the memory's first row
  kind             varchar not null,        -- message | episode | fact | foresight | digest
  memory_id        varchar not null,
  conversation_id  varchar not null,
  user_id          varchar,                 -- who said it or whom it concerns; null: a group episode, a digest
  said_at          timestamp not null,
  valid_at         timestamp,
  invalid_at       timestamp,
  superseded_told_at timestamp,             -- when we were told that another fact took its place
  created_at       timestamp,               -- the memory's
  body             varchar not null,        -- normalised for the keyword index: casefolded, Chinese as bigrams
  length           integer default 0,       -- words in it
  embedding        float[384] not null,
  sketch_0         ubigint not null,        -- signs of the embedding's first 384 places: what a search compares first
  sketch_1         ubigint not null,
  sketch_2         ubigint not null,
  sketch_3         ubigint not null,
  sketch_4         ubigint not null,
  sketch_5         ubigint not null,
  valid_grain      varchar,
  invalid_grain    varchar
);

create table postings (                     -- the keyword index: how often each memory has each word
  term   ubigint not null,                  -- md5_number_lower(stem(word, 'porter'))
  head   bigint not null,                   -- of the memory's entry
  times  integer not null
);

create table forgotten (                    -- messages that the user forgot: they stay out when their chat is read again
  message_id       varchar primary key,
  conversation_id  varchar not null,
  ordinal          integer not null
);

create table forgotten_memories (           -- of memories that the user forgot by their ids, so that they are not formed again
  mark         varchar primary key,         -- a digest (see forgotten_mark in memory/traces.py)
  message_ids  varchar[] not null           -- by which it is known; the row goes when all of them are forgotten
);

create table privacy (                      -- the tiers that the user set; other memories have the tier of their domain
  memory_id     varchar primary key,        -- of any kind, conversations and MemCells too
  privacy_tier  varchar not null            -- public | sensitive | private
);

create table access_log (                   -- every reading on behalf of an agent
  read_at    timestamp not null,
  agent      varchar not null,
  reason     varchar not null,
  command    varchar not null,
  sensitive  boolean not null               -- whether the reason unlocked sensitive memories
);

create table interactions (                 -- what a user wanted of an assistant, what was done, how it went
  id               varchar primary key,
  conversation_id  varchar not null,
  user_id          varchar not null,
  situation        varchar not null,
  reasoning        varchar,
  action           varchar,
  outcome          varchar not null,        -- success | failure | partial | unknown
  user_feedback    varchar,
  agent_type       varchar not null,        -- shopping, travel, … | general
  timestamp        timestamp not null,
  tags             varchar not null,        -- words to look for, separated by spaces
  created_at       timestamp not null,
  strength         double default 1.0,
  last_accessed    timestamp,
  access_count     integer default 0
);

create table situations (                   -- vectors of the interactions' situations
  interaction_id  varchar not null,
  embedding       float[384] not null
);

create table rules (                        -- what an assistant should do for a user
  id              varchar primary key,
  user_id         varchar not null,
  agent_type      varchar not null,
  rule            varchar not null,
  stance          varchar not null,         -- prefer | avoid, of the aspect
  aspect          varchar not null,
  contradicted    integer not null,         -- interactions that speak against it
  confirmed       integer not null,         -- by the user
  override_count  integer not null,
  created_at      timestamp not null,
  last_validated  timestamp not null,
  retired_at      timestamp,                -- no longer offered, nor proposed again
  strength        double default 1.0,
  last_accessed   timestamp,
  access_count    integer default 0
);

create table rule_evidence (                -- the interactions that agree about a rule, oldest first
  rule_id         varchar not null,
  place           integer not null,
  interaction_id  varchar not null
);

create table reflections (                  -- how far a chat has been looked through for interactions
  conversation_id  varchar primary key,
  messages         integer not null         -- that it had then
);

create table mentions (                     -- names in people's messages; an assistant's messages are left out
  message_id  varchar not null,
  name        varchar not null,
  entity_type varchar                       -- person | organization | place | product | event | animal; null: not shown
);

create table statements (                   -- what messages say, as the tagger has read it
  message_id   varchar not null,
  start        integer not null,      -- `value` is text[start:stop] of the message, in characters from 0
  stop         integer not null,
  kind         varchar not null,      -- one of reading/statements/labels.py
  value        varchar not null,
  whose        varchar not null,      -- me | we | you | other | nobody
  person       varchar not null,      -- the words that name whose it is; '' where nothing does
  stance       varchar not null,      -- holds | began | ended | planned | offered | wished | denied | joked
  probability  double not null
);

create table readings (                     -- which tagger has read a message
  message_id  varchar primary key,
  tagger      varchar not null
);

create table verdicts (                     -- what a language model says of statements that the tagger was unsure of
  message_id  varchar not null,
  kind        varchar not null,             -- the statement, as in `statements`; each is about the message's writer
  value       varchar not null,
  stance      varchar not null,
  holds       boolean not null,             -- whether the message really says this of its writer
  model       varchar not null,
  judged_at   timestamp not null
);

create table merged (                       -- names that the user merged into one person
  owner_id   varchar not null,              -- in whose memory
  name       varchar not null,              -- a user id, or the name of somebody who does not speak
  person     varchar not null,              -- whom it stands for, likewise
  merged_at  timestamp not null
);

create table message_edits (                -- what edited messages said before
  message_id   varchar not null,
  version      integer not null,            -- from 1, oldest first
  text         varchar not null,
  replaced_at  timestamp not null           -- when the new text was read
);

create table corrections (                  -- what the user states in place of wrong memories
  id            varchar primary key,
  memory_id     varchar not null,           -- the wrong memory, as it was read
  kind          varchar not null,           -- fact | foresight | assertion | episode: its title
  user_id       varchar not null,           -- the person whom the wrong memory is about
  attribute     varchar not null,           -- of an assertion, else ''
  wrong         varchar not null,           -- what it said
  stated        varchar not null,           -- what is right
  valid_at      timestamp,                  -- from when on the wrong memory was true
  message_ids   varchar[] not null,         -- that it was drawn from
  statement_id  varchar,                    -- the message in which the user states what is right; null: a title
  corrected_at  timestamp not null,
  valid_grain   varchar
);

create table exchanged (                    -- what `sync` has exchanged with other machines, as this file had it then
  kind      varchar not null,               -- conversation | message | correction | privacy | merged_person | owner_name
  name      varchar not null,               -- its id, or a digest of the names that it is about
  revision  integer not null,               -- how often it was changed, anywhere
  digest    varchar not null,               -- a digest of the fields that can change; '' if forgotten; or gone | forgotten
  moment    timestamp,                      -- the place of a message in its chat: by moment, then number
  number    double
);

-- The schema `undo` holds the rows that the user's last action has changed, as they were before (see store/write/undo.py).
-- It is there from the first action on; forgetting leaves nothing in it.
