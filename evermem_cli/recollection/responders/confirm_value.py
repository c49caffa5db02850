"""Answers yes or no from a profile: "Do I live in Leeds?", "我对核桃过敏吗？", "Do I have a pet?", "Am I married?"."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from evermem_cli.consolidation.attributes import SEVERAL, excluded, key, same
from evermem_cli.consolidation.statements import NAMED
from evermem_cli.languages.labels import label_of
from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.naming import NAME
from evermem_cli.reading.statements.labels import Asks, Era
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import NO, YES, Note, looked_up
from evermem_cli.recollection.people.descriptions import lasted, since, until
from evermem_cli.recollection.people.histories import Histories, holding, over
from evermem_cli.recollection.questions.profile_question import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

DIET, PARTNER, RELATIONSHIP = "diet", "partner", "relationship"
WORK = {"job": "employer", "employer": "job"}  # who has the one has a job
# The values of these are too different to be denied by each other; those of the others say themselves whether.
PHRASED = frozenset({"health", DIET})
DRUGS = frozenset({"smoking", "alcohol"})
# "no car", "quit smoking", "doesn't drink", "戒烟"
_NONE = re.compile(r"(?:no|not|never|quit|stopped|gave up|do(?:es)?(?:n['’]t| not)|sober)\b|不|没|戒", re.I)
_ALONE = frozenset({"single", "divorced", "单身", "离婚"})


def confirm_value(question: Question, recollection: Recollection) -> Answer | None:
    """Yes or no, if the question asks whether a value, or any, holds and that value or a different one is known."""
    profile, now = question.profile, recollection.memory.now
    if not profile.asks_for(Asks.YES_NO):
        return None
    confirm = _note if profile.is_of_now(now) else _of_then
    notes = [note for known in recollection.known_of(question) if (note := confirm(profile, known, now))]
    return answer_from(notes[:1], question, recollection)


def _note(question: ProfileQuestion, known: Histories, now: datetime) -> Note | None:
    if question.attribute in (PARTNER, RELATIONSHIP):
        return _of_pair(question, known, now)
    facts = question.meant(question.attribute, known.get(question.attribute, ()))
    if question.attribute in DRUGS:
        return _any(question, facts, now)
    if not question.supposes_any or question.supposed(question.attribute, facts):
        return _one(question, facts, now)
    facts = facts or [*known.get(WORK.get(question.attribute, ""), ())]
    if question.attribute in PHRASED:
        present = holding(facts, now)
        return _named(question, present, now) if present else None
    return _any(question, facts, now)


def _of_then(question: ProfileQuestion, known: Histories, now: datetime) -> Note | None:
    """Yes, with its period, where a value that the question supposes held at any time that it may mean."""
    if question.attribute == DIET or question.era is not Era.THEN or question.time is not None:
        return None
    begun = [fact for fact in known.get(question.attribute, ()) if fact.valid_at is None or fact.valid_at <= now]
    alike, tongue = question.supposed(question.attribute, begun), question.language
    periods = ", ".join(lasted(fact, tongue) for fact in alike)
    return looked_up(f"{YES[tongue]}{periods}", alike, now) if alike else None


def _any(question: ProfileQuestion, facts: Sequence[ProfileFact], now: datetime) -> Note | None:
    """Whether there is any value, which may be that there is none; or that there was."""
    if present := holding(facts, now):
        there = [fact for fact in present if not _NONE.match(fact.value)]
        return _verdict(YES if there else NO, question, there or present, now)
    return _no_longer(question, facts, now)


def _one(question: ProfileQuestion, facts: Sequence[ProfileFact], now: datetime) -> Note | None:
    """Whether one value holds. Another in its place denies it, if there is one at a time."""
    attribute, tongue = question.attribute, question.language
    alike = (
        [fact for fact in facts if _says(fact.value, question.value)]
        if attribute == DIET
        else question.supposed(attribute, facts)
    )
    if yes := holding(alike, now):
        return _verdict(YES, question, yes[:1], now)
    ended = over(alike, now)[-1:]
    others = (fact for fact in holding(facts, now) if attribute != DIET or _excludes(fact.value, question.value))
    instead = [] if attribute in SEVERAL else list(others)[-1:]
    if instead and attribute in NAMED and not NAME.search(question.value):
        return _named(question, instead, now)
    values = [*(since(fact, tongue) for fact in instead), *(until(fact, tongue) for fact in ended)]
    return looked_up(f"{NO[tongue]}{'; '.join(values)}", (*instead, *ended), now) if values else None


def _of_pair(question: ProfileQuestion, known: Histories, now: datetime) -> Note | None:
    """Whether there is a partner, or a bond such as "married"; whom nobody called a boyfriend is told by name."""
    partner, bond = (holding(known.get(name, ()), now) for name in (PARTNER, RELATIONSHIP))
    alone = bool(bond) and all(fact.value in _ALONE for fact in bond)
    alike = question.supposed(PARTNER, partner) or question.supposed(RELATIONSHIP, bond)
    if not question.asks_for_any and alike:
        return _verdict(YES, question, alike, now)
    if not (partner or bond):
        return _no_longer(question, known.get(PARTNER, ()), now)
    if question.value.casefold() in _ALONE and partner:
        return _verdict(NO, question, partner, now)
    if alone and not partner:
        return _verdict(NO, question, bond, now)
    if question.asks_for_any:
        return _verdict(YES, question, partner or bond, now)
    denies = NAME.search(question.value) or (bond and PARTNER not in question.likely)
    return _verdict(NO, question, bond or partner, now) if denies else _named(question, partner or bond, now)


def _verdict(
    verdict: Mapping[str, str], question: ProfileQuestion, facts: Sequence[ProfileFact], now: datetime
) -> Note:
    tongue = question.language
    return looked_up(f"{verdict[tongue]}{_listed(facts, tongue)}", facts, now)


def _named(question: ProfileQuestion, facts: Sequence[ProfileFact], now: datetime) -> Note:
    """What is known, where that is neither yes nor no."""
    tongue = question.language
    label, colon = label_of(facts[0].attribute, tongue), "：" if tongue == "zh" else ": "
    return looked_up(f"{label}{colon}{_listed(facts, tongue)}", facts, now)


def _no_longer(question: ProfileQuestion, facts: Sequence[ProfileFact], now: datetime) -> Note | None:
    tongue, last = question.language, over(facts, now)[-1:]
    return looked_up(f"{NO[tongue]}{until(last[0], tongue)}", last, now) if last else None


def _listed(facts: Sequence[ProfileFact], tongue: str) -> str:
    return ("、" if tongue == "zh" else ", ").join(since(fact, tongue) for fact in facts)


def _says(known: str, asked: str) -> bool:
    """Whether a known diet is the one asked about, or implies it: who eats "no meat" is no eater of meat."""
    if bool(excluded(known)) != bool(excluded(asked)):
        return False
    return same(DIET, key(DIET, known), key(DIET, asked)) or frozenset() < excluded(asked) <= excluded(known)


def _excludes(known: str, asked: str) -> bool:
    """Whether one of a known and an asked diet or food leaves no place for the other."""
    foods, diet = set(words_of(asked)), excluded(known)
    if excluded(asked):
        foods, diet = set(words_of(known)) | diet, excluded(asked)
    return not diet.isdisjoint(foods)
