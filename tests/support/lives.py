"""A memory with something in every table, all of it about one secret or about nothing of it."""

import json
from datetime import UTC, datetime, timedelta

from evermem_cli.memory import (
    ChatKind,
    Conversation,
    Episode,
    Fact,
    Foresight,
    MemCell,
    Message,
    Policy,
    Role,
    Traces,
    content_id,
)
from evermem_cli.store import EXPLAINED, Store
from tests.support.fakes import WordEmbedder
from tests.support.tables import execute

EMBEDDER = WordEmbedder()
START = datetime(2025, 3, 1, 9, tzinfo=UTC)
# What consolidation would make of these facts.
CONSOLIDATED = """
    insert into scenes select 'scene-' || $name, 'default', $text, $text, null, 1, $at, $at, null, $at;
    update memcells set scene_id = 'scene-' || $name, consolidated = true where event_id = $cell;
    insert into assertions
    select 'as-' || $name, $cell, 'default', 'a', $text, 'holds', $at, null, $at, 1, [$fact], $at, true, null, 'day';
    insert or ignore into readings select $message, 'tagger';
    insert into statements select $message, 0, 1, 'job', $text, 'me', $text, 'holds', 1;
    insert into verdicts select $message, 'job', $text, 'holds', true, 'model', $at;
    insert into sources select 'as-' || $name, 0, $message;
    insert into interactions
    select 'act-' || $name, conversation_id, 'default', $text, $text, $text, 'failure', $text, 'general', $at, 'a b',
           $now, 1, null, 0 from memcells where event_id = $cell;
    insert into situations select 'act-' || $name, list_resize([0.0], 384, 0.0)::float[384];
    insert into sources select 'act-' || $name, 0, $message;
    insert into rules
    select 'rule-' || $name, 'default', 'general', $text, 'avoid', $text, 0, 0, 0, $now, $at, null, 1, null, 0;
    insert into rule_evidence select 'rule-' || $name, 0, 'act-' || $name;
    insert into digests by name
    select 'digest-' || $name as id, conversation_id, $text as subject, $text as digest, [$cell] as memcell_ids,
           $at as start_at, $at as said_at, $now as created_at from memcells where event_id = $cell;
    insert into sources select 'digest-' || $name, 0, $message;
    insert into accords select $fact, 'fact-of-' || $name, 'confirms';
    insert or ignore into reflections select conversation_id, 1 from memcells where event_id = $cell;
    insert into conflicts
    select 'cf-' || $name, 'profile', 'default', 'default', 'a', $text, $text, $at, $at, [$message], [$message],
           'recency_wins', 'day', null"""


def conversation(name: str, user_id: str = "default") -> Conversation:
    return Conversation(
        id=f"conv-{name}",
        key=name,
        title=name,
        kind=ChatKind.ASSISTANT,
        format="text",
        group_id=name,
        user_id=user_id,
    )


def messages(chat: Conversation, *texts: str, speaker: str = "Ann", start: datetime = START) -> list[Message]:
    return [
        Message(
            id=content_id("msg", chat.id, text),
            conversation_id=chat.id,
            ordinal=place,
            external_id=str(place),
            speaker=speaker,
            user_id=chat.user_id if speaker == "Ann" else speaker,
            role=Role.USER,
            text=text,
            said_at=start + timedelta(minutes=place),
        )
        for place, text in enumerate(texts, start=1)
    ]


def cell_of(said: list[Message], *, is_open: bool = False) -> MemCell:
    return MemCell(
        event_id=content_id("cell", *(message.id for message in said)),
        conversation_id=said[0].conversation_id,
        group_id="g",
        kind=ChatKind.ASSISTANT,
        messages=tuple(said),
        boundary_reason="end",
        open=is_open,
        policy=Policy.V1_1,
    )


def traces_of(cell: MemCell) -> Traces:
    """An episode of all that was said, and a fact and a foresight of each message."""
    told = " ".join(message.text for message in cell.messages)
    common = {"parent_type": "memcell", "parent_id": cell.event_id, "confidence": 0.9}
    episode = Episode(
        id=content_id("episode", cell.event_id),
        user_id="default",
        subject=told,
        summary=told,
        episode=told,
        memcell_event_id_list=(cell.event_id,),
        said_at=cell.end_at,
    )
    facts = tuple(
        Fact(
            id=content_id("fact", message.id),
            atomic_fact=f"Ann said: {message.text}",
            speaker=message.speaker,
            user_id=message.user_id,
            group_id="g",
            said_at=message.said_at,
            valid_at=message.said_at,
            invalid_at=None,
            message_ids=(message.id,),
            **common,  # type: ignore[arg-type]
        )
        for message in cell.messages
    )
    foresights = tuple(
        Foresight(
            id=content_id("foresight", message.id),
            foresight=f"Expect: {message.text}",
            evidence=message.text,
            user_id=message.user_id,
            start_time=message.said_at,
            end_time=None,
            duration_days=None,
            duration_type="indefinite",
            said_at=message.said_at,
            message_ids=(message.id,),
            **common,  # type: ignore[arg-type]
        )
        for message in cell.messages
    )
    return Traces(summary=told, episodes=(episode,), facts=facts, foresights=foresights)


def live(store: Store, chat: Conversation, *topics: list[Message]) -> list[MemCell]:
    """Stores a chat of these topics with all that could be made of it; ids end in the topic's own."""
    store.create(EMBEDDER.name, EMBEDDER.dimension)
    cells = [cell_of(topic) for topic in topics]
    everything = [message for topic in topics for message in topic]
    with store.write() as writer:
        writer.chats.add_conversation(chat)
        writer.chats.add_messages(everything, [1] * len(everything), EMBEDDER.embed([m.text for m in everything]))
        writer.topics.put_open_cells(chat.id, cells)
        for cell in cells:
            traces = traces_of(cell)
            vectors = EMBEDDER.embed([memory.search_text for memory in traces.memories])
            writer.topics.put_traces([(cell, traces)], vectors, "scripted")
            for statement in CONSOLIDATED.split(";"):
                given = {
                    "name": cell.event_id.removeprefix("cell-"),
                    "text": traces.summary,
                    "at": cell.end_at,
                    "now": datetime.now(UTC).replace(tzinfo=None),
                    "cell": cell.event_id,
                    "fact": traces.facts[0].id,
                    "message": cell.messages[0].id,
                }
                execute(
                    writer.reader,
                    statement,
                    **{name: value for name, value in given.items() if f"${name}" in statement},
                )
    return cells


def without_explanations(line: str) -> str:
    """A line of an export without what it says for its readers alone."""
    found = json.loads(line)
    kept = {name: value for name, value in found.items() if name not in EXPLAINED.get(found["type"], {})}
    return json.dumps(kept, ensure_ascii=False) + "\n"
