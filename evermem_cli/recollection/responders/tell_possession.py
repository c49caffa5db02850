"""Tells whether somebody has any, from profiles: "Do I have a pet?", "Am I married?", "Do I have siblings?"."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from evermem_cli.consolidation.wordings.wording import label_of
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.descriptions import since, until
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import NO, YES, Note, looked_up
from evermem_cli.recollection.questions.possessions import Partner, Possession
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

_NONE = re.compile(r"no\b", re.I)  # "no car"
_ALONE = frozenset({"single", "divorced"})


def tell_possession(question: Question, recollection: Recollection) -> Answer | None:
    """What somebody has, or had, where the question asks whether they have any; None where nothing is known."""
    asked, now = question.profile.possession, recollection.memory.now
    if asked is None or not question.profile.is_plain:
        return None
    known = [histories for name, histories in recollection.histories.items() if asked.is_about(name)]
    notes = [note for histories in known if (note := _note(asked.of, histories, now))]
    return answer_from(notes[:1], question, recollection)


def _note(thing: Possession | Partner, known: Histories, now: datetime) -> Note | None:
    if isinstance(thing, Possession):
        return _any(known.get(thing.attribute, ()), thing, now)
    return _status(thing.status, known, now) if thing.status else _pair(thing, known, now)


def _any(facts: Sequence[ProfileFact], thing: Possession, now: datetime) -> Note | None:
    pattern, other = re.compile(thing.meant, re.I), re.compile(thing.other, re.I)
    alike = [fact for fact in facts if pattern.search(fact.value) and not other.search(fact.value)]
    if present := holding(alike, now):
        there = [fact for fact in present if not _NONE.match(fact.value)]
        return _verdict(YES if there else NO, there or present, now)
    return _no_longer(alike, now)


def _pair(thing: Partner, known: Histories, now: datetime) -> Note | None:
    """Whether somebody has a partner, who is named without the question's word for them."""
    partner, relationship = _partner_and_status(known, now)
    if relationship and not partner and all(fact.value in _ALONE for fact in relationship):
        return _verdict(NO, relationship, now)
    if not (partner or relationship):
        return _no_longer(known.get("partner", ()), now)
    facts = partner or relationship
    return _verdict(YES, facts, now) if thing.is_anybody else _named(facts, now)


def _status(asked: str, known: Histories, now: datetime) -> Note | None:
    partner, relationship = _partner_and_status(known, now)
    if partner and asked in _ALONE:
        return _verdict(NO, partner, now)
    if relationship:
        return _verdict(YES if any(fact.value == asked for fact in relationship) else NO, relationship, now)
    return _named(partner, now) if partner else None


def _partner_and_status(known: Histories, now: datetime) -> tuple[list[ProfileFact], list[ProfileFact]]:
    return holding(known.get("partner", ()), now), holding(known.get("relationship", ()), now)


def _verdict(verdict: Mapping[str, str], facts: Sequence[ProfileFact], now: datetime) -> Note:
    return looked_up(f"{verdict['en']}{', '.join(since(fact, 'en') for fact in facts)}", facts, now)


def _named(facts: Sequence[ProfileFact], now: datetime) -> Note:
    """What is known, where that is neither yes nor no."""
    label = label_of(facts[0].attribute, "en")
    return looked_up(f"{label}: {', '.join(since(fact, 'en') for fact in facts)}", facts, now)


def _no_longer(facts: Sequence[ProfileFact], now: datetime) -> Note | None:
    last = over(facts, now)[-1:]
    return looked_up(f"{NO['en']}{until(last[0], 'en')}", last, now) if last else None
