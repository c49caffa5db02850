"""The SQL of a search. `float[384]` stands for vectors of the file's own length."""

from evermem_cli.memory import Kind
from evermem_cli.memory.strength import GREATEST_STRENGTH, NEW
from evermem_cli.store.index.postings import WORDS, number
from evermem_cli.store.index.sketches import COLUMNS


def faded(strength: str, since: str, until: str = "$clock::timestamp") -> str:
    """SQL for the part of a strength that is left between two moments, at $decay per week."""
    return f"{strength} * pow($decay, greatest(0, epoch({until}) - epoch({since})) / 604800)"


def among(number: str) -> str:
    """SQL for whether an entry is in `$numbers`, as encoded by `sketches.among`."""
    return f"get_bit($numbers::blob::bit, {number}::integer) = 1"


# The entries among `$numbers` that the reader may see, as `withheld.py` defines them. DuckDB pushes the condition into
# the scan only without a join; elsewhere the entries are materialized first.
CHOSEN = "chosen_documents($numbers::blob::bit)"

# DuckDB reads no two-dimensional arrays; one column per component would take twice as long.
ADD_DOCUMENTS = f"""
    insert into documents by name
    select *, len({WORDS}) as length from incoming join (
      select number, list(value order by place)::float[384] as embedding from coordinates group by number)
    using (number) join sketches using (number) order by number"""

# Conditions of a filter on an entry, by field. `$passes` stands for those that a filter uses. A user sees all of their
# own chats; of other chats that they took part in, the group's episodes and their own, and no digests, which may cover
# other chats. `$wall` is the local time as of then, where times are days. A foresight counts until its end, inclusive;
# a fact from its beginning to its end, exclusive.
PASSES = {
    "user_id": """(
        documents.conversation_id in (select id from conversations where user_id = $user_id)
        or documents.conversation_id in (
            select conversation_id from messages where lower(user_id) = lower($user_id))
        and documents.kind <> 'digest'
        and (documents.kind <> 'episode' or documents.user_id is null
         or lower(documents.user_id) = lower($user_id)))""",
    "people": "lower(documents.user_id) in (select unnest($people))",
    "kinds": "documents.kind in (select unnest($kinds))",
    "since": "documents.said_at >= $since",
    "until": "documents.said_at <= $until",
    "known_at": "documents.said_at <= $known_at",
    "as_of": """(
        (documents.said_at <= $as_of or documents.valid_at <= if(valid_grain is null, $as_of, $wall))
        and (documents.kind <> 'foresight' or documents.invalid_at is null
         or documents.invalid_at >= if(invalid_grain is null, $as_of, $wall))
        and (documents.kind <> 'fact' or $ended or documents.invalid_at is null
         or documents.invalid_at > if(invalid_grain is null, $as_of, $wall)
         or documents.superseded_told_at > $known_at))""",
}
OTHERS_CHATS = "select count(*) as n from conversations where user_id <> $user_id"

# The strength of a memory from its age and its accesses.
STRENGTH = f"least(coalesce(lively.strength, 0) + if(whole, 0, {faded(str(NEW), 'created_at')}), {GREATEST_STRENGTH})"

# Entries that pass but are hidden: archived ones, and episodes replaced by the digest of their MemCells where the
# digest may be found: not on a day before its last MemCell, nor where one person's words are wanted. A memory may be
# archived if it was written before `$oldest`, or if its accesses leave too little strength.
HIDDEN = f"""
    create or replace temp table hidden as
    with old as (
      select number, memory_id, created_at from documents where created_at < $oldest union
      select number, memory_id, created_at from documents
      where memory_id in (select id from lively where whole and strength < $below)),
    archived as (select number from old left join lively on lively.id = memory_id where {STRENGTH} < $below),
    told as (
      select memory_id from documents where kind = 'digest' and $passes and number not in (from archived)),
    given_way as (
      select number from documents join episodes on episodes.id = memory_id where memcell_id in (
        select unnest(memcell_ids) from digests where id in (from told)))
    select number, false as archived from given_way union all
    select number, true from archived where number not in (from given_way)"""
