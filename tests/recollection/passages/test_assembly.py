"""Which messages are read beside the best hits."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from evermem_cli.memory import Message
from evermem_cli.recollection.passages.assembly import LEAST_READ, ReadingPlan
from tests.consolidation.test_assertions import SAID_AT, chat
from tests.recollection.asking import hit_of

LONG = " ".join(["word"] * 40)


def said(*texts: str) -> list[Message]:
    """Messages of two people in turn, a minute apart."""
    template = chat("x").messages[0]
    return [
        replace(
            template, id=f"m{n}", ordinal=n, text=text, speaker=("Ann", "Ben")[n % 2],
            said_at=SAID_AT + timedelta(minutes=n),
        )
        for n, text in enumerate(texts)
    ]  # fmt: skip


def read(messages: Sequence[Message], hits: Sequence[int], spare: Sequence[int] = (), budget: int = 1000) -> list[str]:
    plan = ReadingPlan(now=SAID_AT + timedelta(days=1), budget=budget)
    around = {message.id: message for message in messages}
    chosen = plan.choose([hit_of(messages[n]) for n in hits], around, spare=[hit_of(messages[n]) for n in spare])
    return [line.message.text for passage in chosen for line in passage]


def test_a_short_message_is_read_with_what_was_said_beside_it() -> None:
    messages = said("hello", "best party ever. somebody left a violin", "and one shoe", "whose?", "no idea")
    assert read(messages, [2]) == ["hello", "best party ever. somebody left a violin", "and one shoe", "whose?"]


def test_a_long_message_is_read_alone() -> None:
    assert read(said("hello", "hi", LONG, "ok"), [2]) == [LONG]


def test_what_stands_beside_a_hit_takes_no_room_from_a_hit() -> None:
    messages = said("a" * 50, "b" * 50, "c" * 50, "d" * 50)
    assert read(messages, [1, 3], budget=140) == ["b" * 50, "d" * 50]


def test_less_likely_hits_are_read_while_much_of_the_budget_is_left() -> None:
    messages = said(LONG, LONG.replace("word", "next"), LONG.replace("word", "last"))
    cost = len(f"Ann: {LONG}")
    assert len(read(messages, [0], spare=[1, 2], budget=int(2 * cost / LEAST_READ))) == 2
    assert len(read(messages, [0], spare=[1, 2], budget=cost)) == 1
