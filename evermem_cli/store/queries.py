"""The SQL of a search, and of the entries it looks at. `float[384]` stands for vectors of the file's own length."""

from evermem_cli.memory.strength import GREATEST_STRENGTH, NEW
from evermem_cli.store.postings import WORDS, term


def faded(strength: str, since: str, until: str = "$clock::timestamp") -> str:
    """SQL for what is left of a strength between two moments, at $decay a week."""
    return f"{strength} * pow($decay, greatest(0, epoch({until}) - epoch({since})) / 604800)"


# DuckDB reads no two-dimensional arrays; a column for each place of a vector would take twice as long.
ADD_DOCUMENTS = f"""
    insert into documents by name
    select *, len({WORDS}) as length from incoming join (
      select number, list(value order by place)::float[384] as embedding from coordinates group by number)
    using (number) order by number"""

# A user sees all of the chats they own; of the others that they took part in, the episodes of the group and their own,
# and no digests: these may tell of other chats.
# A foresight counts until its end, inclusive; a fact from its beginning to its end, exclusive.
PASSES = """(
    ($user_id is null or (
        documents.conversation_id in (select id from conversations where user_id = $user_id)
        or documents.conversation_id in (
            select conversation_id from messages where lower(user_id) = lower($user_id))
        and documents.kind <> 'digest'
        and (documents.kind <> 'episode' or documents.user_id is null or lower(documents.user_id) = lower($user_id))))
    and (len($people) = 0 or lower(documents.user_id) in (select unnest($people)))
    and (len($kinds) = 0 or documents.kind in (select unnest($kinds)))
    and ($since is null or documents.said_at >= $since) and ($until is null or documents.said_at <= $until)
    and ($known_at is null or documents.said_at <= $known_at)
    and ($as_of is null or (
        (documents.said_at <= $as_of or documents.valid_at <= $as_of)
        and (documents.kind <> 'foresight' or documents.invalid_at is null or documents.invalid_at >= $as_of)
        and (documents.kind <> 'fact' or $ended or documents.invalid_at is null or documents.invalid_at > $as_of
         or documents.superseded_told_at > $known_at))))"""

# What is left of a memory as old as it is, and what accesses have made of it.
STRENGTH = f"coalesce(lively.strength, 0) + if(whole, 0, {faded(str(NEW), 'created_at')})"

# The one look at the vectors and at what may be found. A filter before the product would copy each vector that passes,
# at five times the cost of the product itself. Messages say "I" where the question says a name: they are compared with
# the question as spoken.
MEANT = f"""
    create or replace temp table meant as
    select *, passes and strength >= $below as wanted from (
      select number, head, {PASSES} as passes, least({STRENGTH}, {GREATEST_STRENGTH}) as strength,
           case when kind = 'message' then array_inner_product(embedding, $spoken::float[384])
           else array_inner_product(embedding, $asked::float[384]) end as cosine
    from documents left join lively on lively.id = memory_id)"""

# Episodes give way to the digest of their MemCells where that may be found: not on a day before its last MemCell, nor
# where one person's words are wanted.
DIGESTED = """
    update meant set passes = false, wanted = false where head in (
      select number from documents join episodes on episodes.id = memory_id where memcell_id in (
        select unnest(memcell_ids) from digests where id in (
          select memory_id from documents join meant using (number) where wanted)))"""

# How often each memory has the question's words. Words of one stem are one.
MATCH = f"""
    create or replace temp table matches as
    with asked as (
      select term, row_number() over (order by term) as termid
      from (select distinct {term("strip_accents(unnest($words))")} as term))
    select head, termid, times as n from postings join asked using (term)"""
KNOWN_TERMS = "select termid, count(*) as containing from matches group by termid order by termid"
INDEX_SIZE = """
    select count(*), greatest(coalesce(sum(length), 0), 1) / greatest(count(*), 1) from documents where number = head"""

# BM25 with k1 = 1.2 and b = 0.5, for the choice of candidates; the ranking looks closer.
BY_WORDS = """
    select matches.head from matches join weights using (termid) join documents on documents.number = matches.head
    join meant on meant.number = matches.head where wanted group by matches.head
    order by sum(idf * n * 2.2 / (n + 1.2 * (0.5 + 0.5 * length / $mean))) desc, matches.head limit $limit"""
BY_MEANING = "select head from meant where wanted group by head order by max(cosine) desc, head limit $limit"
ARCHIVED = "select count(distinct head) as n from meant where passes and not wanted"

# Ids of different kinds differ. A condition on the kind beside the ids would make DuckDB compare every pair of rows.
TOLD = """
    left join messages on messages.id = documents.memory_id left join episodes on episodes.id = documents.memory_id
    left join event_logs on event_logs.id = documents.memory_id
    left join foresights on foresights.id = documents.memory_id
    left join digests on digests.id = documents.memory_id"""

# The memories of `hits`, and for messages those up to $reach places before and after them.
SURROUND = """
    create or replace temp table around as
    with found as (select memory_id from documents join hits on number = hits.head),
    places as (
      select distinct conversation_id, ordinal + unnest(range(-$reach, $reach + 1)) as ordinal
      from messages where id in (from found)),
    near as (from found union select id from messages join places using (conversation_id, ordinal))
    select distinct head from documents where memory_id in (from near)"""
POOL = f"""
    with entries as (
      select head, max(cosine) as cosine, bool_and(wanted) as wanted, any_value(strength) as strength
      from meant where head in (select head from around) group by head)
    select entries.head, length, cosine, wanted, entries.strength, documents.conversation_id,
           coalesce(ordinal, 0) as ordinal,
           documents.said_at + to_seconds(coalesce(utc_offset, 0)) as local_time,
           coalesce(messages.speaker, event_logs.speaker, '') as speaker,
           coalesce(messages.text, episode, atomic_fact, foresight, digest) as text
    from entries join documents on number = entries.head {TOLD}
    order by documents.conversation_id, ordinal, entries.head"""

FOUND = f"""
    select documents.number, documents.kind, documents.memory_id, documents.said_at, documents.valid_at,
           documents.invalid_at, conversations.title, conversations.key, memcells.scene_id, messages.memcell_id,
           coalesce(messages.text, episode, atomic_fact, foresight, digest) as text,
           coalesce(messages.speaker, event_logs.speaker) as speaker
    from documents join wanted on documents.number = wanted.id
    join conversations on conversations.id = documents.conversation_id {TOLD}
    left join memcells on event_id = coalesce(messages.memcell_id, episodes.memcell_id, event_logs.memcell_id,
                                              foresights.memcell_id, memcell_ids[-1])"""
NAMES = """
    select speaker from messages where lower(user_id) in (select unnest($people))
    group by speaker order by count(*) desc, speaker"""
