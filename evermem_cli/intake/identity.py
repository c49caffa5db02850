"""Identity: derives the ids of conversations and messages from their content alone."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta

from evermem_cli.memory import UNNAMED, Conversation, Message, Role, TimeSource, Transcript, Turn, content_id

OWN_NOTES = "told-by-me"  # the key of the conversation that holds what its owner had remembered
Seen = Counter[tuple[str, ...]]  # how often each turn without an id of its own has occurred in this chat


def find_conversation(
    transcript: Transcript,
    user: str,
    known_ids: Callable[[str], list[str]],
    called: str = UNNAMED,
    forgotten: Mapping[str, Collection[str]] | None = None,
) -> str:
    """The id of the user's conversation that a transcript belongs to.

    An id of the export decides, if there is one. Else it is the chat whose messages were `forgotten` (ids by
    conversation), if the transcript has times. Else its beginning decides: `known_ids` gives the message ids of a
    conversation, and a transcript that begins differently is another one. In ids a user without a name is `called`
    this.
    """
    if transcript.key is not None:
        return conversation_of_key(transcript.key, user)
    timed = any(turn.time_source is not TimeSource.UNKNOWN for turn in transcript.turns)
    marks = _fingerprints(transcript.turns, called, Counter())
    return (_by_forgotten(marks, forgotten or {}) if timed else None) or _by_beginning(marks, user, known_ids)


def conversation_of_key(key: str, user: str) -> str:
    """The id of the user's conversation with this key in the export."""
    return content_id("conv", key, user)


def identify(
    transcript: Transcript,
    conversation_id: str,
    user: str,
    names: Collection[str],
    called: str = UNNAMED,
    seen: Seen | None = None,
) -> tuple[Conversation, list[Message]]:
    """The conversation with this id, and the transcript's messages in order. `user` owns it and speaks under `names`.

    A message without an id in the transcript has an empty `external_id`. In ids a user without a name is `called` this.
    `seen` is given, and updated, where the transcript continues an earlier one.
    """
    conversation = Conversation(
        id=conversation_id,
        key=transcript.key or conversation_id,
        title=transcript.title,
        kind=transcript.kind,
        format=transcript.format,
        group_id=transcript.key or conversation_id,
        user_id=user,
    )
    marks = _fingerprints(transcript.turns, called, Counter() if seen is None else seen)
    messages = [
        _message(conversation, ordinal, turn, mark, _user_id(turn, user, names))
        for ordinal, (turn, mark) in enumerate(zip(transcript.turns, marks, strict=True), start=1)
    ]
    return conversation, list({message.id: message for message in messages}.values())


def written_time(turn: Turn) -> datetime | None:
    """The time as written in the transcript, without its zone, since an assumed zone may differ at the next reading."""
    match turn.time_source:
        case TimeSource.EXPLICIT:
            return turn.sent_at.astimezone(UTC).replace(tzinfo=None)
        case TimeSource.ASSUMED:
            return turn.sent_at.replace(tzinfo=None)
        case TimeSource.UNKNOWN:
            return None


def content(turn: Turn, called: str) -> tuple[str, ...]:
    """What identifies a turn without an id. Turns with equal content are told apart by their count only.

    Nothing of it depends on the settings: the same chat is known again under another name of its user.
    """
    speaker = called if turn.unnamed else turn.speaker
    written = written_time(turn)
    if written is None:
        return (speaker, turn.text, "")
    zone = "+00:00" if turn.time_source is TimeSource.EXPLICIT else ""
    return (speaker, turn.text, written.isoformat() + zone)


def _by_forgotten(marks: list[str], forgotten: Mapping[str, Collection[str]]) -> str | None:
    """The conversation in which one of these turns was forgotten."""
    for conversation_id, ids in forgotten.items():
        if any(_message_id(conversation_id, mark) in ids for mark in marks):
            return conversation_id
    return None


def _by_beginning(marks: list[str], user: str, known_ids: Callable[[str], list[str]]) -> str:
    """An id from the shortest beginning that distinguishes this chat from the stored ones."""
    for length in range(1, len(marks) + 1):
        conversation_id = content_id("conv", user, *marks[:length])
        stored = known_ids(conversation_id)
        ours = [_message_id(conversation_id, mark) for mark in marks]
        shorter = min(len(stored), len(ours))
        if stored[:shorter] == ours[:shorter]:
            break
    return conversation_id


def _fingerprints(turns: tuple[Turn, ...], called: str, seen: Seen) -> list[str]:
    """What identifies each turn: its own id, else speaker, text, written time and count.

    Two people may both say "ok", and one person may say it twice. Where several messages have the same id, it
    identifies the first of them, and the others only if they are the same message at a later time.
    """
    named: dict[str, Turn] = {}
    marks = []
    for turn in turns:
        if turn.external_id is not None and _same(turn, named.setdefault(turn.external_id, turn)):
            marks.append(turn.external_id)
            continue
        known_by = content(turn, called)
        seen[known_by] += 1
        marks.append(content_id("turn", *known_by, seen[known_by]))
    return marks


def _same(turn: Turn, first: Turn) -> bool:
    """Whether two turns with one id are the same message, perhaps edited."""
    sent = written_time(turn)
    return content(turn, UNNAMED) == content(first, UNNAMED) or (
        turn.speaker == first.speaker and sent is not None and sent == written_time(first)
    )


def _message_id(conversation_id: str, mark: str) -> str:
    return content_id("msg", conversation_id, mark)


def _user_id(turn: Turn, user: str, names: Collection[str]) -> str:
    """The owner's where the transcript says so ("You", "me", a message that was sent), or the name is the owner's."""
    return user if turn.speaker in names or turn.role is Role.USER else turn.speaker


def _message(conversation: Conversation, ordinal: int, turn: Turn, mark: str, user_id: str) -> Message:
    return Message(
        id=_message_id(conversation.id, mark),
        conversation_id=conversation.id,
        ordinal=ordinal,
        external_id=turn.external_id or "",
        speaker=turn.speaker,
        user_id=user_id,
        role=turn.role,
        text=turn.text,
        said_at=turn.sent_at.astimezone(UTC),
        utc_offset=turn.sent_at.utcoffset() or timedelta(),
        time_source=turn.time_source,
    )
