"""Where segments end: the documents' scenarios, the hard limit, silences, and the same result in pieces as whole."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evermem_cli.formation.boundary_model import boundary_scores, load_model
from evermem_cli.formation.segment import SITTING_GAP, BoundaryReason, Segment, segment
from evermem_cli.memory import Message, Role
from tests.support.fakes import WordEmbedder

NINE = datetime(2024, 5, 6, 9, tzinfo=UTC)
TEXTS = (
    "I repotted the tomatoes on the balcony.",
    "The tomatoes need more water than the basil.",
    "By the way, my brother is moving to Lyon",
    "When does he move?",
    "In June, he found a flat near the river.",
    "Thanks, that is all for today!",
    "My favourite film is...",
    "...The Matrix",
    "ok",
    "对了，你周末有空吗？",
    "I'd like to book a table for two.",
)


def chat(
    texts: Sequence[str], *, speakers: str = "A", role: Role = Role.PARTICIPANT, hours: Sequence[float] = ()
) -> list[Message]:
    """Messages a minute apart, or as many hours apart as `hours` says; speakers take turns."""
    times = [NINE + timedelta(minutes=place) for place in range(len(texts))]
    if hours:
        times = [NINE + timedelta(hours=sum(hours[:place])) for place in range(len(texts))]
    return [
        Message(
            id=f"m{place}",
            conversation_id="c",
            ordinal=place + 1,
            external_id=str(place),
            speaker=speakers[place % len(speakers)],
            user_id="u",
            role=role,
            text=text,
            said_at=times[place],
        )
        for place, text in enumerate(texts)
    ]


def vectors_of(messages: Sequence[Message]) -> NDArray[np.float32]:
    return WordEmbedder().embed([message.text for message in messages])


def spans(segments: Sequence[Segment]) -> list[tuple[int, int, str]]:
    return [(part.start, part.stop, part.reason.value) for part in segments]


def cells(messages: Sequence[Message], *, boundary: str = "auto", max_messages: int = 50) -> list[tuple[int, int, str]]:
    assert boundary in ("auto", "always")
    vectors = vectors_of(messages)
    if boundary == "auto":
        return spans(segment(messages, vectors, boundary="auto", max_messages=max_messages))
    return spans(segment(messages, vectors, boundary="always", max_messages=max_messages))


def test_nothing_makes_no_segments() -> None:
    assert segment([], np.zeros((0, 384), np.float32), boundary="always") == []


def test_one_message_is_one_open_segment() -> None:
    messages = chat(["Hello"])
    assert segment(messages, vectors_of(messages), boundary="always") == [Segment(0, 1, BoundaryReason.END, open=True)]


def test_auto_leaves_a_sitting_of_ten_turns_whole() -> None:
    assert cells(chat(TEXTS[:10], speakers="AB")) == [(0, 10, "end")]


def test_auto_looks_for_topics_from_the_eleventh_turn_on() -> None:
    assert len(cells(chat(TEXTS, speakers="AB"))) > 1


def test_always_splits_a_small_chat_between_unrelated_statements() -> None:
    messages = chat(["I love my job", "My ankle hurts", "I need a doctor"], role=Role.USER)
    # Their cosines are those of all-MiniLM-L6-v2.
    vectors = np.linalg.cholesky(np.array([[1, 0.089, 0.128], [0.089, 1, 0.418], [0.128, 0.418, 1]])).astype(np.float32)
    assert spans(segment(messages, vectors, boundary="always", embedder="any")) == [(0, 1, "topic"), (1, 3, "end")]


def test_a_split_sentence_stays_together() -> None:
    messages = chat(["My favourite film is...", "...The Matrix"])
    assert cells(messages, boundary="always") == [(0, 2, "end")]


def test_a_long_silence_ends_a_short_sitting_too() -> None:
    six_over_three_months = chat(TEXTS[:6], hours=[400.0] * 6)
    assert cells(six_over_three_months) == [(place, place + 1, "time_gap") for place in range(5)] + [(5, 6, "end")]


def test_a_silence_of_exactly_the_limit_does_not_end_a_sitting() -> None:
    hours = SITTING_GAP / timedelta(hours=1)
    assert cells(chat(TEXTS[:2], hours=[hours] * 2)) == [(0, 2, "end")]
    assert cells(chat(TEXTS[:2], hours=[hours + 0.001] * 2)) == [(0, 1, "time_gap"), (1, 2, "end")]


@pytest.mark.parametrize("role", [Role.USER, Role.PARTICIPANT])
def test_a_hundred_and_twenty_messages_on_one_topic_are_cut_at_the_hard_limit(role: Role) -> None:
    messages = chat([f"In the garden the tomatoes are growing well, note {place}" for place in range(120)], role=role)
    assert cells(messages) == [(0, 50, "hard_limit"), (50, 100, "hard_limit"), (100, 120, "end")]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("In the garden the tomatoes are growing...", "...well in the garden, note 50"),
        ("In the garden are the tomatoes growing well?", "The tomatoes are growing well in the garden"),
        ("In the garden the tomatoes are growing well, 好吗", "In the garden the tomatoes are growing well, 很好"),
    ],
)
def test_the_hard_limit_backs_off_from_what_belongs_together(first: str, second: str) -> None:
    texts = [f"In the garden the tomatoes are growing well, note {place}" for place in range(60)]
    texts[49:51] = [first, second]
    assert cells(chat(texts))[:1] == [(0, 49, "hard_limit")]


def test_the_hard_limit_holds_where_everything_is_a_question() -> None:
    texts = ["Are the tomatoes growing well in the garden?"] * 60
    assert cells(chat(texts))[:1] == [(0, 50, "hard_limit")]


def test_vectors_of_another_embedder_are_taken_at_any_dimension() -> None:
    messages = chat(TEXTS, speakers="AB")
    vectors = WordEmbedder(dimension=64).embed([message.text for message in messages])
    parts = segment(messages, vectors, boundary="always", embedder="words")
    assert parts[0].start == 0
    assert parts[-1].stop == len(messages)


def test_the_same_embedder_is_known_by_both_its_names() -> None:
    assert load_model("sentence-transformers/all-MiniLM-L6-v2").enquiry is not None
    assert load_model("all-minilm-l6-v2").enquiry is not None
    assert load_model("BAAI/bge-small-en-v1.5").enquiry is None


def test_a_score_depends_on_nothing_after_the_next_message() -> None:
    messages = chat(TEXTS, speakers="AB")
    vectors = vectors_of(messages)
    whole = boundary_scores(messages, vectors, load_model("all-minilm-l6-v2"))
    part = boundary_scores(messages[:5], vectors[:5], load_model("all-minilm-l6-v2"))
    np.testing.assert_allclose(part, whole[:4], atol=1e-5)


def test_the_shipped_numbers_are_small_and_finite() -> None:
    text = resources.files("evermem_cli.formation").joinpath("boundary_weights.json").read_text(encoding="utf-8")
    assert len(text) < 40_000
    numbers = json.loads(text)
    assert set(numbers) == {"all-minilm-l6-v2", "any"}
    assert all(np.isfinite(numbers["all-minilm-l6-v2"][genre]["meaning"]).all() for genre in ("talk", "enquiry"))


@st.composite
def chats(draw: st.DrawFn) -> list[Message]:
    count = draw(st.integers(1, 70))
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=count, max_size=count))
    hours = draw(st.lists(st.sampled_from([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 20.0]), min_size=count, max_size=count))
    return chat(texts, speakers=draw(st.sampled_from(["A", "AB", "ABC"])), hours=hours)


@settings(max_examples=150, deadline=None)
@given(messages=chats(), limit=st.integers(2, 50), always=st.booleans(), cut=st.integers(0, 70))
def test_a_chat_in_two_pieces_gives_the_segments_of_the_whole(
    messages: list[Message], limit: int, always: bool, cut: int
) -> None:
    vectors = vectors_of(messages)

    def parts(start: int, stop: int, goes_on: bool) -> list[Segment]:
        return segment(
            messages[start:stop],
            vectors[start:stop],
            boundary="always" if always else "auto",
            max_messages=limit,
            continues_sitting=goes_on,
        )

    cut = min(cut, len(messages))
    whole = parts(0, len(messages), False)
    first = parts(0, cut, False)
    closed = [part for part in first if not part.open]
    start = closed[-1].stop if closed else 0
    goes_on = bool(closed) and closed[-1].reason is not BoundaryReason.TIME_GAP
    rest = parts(start, len(messages), goes_on)
    assert spans(whole) == [*spans(closed), *((start + a, start + b, why) for a, b, why in spans(rest))]


@given(messages=chats(), limit=st.integers(2, 50))
@settings(max_examples=50, deadline=None)
def test_every_message_is_in_exactly_one_segment_within_the_limit(messages: list[Message], limit: int) -> None:
    parts = segment(messages, vectors_of(messages), boundary="always", max_messages=limit)
    assert [place for part in parts for place in range(part.start, part.stop)] == list(range(len(messages)))
    assert all(part.stop - part.start <= limit for part in parts)
    assert [part.open for part in parts] == [False] * (len(parts) - 1) + [True]
