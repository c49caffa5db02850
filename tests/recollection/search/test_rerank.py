"""Reranking, mostly with the real reranker: what answers a question comes before what is only about its subject."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from evermem_cli.engines import Scores, catalog
from evermem_cli.engines.onnx import MAX_CHARACTERS
from evermem_cli.engines.reranker import CrossEncoder
from evermem_cli.memory import Evidence, Kind, Message, RankReasons, Role
from evermem_cli.recollection.search.rerank import MOST_RERANKED, reorder

NAME = "ms-marco-minilm-l12"
QUESTION = "Where does Maya live?"
ROUNDING = 0.8  # logits: an int8 model rounds by what else is in the batch
real = pytest.mark.model


@pytest.fixture(scope="module")
def encoder(reranker: Path) -> CrossEncoder:
    return CrossEncoder(reranker, NAME, threads=1)


def found(*texts: str, speaker: str = "Maya", question_before: str = "") -> tuple[list[Evidence], dict[str, Message]]:
    """Messages as search found them, the first best by far less than a logit; each after a question by Tom."""
    messages: dict[str, Message] = {}
    evidence = []
    for place, text in enumerate(texts):
        for offset, (who, what) in enumerate(((("Tom", question_before)), (speaker, text))):
            message = Message(
                id=f"{place}-{offset}",
                conversation_id=f"chat-{place}",
                ordinal=offset + 1,
                external_id="",
                speaker=who,
                user_id=who,
                role=Role.PARTICIPANT,
                text=what,
                said_at=datetime(2025, 5, 1, tzinfo=UTC),
            )
            messages[message.id] = message
        evidence.append(
            Evidence(
                id=f"{place}-1",
                kind=Kind.MESSAGE,
                text=text,
                score=1 - place / 1000,
                speaker=speaker,
                said_at=message.said_at,
                valid_at=None,
                invalid_at=None,
                conversation="",
                messages=(message,),
                why=RankReasons(parts={"words": 1 - place / 1000}, rank_by_words=1, rank_by_meaning=1),
            )
        )
    return evidence, messages


@real
def test_what_answers_the_question_scores_above_what_is_on_its_subject(encoder: CrossEncoder) -> None:
    answer, subject, other = encoder.score(
        QUESTION, ["Maya: I moved to Leeds in May.", "Maya: Leeds is cold in May.", "Maya: The train was late."]
    )
    assert answer > subject > other


@real
def test_scores_come_in_the_order_of_the_passages_however_long_they_are(encoder: CrossEncoder) -> None:
    passages = [f"Maya: {'We talked about the garden. ' * (n * 7 % 12)}I live at number {n}." for n in range(20)]
    alone = np.concatenate([encoder.score(QUESTION, [passage]) for passage in passages])
    assert np.allclose(encoder.score(QUESTION, passages), alone, atol=ROUNDING)
    assert np.allclose(encoder.score(QUESTION, passages[::-1]), alone[::-1], atol=ROUNDING)
    assert np.ptp(alone) > 2 * ROUNDING
    assert encoder.score(QUESTION, []).shape == (0,)


@real
def test_a_passage_of_a_megabyte_and_half_a_character_do_no_harm(encoder: CrossEncoder) -> None:
    long = "I live in Leeds \ud83d. " * 50_000
    whole, cut = encoder.score(QUESTION, [long, long[: MAX_CHARACTERS // 4]])
    assert np.isclose(whole, cut, atol=ROUNDING)


@real
def test_the_answer_comes_first_and_its_score_is_the_sum_of_its_parts(encoder: CrossEncoder) -> None:
    evidence, around = found("The train was late.", "Lovely weather.", "I moved to Leeds in May.")
    first = reorder(QUESTION, evidence, around, encoder)[0]
    assert first.id == "2-1"
    assert first.why
    assert first.score == pytest.approx(sum(first.why.parts.values()))


@real
def test_an_answer_is_read_with_the_question_before_it(encoder: CrossEncoder) -> None:
    evidence, around = found("Yes, since May.", "No, never.", question_before="Do you live in Leeds now?")
    alone, without = found("Yes, since May.", "No, never.", question_before="The bus was full.")
    assert reorder(QUESTION, evidence, around, encoder)[0].score > reorder(QUESTION, alone, without, encoder)[0].score


@real
def test_what_is_not_english_keeps_its_place_in_the_middle(encoder: CrossEncoder) -> None:
    evidence, around = found("我五月搬到了利兹。", "I moved to Leeds in May.", "The train was late.")
    assert [each.id for each in reorder(QUESTION, evidence, around, encoder)] == ["1-1", "0-1", "2-1"]
    assert reorder("玛雅住在哪里？", evidence, around, encoder) == evidence


@real
def test_what_ranks_low_is_not_looked_at_and_stays_behind(encoder: CrossEncoder) -> None:
    evidence, around = found(*["The train was late."] * MOST_RERANKED, "I moved to Leeds in May.")
    assert reorder(QUESTION, evidence, around, encoder)[-1].id == f"{MOST_RERANKED}-1"


class Counting:
    """A reranker that prefers texts with more of the question's characters, and reads these languages."""

    def __init__(self, languages: frozenset[str]) -> None:
        self.languages = languages

    def score(self, question: str, passages: Sequence[str]) -> Scores:
        return np.array([float(len(set(question) & set(passage))) for passage in passages])


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("ms-marco-minilm-l12", ["0-1", "1-1", "2-1"]),
        ("bge-reranker-v2-m3", ["2-1", "1-1", "0-1"]),
        ("jina-reranker-v2-multilingual", ["2-1", "1-1", "0-1"]),
    ],
)
def test_a_question_is_reranked_in_the_languages_that_the_reranker_reads(name: str, order: list[str]) -> None:
    evidence, around = found("The train was late.", "昨天在下雨。", "玛雅住在利兹。", speaker="玛雅")
    encoder = Counting(catalog.find_reranker(name).languages)
    assert [each.id for each in reorder("玛雅住在哪里？", evidence, around, encoder)] == order
