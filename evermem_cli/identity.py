"""Who and what is the same: gives a transcript its conversation id and its messages their ids, from content alone."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, timedelta

from evermem_cli.memory import ChatKind, Conversation, Message, Role, TimeSource, Transcript, Turn, content_id


def identify(
    transcript: Transcript, user: str, me: str, known_ids: Callable[[str], list[str]]
) -> tuple[Conversation, list[Message]]:
    """The conversation this transcript is, and its messages in order.

    An export's own id decides where there is one. Otherwise a chat is known by how it begins: `known_ids` gives the
    message ids of a conversation id, and a transcript that begins differently is another conversation. `user` owns it;
    a speaker named `me` is that user.
    """
    marks = _fingerprints(transcript.turns)
    if transcript.key is not None:
        conversation_id = content_id("conv", transcript.key, user)
    else:
        conversation_id = _by_beginning(marks, user, known_ids)
    conversation = Conversation(
        id=conversation_id,
        key=transcript.key or conversation_id,
        title=transcript.title,
        kind=transcript.kind,
        format=transcript.format,
        group_id=transcript.key or conversation_id,
        user_id=user,
    )
    messages = [
        _message(conversation, ordinal, turn, mark, _user_id(turn, transcript.kind, user, me))
        for ordinal, (turn, mark) in enumerate(zip(transcript.turns, marks, strict=True), start=1)
    ]
    return conversation, messages


def _by_beginning(marks: list[str], user: str, known_ids: Callable[[str], list[str]]) -> str:
    """The id made of the shortest beginning that tells this chat from the stored ones."""
    for length in range(1, len(marks) + 1):
        conversation_id = content_id("conv", user, *marks[:length])
        stored = known_ids(conversation_id)
        ours = [_message_id(conversation_id, mark) for mark in marks]
        shorter = min(len(stored), len(ours))
        if stored[:shorter] == ours[:shorter]:
            break
    return conversation_id


def _fingerprints(turns: tuple[Turn, ...]) -> list[str]:
    """What each turn is recognised by: its own id, else speaker, text, written time and count among equals.

    Two people may both say "ok", and one may say it twice.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    marks = []
    for turn in turns:
        if turn.external_id is not None:
            marks.append(turn.external_id)
            continue
        content = (turn.speaker, turn.text, _written_time(turn))
        seen[content] += 1
        marks.append(content_id("turn", *content, seen[content]))
    return marks


def _written_time(turn: Turn) -> str:
    """The time as the transcript has it: what was only assumed may change from one reading to the next."""
    match turn.time_source:
        case TimeSource.EXPLICIT:
            return turn.sent_at.astimezone(UTC).isoformat()
        case TimeSource.ASSUMED:
            return turn.sent_at.replace(tzinfo=None).isoformat()
        case TimeSource.UNKNOWN:
            return ""


def _message_id(conversation_id: str, mark: str) -> str:
    return content_id("msg", conversation_id, mark)


def _user_id(turn: Turn, kind: ChatKind, user: str, me: str) -> str:
    if turn.speaker == me or (kind is ChatKind.ASSISTANT and turn.role is Role.USER):
        return user
    return turn.speaker


def _message(conversation: Conversation, ordinal: int, turn: Turn, mark: str, user_id: str) -> Message:
    return Message(
        id=_message_id(conversation.id, mark),
        conversation_id=conversation.id,
        ordinal=ordinal,
        external_id=turn.external_id or str(ordinal),
        speaker=turn.speaker,
        user_id=user_id,
        role=turn.role,
        text=turn.text,
        said_at=turn.sent_at.astimezone(UTC),
        utc_offset=turn.sent_at.utcoffset() or timedelta(),
        time_source=turn.time_source,
    )