WANTED = "($passes and documents.number not in (select number from hidden))"
ARCHIVED = "select count(distinct head) as n from documents join hidden using (number) where archived and $passes"

# Sketches preselect near entries among all that may be found; the vectors of `$numbers` alone then decide. Messages say
# "I" where the question has a name, so they are compared with the question as spoken.
SKETCHES = f"select number, kind = 'message' as is_message, {', '.join(COLUMNS)} from documents where {WANTED}"
COSINE = """
    case when kind = 'message' then array_inner_product(embedding, $spoken::float[384])
    else array_inner_product(embedding, $asked::float[384]) end"""
BY_MEANING = f"""
    select head from (
      select head, kind = 'message' as is_message, max({COSINE}) as nearness
      from {CHOSEN} group by all)
    qualify row_number() over (partition by is_message order by nearness desc, head)
      <= if(is_message, $limit, $drawn)"""

# How often each memory has the question's words. Words with one stem count as one, and so do the forms of a word.
ASKED = f"""
    create or replace temp table asked as
    select {number("unnest($stems::varchar[])")} as term, unnest($termids::bigint[]) as termid"""
MATCH = """
    create or replace temp table matches as
    select head, termid, sum(times)::integer as n from postings join asked using (term) group by head, termid"""
KNOWN_TERMS = "select termid, count(*) as containing from matches group by termid order by termid"
INDEX_SIZE = """
    select count(*), greatest(coalesce(sum(length), 0), 1) / greatest(count(*), 1) from documents where number = head"""

# BM25 with k1 = 1.2 and b = 0.5, to choose candidates; the ranking is more precise.
BY_WORDS = f"""
    select head from (
      select matches.head, kind = 'message' as is_message,
             sum(idf * n * 2.2 / (n + 1.2 * (0.5 + 0.5 * length / $mean))) as score
      from matches join weights using (termid) join documents on documents.number = matches.head
      where {WANTED} group by all)
    qualify row_number() over (partition by is_message order by score desc, head)
      <= if(is_message, $limit, $drawn)"""


def with_texts(entries: str) -> str:
    """SQL for entries with the texts of their memories; ids of different kinds differ.

    In a join with all five tables at once, DuckDB would hash all facts with their texts.
    """
    same = f"join {entries} on id = memory_id"
    return f"""(
        select {entries}.*, memcell_id, text, speaker, ordinal, utc_offset from messages {same} union all
        select {entries}.*, memcell_id, episode, null, 0, 0 from episodes {same} union all
        select {entries}.*, memcell_id, atomic_fact, speaker, 0, 0 from event_logs {same} union all
        select {entries}.*, memcell_id, foresight, null, 0, 0 from foresights {same} union all
        select {entries}.*, memcell_ids[-1], digest, null, 0, 0 from digests {same})"""


# A table of its own tells DuckDB how few rows there are; otherwise it would hash all messages with their texts.
AT_HAND = f"create or replace temp table at_hand as select memory_id from {CHOSEN}"
# The selected entries, and messages up to $reach places before and after selected messages.
AROUND = """
    create or replace temp table around as
    with places as (
      select distinct conversation_id, ordinal + unnest(range(-$reach, $reach + 1)) as ordinal
      from messages where id in (from at_hand))
    from at_hand union select id from messages join places using (conversation_id, ordinal)"""
SURROUND = "select number from documents where memory_id in (from around)"
LOOKED_AT = f"""
    create or replace temp table entries as
    with chosen as materialized (select * exclude (embedding, body), {COSINE} as cosine from {CHOSEN}),
    looked_at as (
      select head, memory_id, conversation_id, said_at, length, cosine, {WANTED} as wanted
      from chosen as documents)
    select head, memory_id, conversation_id, said_at, wanted, max(cosine) as cosine, sum(length) as length
    from looked_at group by all"""
