"""Migrations: statement n brings a file of schema version n to n + 1.

`float[384]` stands for vectors of the file's own length.
"""

import duckdb

from evermem_cli.memory import grain_name
from evermem_cli.reading.domain import domain
from evermem_cli.store.index import mentions
from evermem_cli.store.schema.ends import OVER_GRAIN

TO_2 = """
    create table forgotten (
      message_id varchar primary key, conversation_id varchar not null, ordinal integer not null)"""
TO_3 = """
    drop table profile_facts;
    drop table profile_traits;
    create table assertions (
      id varchar primary key, memcell_id varchar not null, user_id varchar not null, attribute varchar not null,
      value varchar not null, stance varchar not null, valid_at timestamp, invalid_at timestamp,
      said_at timestamp not null, confidence double not null, fact_ids varchar[] not null,
      created_at timestamp not null, privacy_tier varchar not null default 'public');
    alter table scenes add column first_timestamp timestamp;
    update scenes set first_timestamp = coalesce(
      (select min(start_at) from memcells where memcells.scene_id = scenes.scene_id), latest_timestamp);
    alter table event_logs drop column superseded_by;
    alter table event_logs add column superseded_at timestamp;
    alter table event_logs add column superseded_told_at timestamp;
    alter table documents add column superseded_told_at timestamp;
    alter table memcells add column consolidated boolean default false"""
# A table that was updated can only be altered by the next step. Conflicts are found anew, each for its owner's memory.
TO_4 = """
    drop table conflicts;
    create table conflicts (
      id varchar primary key, scope varchar not null, owner_id varchar not null, user_id varchar not null,
      attribute varchar not null, old_value varchar not null, new_value varchar not null,
      old_timestamp timestamp not null, new_timestamp timestamp not null,
      old_messages varchar[] not null, new_messages varchar[] not null,
      resolution varchar not null);
    alter table scenes alter column first_timestamp set not null;
    alter table episodes drop column privacy_tier;
    alter table event_logs drop column privacy_tier;
    alter table foresights drop column privacy_tier;
    alter table assertions drop column privacy_tier;
    alter table messages add column domain varchar;
    alter table foresights add column domain varchar;
    create table privacy (memory_id varchar primary key, privacy_tier varchar not null);
    create table access_log (
      read_at timestamp not null, agent varchar not null, reason varchar not null, command varchar not null,
      sensitive boolean not null)"""
TO_5 = """
    create table interactions (
      id varchar primary key, conversation_id varchar not null, user_id varchar not null, situation varchar not null,
      reasoning varchar, action varchar, outcome varchar not null, user_feedback varchar, agent_type varchar not null,
      timestamp timestamp not null, tags varchar not null, created_at timestamp not null);
    create table situations (interaction_id varchar not null, embedding float[384] not null);
    create table rules (
      id varchar primary key, user_id varchar not null, agent_type varchar not null, rule varchar not null,
      stance varchar not null, aspect varchar not null, contradicted integer not null, confirmed integer not null,
      override_count integer not null, created_at timestamp not null, last_validated timestamp not null,
      retired_at timestamp);
    create table rule_evidence (
      rule_id varchar not null, place integer not null, interaction_id varchar not null);
    create table reflections (conversation_id varchar primary key, messages integer not null)"""
TO_6 = """
    create table message_edits (
      message_id varchar not null, version integer not null, text varchar not null, replaced_at timestamp not null)"""
# Assertions are read anew, since places, people and things were not read before.
TO_7 = """
    create table mentions (message_id varchar not null, name varchar not null, entity_type varchar);
    update memcells set consolidated = false"""
TO_8 = """
    alter table messages add column strength double default 1.0;
    alter table messages add column last_accessed timestamp;
    alter table messages add column access_count integer default 0;
    alter table documents add column created_at timestamp;
    update documents set created_at = told.created_at from (
      select id, created_at from messages union all select id, created_at from episodes union all
      select id, created_at from event_logs union all select id, created_at from foresights) as told
    where told.id = memory_id"""
TO_9 = """
    create table merged (
      owner_id varchar not null, name varchar not null, person varchar not null, merged_at timestamp not null)"""
TO_10 = """
    create table digests (
      id varchar primary key, conversation_id varchar not null, subject varchar not null, digest varchar not null,
      memcell_ids varchar[] not null, start_at timestamp not null, said_at timestamp not null,
      created_at timestamp not null, strength double not null default 1.0, last_accessed timestamp,
      access_count integer not null default 0)"""
