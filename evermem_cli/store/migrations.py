"""How an older memory file becomes a newer one: statement n brings a file of schema version n to n + 1."""

TO_2 = """
    create table forgotten (
      message_id varchar primary key, conversation_id varchar not null, ordinal integer not null)"""
TO_3 = """
    drop table profile_facts;
    drop table profile_traits;
    drop table conflicts;
    create table assertions (
      id varchar primary key, memcell_id varchar not null, user_id varchar not null, attribute varchar not null,
      value varchar not null, stance varchar not null, valid_at timestamp, invalid_at timestamp,
      said_at timestamp not null, confidence double not null, fact_ids varchar[] not null,
      created_at timestamp not null, privacy_tier varchar not null default 'public');
    create table conflicts (
      id varchar primary key, scope varchar not null, user_id varchar not null, attribute varchar not null,
      old_value varchar not null, new_value varchar not null, old_timestamp timestamp not null,
      new_timestamp timestamp not null, old_messages varchar[] not null, new_messages varchar[] not null,
      resolution varchar not null);
    alter table scenes add column first_timestamp timestamp;
    alter table scenes alter column first_timestamp set not null;
    alter table event_logs drop column superseded_by;
    alter table event_logs add column superseded_at timestamp;
    alter table event_logs add column superseded_told_at timestamp;
    alter table documents add column superseded_told_at timestamp;
    alter table memcells add column consolidated boolean default false"""
MIGRATIONS: dict[int, str] = {1: TO_2, 2: TO_3}