POOL = f"""
    select head, length, cosine, wanted, conversation_id, ordinal,
           said_at + to_seconds(utc_offset) as local_time, coalesce(speaker, '') as speaker, text
    from {with_texts("entries")} order by conversation_id, ordinal, head"""

# Memories derived from the messages that are `entries` and among `$numbers`. Each is as near to the spoken question as
# its best piece.
MADE = f"""
    create or replace temp table made as
    select head, sources.memory_id from sources join (
      select head, memory_id from entries where {among("head")}) as messages on message_id = messages.memory_id"""
MADE_OF = """
    select number from documents
    where memory_id in (select memory_id from made) and kind in ('fact', 'foresight', 'episode')"""
VIEWS = f"""
    with chosen as materialized (
      select memory_id, kind, array_inner_product(embedding, $spoken::float[384]) as cosine from {CHOSEN})
    select made.head, kind = 'episode' as is_episode, max(cosine) as cosine
    from chosen join made using (memory_id) group by all"""

COUNTS = f"select head, termid, n from matches where {among('head')}"

SEEN_OF = "number, kind, memory_id, conversation_id, said_at, valid_at, valid_grain, invalid_at, invalid_grain"
SHOWN = f"create or replace temp table shown as select {SEEN_OF} from {CHOSEN}"
FOUND = f"""
    select number, texts.kind, memory_id, said_at, valid_at, valid_grain, invalid_at, invalid_grain,
           texts.conversation_id, scene_id, text, speaker
    from {with_texts("shown")} as texts left join memcells on event_id = memcell_id"""
# What `entries.py` reads of a file: all entries; their memories, with what the ranking needs of them; and which facts,
# foresights and episodes were derived from which message.
ENTRIES = f"select number, head, kind, length, created_at, {', '.join(COLUMNS)} from documents"
HEADS = "(select number, memory_id, conversation_id, said_at from documents where number = head)"
TEXTS_OF_HEADS = f"""
    with heads as materialized {HEADS}
    select number, memory_id, conversation_id, ordinal, said_at + to_seconds(utc_offset) as local_time,
           coalesce(speaker, '') as speaker, text
    from {with_texts("heads")}"""
HEADS_WITH_TEXTS = f"with heads as materialized {HEADS} select number from {with_texts('heads')}"
DERIVED_MEMORIES = """
    with heads as materialized (select number, memory_id, kind from documents where number = head)
    select coalesce(said.number, 0) as message, drawn.number as made, drawn.kind <> 'digest' as is_view
    from sources join heads as drawn on drawn.memory_id = sources.memory_id
    left join heads as said on said.memory_id = message_id
    order by made, place"""
# The indexed words that contain a character.
WORDS_WITH = rf"""
    select distinct word from (select unnest({WORDS}) as word from documents where contains(body, $part))
    where contains(word, strip_accents($part)) order by word"""
TERMS = f"select {number('unnest($stems::varchar[])')} as term"
PASSING = "select number from documents where $passes"
ENTRIES_OF = f"select {SEEN_OF} from {CHOSEN}"
# The text, speaker and MemCell of memories by kind. With ids as parameters DuckDB looks them up in the tables' indexes.
TEXTS_OF = {
    Kind.MESSAGE: "select * from messages",
    Kind.EPISODE: "select id, episode as text, null as speaker, memcell_id from episodes",
    Kind.FACT: "select id, atomic_fact as text, speaker, memcell_id from event_logs",
    Kind.FORESIGHT: "select id, foresight as text, null as speaker, memcell_id from foresights",
    Kind.DIGEST: "select id, digest as text, null as speaker, memcell_ids[-1] as memcell_id from digests",
}
SCENES = "select event_id as id, scene_id from memcells"
HIDDEN_NOW = "select number, archived from hidden"