# Assertions are read anew, for the effects of facts on each other.
TO_11 = """
    create table accords (fact_id varchar not null, other_id varchar not null, effect varchar not null);
    update memcells set consolidated = false;
    alter table interactions add column strength double default 1.0;
    alter table interactions add column last_accessed timestamp;
    alter table interactions add column access_count integer default 0;
    alter table rules add column strength double default 1.0;
    alter table rules add column last_accessed timestamp;
    alter table rules add column access_count integer default 0"""
TO_12 = """
    drop schema if exists fts_main_documents cascade;
    delete from meta where key in ('indexed_documents', 'indexed_memories', 'mean_length');
    create table postings (term ubigint not null, head bigint not null, times integer not null)"""
# `sketches.fill` copies the entries.
TO_13 = """
    alter table documents rename to earlier;
    create table documents (
      number bigint not null, head bigint not null, kind varchar not null, memory_id varchar not null,
      conversation_id varchar not null, user_id varchar, said_at timestamp not null, valid_at timestamp,
      invalid_at timestamp, superseded_told_at timestamp, created_at timestamp, body varchar not null,
      length integer default 0, embedding float[384] not null,
      sketch_0 ubigint not null, sketch_1 ubigint not null, sketch_2 ubigint not null,
      sketch_3 ubigint not null, sketch_4 ubigint not null, sketch_5 ubigint not null)"""
# Messages wait for the tagger, and assertions for its statements.
TO_14 = """
    create table statements (
      message_id varchar not null, start integer not null, stop integer not null, kind varchar not null,
      value varchar not null, whose varchar not null, person varchar not null, stance varchar not null,
      probability double not null);
    create table readings (message_id varchar primary key, tagger varchar not null);
    alter table assertions add column sure boolean default true;
    update memcells set consolidated = false"""
# Times stated as a day, month or year. `fill_days` finds the days; assertions are read anew for longer units.
TO_15 = """
    alter table event_logs add column valid_grain varchar;
    alter table event_logs add column invalid_grain varchar;
    alter table event_logs add column superseded_grain varchar;
    alter table foresights add column start_grain varchar;
    alter table foresights add column end_grain varchar;
    alter table assertions add column valid_grain varchar;
    alter table assertions add column invalid_grain varchar;
    alter table conflicts add column old_grain varchar;
    alter table conflicts add column new_grain varchar;
    alter table documents add column valid_grain varchar;
    alter table documents add column invalid_grain varchar"""
TO_16 = """
    create table corrections (
      id varchar primary key, memory_id varchar not null, kind varchar not null, user_id varchar not null,
      attribute varchar not null, wrong varchar not null, stated varchar not null, valid_at timestamp,
      message_ids varchar[] not null, statement_id varchar, corrected_at timestamp not null,
      valid_grain varchar)"""
TO_17 = """
    create table exchanged (
      kind varchar not null, name varchar not null, revision integer not null, digest varchar not null,
      moment timestamp, number double)"""
TO_18 = "alter table foresights add column predicted boolean default false"
# The domain of a text was told by lists of words; `fill_domains` reads it anew.
TO_19 = """
    update messages set domain = null;
    update event_logs set domain = null;
    update foresights set domain = null"""
# Messages and facts lose the keys that each transaction read and wrote back. `fill_domains` reads the domains anew, now
# of each sentence.
TO_20 = """
    alter table messages rename to keyed_messages;
    create table messages (
      id varchar not null, conversation_id varchar not null, ordinal integer not null, external_id varchar not null,
      speaker varchar not null, user_id varchar not null, role varchar not null, text varchar not null,
      said_at timestamp not null, utc_offset integer not null, time_source varchar not null, memcell_id varchar,
      created_at timestamp not null, domain varchar, strength double default 1.0, last_accessed timestamp,
      access_count integer default 0);
    insert into messages by name select * replace (null as domain) from keyed_messages;
    drop table keyed_messages;
    alter table event_logs rename to keyed_facts;
    create table event_logs (
      id varchar not null, memcell_id varchar not null, atomic_fact varchar not null, speaker varchar not null,
      user_id varchar not null, group_id varchar not null, parent_type varchar not null, parent_id varchar not null,
      said_at timestamp not null, valid_at timestamp, invalid_at timestamp, created_at timestamp not null,
      confidence double not null, domain varchar, strength double not null default 1.0, last_accessed timestamp,
      access_count integer not null default 0, superseded_at timestamp, superseded_told_at timestamp,
      valid_grain varchar, invalid_grain varchar, superseded_grain varchar);
    insert into event_logs by name select * replace (null as domain) from keyed_facts;
    drop table keyed_facts;
    update foresights set domain = null"""
