from datetime import UTC, datetime, timedelta

from evermem_cli.intake.identity import find_conversation, identify
from evermem_cli.memory import ChatKind, Message, Role, TimeSource, Transcript, Turn

START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)


class Known:
    """What a store would know: conversation ids and their message ids."""

    def __init__(self) -> None:
        self.messages: dict[str, list[str]] = {}

    def remember(self, transcript: Transcript) -> tuple[str, list[Message]]:
        found = find_conversation(transcript, "default", self.ids)
        conversation, messages = identify(transcript, found, "default", ())
        stored = self.messages.setdefault(conversation.id, [])
        new = [message for message in messages if message.id not in stored]
        stored += [message.id for message in new]
        return conversation.id, new

    def ids(self, conversation_id: str) -> list[str]:
        return self.messages.get(conversation_id, [])


def chat(
    *texts: str, key: str | None = None, start: datetime = START, source: TimeSource = TimeSource.EXPLICIT
) -> Transcript:
    turns = tuple(
        Turn(speaker="Ann", text=text, sent_at=start + timedelta(minutes=i), role=Role.USER, time_source=source)
        for i, text in enumerate(texts)
    )
    return Transcript(format="text", kind=ChatKind.ASSISTANT, turns=turns, key=key)


def test_the_same_chat_again_is_the_same_conversation_with_nothing_new() -> None:
    known = Known()
    first, _ = known.remember(chat("hi", "I moved"))
    again, new = known.remember(chat("hi", "I moved"))
    assert (again, new) == (first, [])


def test_a_longer_version_adds_only_its_end() -> None:
    known = Known()
    first, _ = known.remember(chat("hi", "I moved"))
    again, new = known.remember(chat("hi", "I moved", "to Leeds"))
    assert again == first
    assert [message.text for message in new] == ["to Leeds"]


def test_chats_that_begin_alike_and_go_on_differently_are_two() -> None:
    known = Known()
    first, _ = known.remember(chat("hi", "I moved"))
    second, new = known.remember(chat("hi", "I am ill"))
    assert second != first
    assert len(new) == 2
    assert known.remember(chat("hi", "I am ill", "and tired"))[0] == second


def test_the_same_words_at_another_time_are_another_chat() -> None:
    known = Known()
    first, _ = known.remember(chat("hi", "I moved"))
    second, new = known.remember(chat("hi", "I moved", start=START + timedelta(days=7)))
    assert second != first
    assert len(new) == 2


def test_a_time_that_the_transcript_does_not_state_is_no_part_of_identity() -> None:
    known = Known()
    first, _ = known.remember(chat("hi", "I moved", source=TimeSource.UNKNOWN))
    again, new = known.remember(chat("hi", "I moved", start=START + timedelta(days=7), source=TimeSource.UNKNOWN))
    assert (again, new) == (first, [])


def test_the_exports_own_id_decides_where_there_is_one() -> None:
    known = Known()
    first, _ = known.remember(chat("one", key="trip"))
    again, new = known.remember(chat("two", key="trip", start=START + timedelta(days=1)))
    assert again == first
    assert len(new) == 1


def test_equal_messages_of_one_chat_are_told_apart() -> None:
    _, messages = identify(chat("ok", "ok", source=TimeSource.UNKNOWN), "conv", "default", ())
    assert messages[0].id != messages[1].id


def test_the_user_of_an_assistant_chat_is_the_owner_and_so_is_a_speaker_named_me() -> None:
    _, messages = identify(chat("hi"), "conv", "u1", ())
    assert messages[0].user_id == "u1"
    turns = tuple(Turn(speaker=name, text="hi", sent_at=START) for name in ("Ann", "Bo"))
    group = Transcript(format="text", kind=ChatKind.GROUP, turns=turns)
    _, messages = identify(group, "conv", "u1", {"Bo"})
    assert [message.user_id for message in messages] == ["Ann", "u1"]
