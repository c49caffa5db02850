"""Small chats to test with."""

from datetime import UTC, datetime, timedelta

from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role

_GRAINS = {
    "event_logs": ("valid", "invalid", "superseded"),
    "foresights": ("start", "end"),
    "assertions": ("valid", "invalid"),
    "conflicts": ("old", "new"),
    "documents": ("valid", "invalid"),
}
# What makes a file of this schema version one of version 14, and of version 13.
AFTER_14 = (
    "drop table forgotten_memories",
    "drop table verdicts",
    "alter table foresights drop column predicted",
    "drop table exchanged",
    "drop table corrections",
    "drop schema if exists undo cascade",
    *(f"alter table {table} drop column {grain}_grain" for table, grains in _GRAINS.items() for grain in grains),
)
AFTER_13 = (
    *AFTER_14,
    "drop table statements",
    "drop table readings",
    "alter table assertions drop column sure",
)
NINE = datetime(2025, 4, 1, 9, tzinfo=UTC)


def said(*lines: tuple[str, str], at: datetime = NINE) -> list[Message]:
    """Messages (speaker, text) a minute apart. A speaker called Assistant is one, and the other then is its user."""
    speakers = [speaker for speaker, _ in lines]
    with_assistant = "Assistant" in speakers
    return [
        Message(
            id=f"m{place}",
            conversation_id="c",
            ordinal=place,
            external_id=str(place),
            speaker=speaker,
            user_id=speaker.lower(),
            role=Role.ASSISTANT if speaker == "Assistant" else Role.USER if with_assistant else Role.PARTICIPANT,
            text=text,
            said_at=at + timedelta(minutes=place - 1),
        )
        for place, (speaker, text) in enumerate(lines, start=1)
    ]


def cell(*lines: tuple[str, str], policy: Policy = Policy.V1_1, at: datetime = NINE) -> MemCell:
    """One closed MemCell of these lines; a chat with an assistant if one speaks, else of people."""
    messages = tuple(said(*lines, at=at))
    with_assistant = any(message.role is Role.ASSISTANT for message in messages)
    return MemCell(
        event_id="cell-1",
        conversation_id="c",
        group_id="g",
        kind=ChatKind.ASSISTANT if with_assistant else ChatKind.GROUP,
        messages=messages,
        boundary_reason="end",
        open=False,
        policy=policy,
    )