TO_21 = """
    create table verdicts (
      message_id varchar not null, kind varchar not null, value varchar not null, stance varchar not null,
      holds boolean not null, model varchar not null, judged_at timestamp not null)"""
TO_22 = "create table forgotten_memories (mark varchar primary key, message_ids varchar[] not null)"
MIGRATIONS: dict[int, str] = {
    1: TO_2,
    2: TO_3,
    3: TO_4,
    4: TO_5,
    5: TO_6,
    6: TO_7,
    7: TO_8,
    8: TO_9,
    9: TO_10,
    10: TO_11,
    11: TO_12,
    12: TO_13,
    13: TO_14,
    14: TO_15,
    15: TO_16,
    16: TO_17,
    17: TO_18,
    18: TO_19,
    19: TO_20,
    20: TO_21,
    21: TO_22,
}
# The text that determines a memory's domain.
TEXTS = {"messages": "text", "event_logs": "atomic_fact", "foresights": "foresight || ' ' || evidence"}


def fill_domains(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives every memory without a domain its domain."""
    for table, text in TEXTS.items():
        by_domain: dict[str, list[str]] = {}
        for memory_id, content in connection.execute(f"select id, {text} from {table} where domain is null").fetchall():
            by_domain.setdefault(domain(content), []).append(memory_id)
        for name, ids in by_domain.items():
            change = f"update {table} set domain = $domain where id in (select unnest($ids))"
            connection.execute(change, {"domain": name, "ids": ids})


def fill_mentions(connection: duckdb.DuckDBPyConnection) -> None:
    """Stores the names in all messages, if none are stored: files of versions before 7 have none."""
    if connection.execute("select count(*) from mentions").fetchall() == [(0,)]:
        mentions.note_all(connection)


WITH_DAYS = 15
OF_SOURCES = """
    select memory_id as id, any_value(utc_offset) as utc_offset, any_value(messages.said_at) as said
    from {table} join sources on memory_id = {table}.id
    join messages on messages.id = message_id and messages.said_at = {table}.said_at group by memory_id"""
OF_CONFLICTS = "select conflicts.id, utc_offset, said_at as said from conflicts join messages on messages.id = {}[1]"
# By table, the times that may be days, each with the message that states it.
DAYS = {
    "event_logs": {"valid_at": OF_SOURCES, "invalid_at": OF_SOURCES, "superseded_at": OF_SOURCES},
    "foresights": {"start_time": OF_SOURCES, "end_time": OF_SOURCES},
    "assertions": {"valid_at": OF_SOURCES, "invalid_at": OF_SOURCES},
    "conflicts": {
        "old_timestamp": OF_CONFLICTS.format("old_messages"),
        "new_timestamp": OF_CONFLICTS.format("new_messages"),
    },
}
# A day begins or ends on its speaker's clock, or is counted in days from the time it was said.
TELL_DAY = """
    update {table} set {column} = {column} + to_seconds(utc_offset), {grain} = 'day' from ({told}) as told
    where told.id = {table}.id and {column} <> said and {grain} is null and (
      (epoch_ms({column}) + 1000 * utc_offset) % 86400000 in (-1, 0, 86399999)
      or (epoch_ms({column}) - epoch_ms(said)) % 86400000 = 0)"""
TELL_DAYS_FOUND = f"""
    update documents set valid_at = told.begins, valid_grain = told.begins_grain,
                         invalid_at = told.ends, invalid_grain = told.ends_grain
    from (
      select id, valid_at as begins, valid_grain as begins_grain, least(invalid_at, superseded_at) as ends,
             {OVER_GRAIN} as ends_grain from event_logs union all
      select id, start_time, start_grain, end_time, end_grain from foresights) as told
    where told.id = memory_id and coalesce(begins_grain, ends_grain) is not null"""


def fill_days(connection: duckdb.DuckDBPyConnection) -> None:
    """Turns moments at which days begin for their speaker into days, in a file of a version before `WITH_DAYS`."""
    for table, columns in DAYS.items():
        for column, source in columns.items():
            change = TELL_DAY.format(
                table=table, column=column, grain=grain_name(column), told=source.format(table=table)
            )
            connection.execute(change)
    connection.execute(TELL_DAYS_FOUND)
    connection.execute("update memcells set consolidated = false")
