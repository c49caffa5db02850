"""The user's reaction to a result, by the wording of one sentence in English or Chinese."""

import re
from dataclasses import dataclass
from enum import StrEnum

from evermem_cli.experience.phrase_lists import phrases
from evermem_cli.memory import Outcome


class Reaction(StrEnum):
    """What one sentence says about a result."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"
    NOTED = "noted"  # acknowledged without a judgement: "Okay, I'll try that"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reaction, and whether it can only be about a result: "I sent it back" can, "terrible" may be about anything."""

    reaction: Reaction
    about_result: bool


_BAD_RESULT = phrases("reactions", "bad_result")
_BROKE = phrases("reactions", "broke")
_BAD = phrases("reactions", "bad")
_GOOD_RESULT = phrases("reactions", "good_result")
_GOOD = phrases("reactions", "good")
_ALMOST = phrases("reactions", "almost")
_HEDGE = phrases("reactions", "hedge")
_NOTED = phrases("reactions", "noted")
_NOT = re.compile(r"(?:\b(?:not|never|no|hardly|nothing|without)|n['’]t)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
_FINE = phrases("reactions", "fine")
_FORMERLY = phrases("reactions", "formerly")
_CORRECTION = phrases("reactions", "correction")
_REVISES = phrases("reactions", "revises")


def judge(sentence: str) -> Judgement | None:
    """The judgement of a result in the sentence; None where there is none."""
    if _ALMOST.search(sentence):
        return Judgement(Reaction.MIXED, True)
    text = _FINE.sub("fine", sentence)
    bad_result, good_result = _BAD_RESULT.search(text) or _BROKE.search(text), _affirmed(_GOOD_RESULT, text)
    bad = bad_result or _affirmed(_BAD, text) or _CORRECTION.search(text) or _denied(_GOOD, text)
    good = good_result or _affirmed(_GOOD, text)
    about_result = bool(bad_result or good_result)
    if _FORMERLY.search(text) and not about_result:
        return None
    if good and (bad or _HEDGE.search(text)):
        return Judgement(Reaction.MIXED, about_result)
    if good or bad:
        return Judgement(Reaction.GOOD if good else Reaction.BAD, about_result)
    return Judgement(Reaction.NOTED, True) if _NOTED.search(text) else None


def revise(sentence: str) -> Judgement | None:
    """The judgement in a sentence that asks for a different result; None where it does not ask for one."""
    if not _REVISES.search(sentence):
        return None
    return judge(sentence) or Judgement(Reaction.MIXED, True)


def outcome(reactions: list[Reaction]) -> Outcome:
    """The outcome of all reactions: good and bad ones together are partial, neutral ones alone unknown."""
    judged = set(reactions) - {Reaction.NOTED}
    if not judged:
        return Outcome.UNKNOWN
    if judged == {Reaction.GOOD}:
        return Outcome.SUCCESS
    return Outcome.FAILURE if judged == {Reaction.BAD} else Outcome.PARTIAL


def _affirmed(pattern: re.Pattern[str], text: str) -> bool:
    return any(not _NOT.search(text[: match.start()]) for match in pattern.finditer(text))


def _denied(pattern: re.Pattern[str], text: str) -> bool:
    return any(_NOT.search(text[: match.start()]) for match in pattern.finditer(text))
