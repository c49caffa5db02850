"""Runs the learned check: it reads a message with its neighbours, and estimates how likely it answers the question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from evermem_cli.languages.language import language
from evermem_cli.memory import NARRATIVES, Evidence, Kind, Message
from evermem_cli.reading.answerability import Answerability, SpokenLine, in_window
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.search.sittings import SITTING

# The number of hits that are checked, best first. Hits below this rank are hardly ever the answer.
MOST_CHECKED = 16
# The weight of a margin beside the score of the ranking. 96.5 % of LoCoMo's evidence is then among the first five (with
# .5 as well, with .75 94.8 %; 115 questions), and 90.3 % of 216 questions to own chats have evidence read (.5: 89.4 %).
WEIGHT = 1.0
# The check also reads the messages within `AROUND` places of the `NEAR_BEST` best hits, because an answer often has no
# word of its question: "boy, all well", "name?", "Wilf". With a bonus for the sitting of the best hit, this brings all
# that tells the answer into 200 tokens for 72 % of 216 questions to own chats (hits alone: 66 %).
NEAR_BEST = 3
AROUND = 4
SAME_SITTING = 1.0
# What `language` tells apart: the check skips Chinese.
LANGUAGES = ("en",)

Places = Mapping[tuple[str, int], Message]


def check_hits(
    question: Question, hits: Sequence[Evidence], around: Mapping[str, Message], check: Answerability
) -> list[Evidence]:
    """The hits. The first `MOST_CHECKED` of them get margins, and are ordered by score and margin together.

    `around` are their messages and those within `AROUND` places, by id. A Chinese hit is not checked, and is ranked as
    if it had the median margin.
    """
    near, rest = hits[:MOST_CHECKED], hits[MOST_CHECKED:]
    windows = _windows(near, around) if question.language in LANGUAGES else {}
    if not windows:
        return list(hits)
    margins = dict(zip(windows, check.margins(question.with_asker, list(windows.values())).tolist(), strict=True))
    middle = float(np.median(list(margins.values())))
    checked = [
        replace(hit, answers=margins.get(hit.id), score=hit.score + WEIGHT * margins.get(hit.id, middle))
        for hit in near
    ]
    least = min(hit.score for hit in checked)
    lower = [replace(hit, score=min(hit.score, least)) for hit in rest]
    return [*sorted(checked, key=lambda hit: -hit.score), *lower]


def with_nearby(
    question: Question,
    own: Sequence[Evidence],
    hits: Sequence[Evidence],
    around: Mapping[str, Message],
    check: Answerability,
) -> list[Evidence]:
    """The checked hits of `own` and the messages near the best of them, in the order in which they are worth reading.

    `own` are those of the hits that are to be read, `around` the messages near them, by id. `own` as it is, if none of
    it is checked.
    """
    checked = [hit for hit in own if hit.answers is not None]
    if not checked:
        return list(own)
    near = _nearby(checked[:NEAR_BEST], own, hits, around)
    windows = _windows([hit for hit in near if hit.answers is None], around)
    margins = check.margins(question.with_asker, list(windows.values())).tolist() if windows else []
    margin_of = dict(zip(windows, margins, strict=True))
    least = min(hit.score - WEIGHT * (hit.answers or 0.0) for hit in checked)
    beside = [
        replace(hit, answers=margin_of[hit.id], score=least + WEIGHT * margin_of[hit.id])
        if hit.id in margin_of
        else hit
        for hit in near
        if hit.id in margin_of or hit.answers is not None
    ]
    return [*_by_worth([*checked, *beside], checked[0]), *(hit for hit in own if hit.answers is None)]


def _nearby(
    best: Sequence[Evidence], own: Sequence[Evidence], hits: Sequence[Evidence], around: Mapping[str, Message]
) -> list[Evidence]:
    """The messages within `AROUND` places of the best hits that no hit of `own` contains; checked hits as they are."""
    read = {message.id for hit in own if hit.kind not in NARRATIVES for message in hit.messages}
    hit_of = {hit.messages[0].id: hit for hit in hits if hit.answers is not None}
    places = {(message.conversation_id, message.ordinal): message for message in around.values()}
    near = {
        message.id: hit_of.get(message.id) or as_evidence(message, hit)
        for hit in best
        for step in range(-AROUND, AROUND + 1)
        if (message := places.get((hit.messages[0].conversation_id, hit.messages[0].ordinal + step)))
        and message.id not in read
    }
    return list(near.values())


def _by_worth(hits: Sequence[Evidence], best: Evidence) -> list[Evidence]:
    """The hits by their scores, with a bonus for what was said in the sitting of the best one."""

    def worth(hit: Evidence) -> float:
        together = hit.conversation == best.conversation and abs(hit.said_at - best.said_at) <= SITTING
        return hit.score + SAME_SITTING * together

    return sorted(hits, key=worth, reverse=True)


def as_evidence(message: Message, hit: Evidence) -> Evidence:
    """A message near a hit: no search found it, but an answer may depend on it."""
    return Evidence(
        id=message.id,
        kind=Kind.MESSAGE,
        text=message.text,
        score=0.0,
        speaker=message.speaker,
        said_at=message.said_at,
        valid_at=None,
        invalid_at=None,
        conversation=hit.conversation,
        scene=hit.scene,
        messages=(message,),
    )


def likely_answers(hits: Sequence[Evidence], reach: float) -> list[Evidence]:
    """The hits whose margin lies at most `reach` below the best margin, and those in languages that are not checked.

    All hits if none is checked.
    """
    margins = [hit.answers for hit in hits if hit.answers is not None]
    if not margins:
        return list(hits)
    least = max(margins) - reach
    return [
        hit for hit in hits if (language(hit.text) not in LANGUAGES if hit.answers is None else hit.answers >= least)
    ]


def _windows(hits: Sequence[Evidence], around: Mapping[str, Message]) -> dict[str, str]:
    """The text that the check reads for each hit that can be checked, by the hit's id."""
    places = {(message.conversation_id, message.ordinal): message for message in around.values()}
    return {
        hit.id: _window(hit.messages[0], places)
        for hit in hits
        if hit.messages and hit.kind not in NARRATIVES and language(hit.text) in LANGUAGES
    }


def _window(message: Message, places: Places) -> str:
    """A message with what was said just before and after it."""
    near = [places.get((message.conversation_id, message.ordinal + step), message) for step in (-1, 0, 1)]
    said = list(dict.fromkeys(near))
    return in_window([SpokenLine(line.speaker, line.text) for line in said], said.index(message))
