"""Whether there is any: "Do I have a pet?", "Am I married?", "Do I have siblings?", as profiles know it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.wording import label_of, wordings
from evermem_cli.formation.statements import is_question, split_sentences
from evermem_cli.language import language
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.notes import NO, YES, Note, looked_up, since, until

_ASKS = re.compile(
    r"\s*(?:do|does|have|has|am|is)\s(?P<who>i|we|[\w'-]+)\s"
    r"(?:(?:still|currently|now|got|have|own|take|on|in|seeing|dating)\s)*(?:(?:an?|any|some)\s)?(?P<what>[^?]+?)"
    r"(?:\s(?:now|at the moment|any ?more|currently|right now|these days|at all))?\s*\?*\s*$",
    re.IGNORECASE,
)
_NONE = re.compile(r"no\b", re.I)  # "no car"


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is called `asked` in a question: values of an attribute, those with `meant` and without `other` in them.

    `spoken` is in what anybody says who has one.
    """

    asked: str
    attribute: str
    spoken: str
    meant: str = ""
    other: str = r"(?!)"


_SIBLING = "sisters?|brothers?|siblings?|twins?"
_KINDS = (
    _Kind(r"pets?|animals?", "pets", r"pets?|dogs?|cats?|pupp\w+|kittens?|rabbits?|hamsters?|birds?|horses?"),
    _Kind(r"child(?:ren)?|kids?", "children", r"child(?:ren)?|kids?|sons?|daughters?|baby|babies|toddler|twins"),
    _Kind(r"sons?", "children", r"sons?|boys?", r"\b(?:sons?|boy)\b"),
    _Kind(r"daughters?", "children", r"daughters?|girls?", r"\b(?:daughters?|girl)\b"),
    _Kind(rf"siblings?|(?:{_SIBLING}) or (?:an? )?(?:{_SIBLING})", "family", _SIBLING, rf"\b(?:{_SIBLING})\b"),
    _Kind(r"sisters?", "family", r"sisters?|sis", r"\bsisters?\b"),
    _Kind(r"brothers?", "family", r"brothers?|bro", r"\bbrothers?\b"),
    _Kind(r"allerg(?:y|ies)|allergic(?: to anything)?", "allergies", r"allerg\w+|intoleran\w+"),
    _Kind(r"job", "employer", r"job|work\w*|boss|office|shifts?|colleagues?"),
    _Kind(r"cars?", "car", r"cars?|van|drive|drove|parked|suv"),
    _Kind(r"medication|medicines?|pills", "medication", r"medic\w+|meds|pills|tablets"),
    _Kind(r"hobb(?:y|ies)", "hobbies", r"hobb\w+|club|lessons?|class\w*|play\w*"),
    # An injury is no illness.
    _Kind(
        r"ill|sick|unwell",
        "health",
        r"ill|sick|unwell|fever|flu|cold|cough\w*|infection|doctor",
        other=r"sprain|brok|fractur|tor[en]|injur|\bcut|bruis|pulled|twisted|dislocat",
    ),
)
# Of whom one is with, profiles know the name, and seldom whether that is a boyfriend or a wife.
_BOND = re.compile(r"boy ?friend|girl ?friend|husband|wife|fianc[eé]e?|spouse", re.I)
_ANYBODY = re.compile(r"partner|relationship|any(?:one|body)|some(?:one|body)", re.I)
_STATUS = re.compile(r"(?P<status>single|married|engaged|divorced)", re.I)
_ALONE = frozenset({"single", "divorced"})
_SPOKEN_OF_A_PAIR = "boyfriend|girlfriend|partner|husband|wife|married|wedding|engaged|dating|fianc\\w+|together|ex"

Histories = Mapping[str, Sequence[ProfileFact]]


def whether(question: str, name: str, told: Histories, now: datetime) -> Note | None:
    """What there is, or was, where the question is whether its asker, or `name`, has any; None where none is known."""
    what = _asked(question, name)
    if not what:
        return None
    if status := _STATUS.fullmatch(what):
        return _status(status["status"].lower(), told, now)
    if _BOND.fullmatch(what) or _ANYBODY.fullmatch(what):
        return _pair(what, told, now)
    for kind in _KINDS:
        if re.fullmatch(kind.asked, what, re.I):
            return _any(told.get(kind.attribute, ()), kind, now)
    return None


def lacks_ground(question: str, name: str, said: Iterable[str]) -> bool:
    """Whether it asks if there is any, and nothing that this person says, in `said`, tells of having one.

    Of "I'm thinking of getting a car" a small model makes a car, and of somebody else's brother one's own.
    """
    what = _asked(question, name)
    spoken = next((kind.spoken for kind in _KINDS if what and re.fullmatch(kind.asked, what, re.I)), "")
    if what and any(form.fullmatch(what) for form in (_BOND, _ANYBODY, _STATUS)):
        spoken = _SPOKEN_OF_A_PAIR
    if not spoken:
        return False
    has, hedge = re.compile(rf"\b(?:{spoken})\b", re.I), wordings("en").hedge
    sentences = (sentence for text in said for sentence in split_sentences(text))
    return not any(has.search(each) and not is_question(each) and not hedge.search(each) for each in sentences)


def _asked(question: str, name: str) -> str:
    match = _ASKS.match(question) if language(question) == "en" else None
    subjects = ("i", "we", name.casefold(), name.split(" ")[0].casefold())
    return match["what"] if match and match["who"].casefold() in subjects else ""


def _any(values: Sequence[ProfileFact], kind: _Kind, now: datetime) -> Note | None:
    meant, other = re.compile(kind.meant, re.I), re.compile(kind.other, re.I)
    alike = [each for each in values if meant.search(each.value) and not other.search(each.value)]
    if holding := [fact for fact in alike if fact.holds_at(now)]:
        there = [fact for fact in holding if not _NONE.match(fact.value)]
        return _told(YES if there else NO, there or holding, now)
    return _no_longer(alike, now)


def _pair(what: str, told: Histories, now: datetime) -> Note | None:
    """Whether one is with somebody; whom one is with is told without the word that the question has for them."""
    partner, relationship = _holding(told, "partner", now), _holding(told, "relationship", now)
    if relationship and not partner and all(fact.value in _ALONE for fact in relationship):
        return _told(NO, relationship, now)
    if not (partner or relationship):
        return _no_longer(told.get("partner", ()), now)
    known = partner or relationship
    return _told(YES, known, now) if _ANYBODY.fullmatch(what) else _named(known, now)


def _status(asked: str, told: Histories, now: datetime) -> Note | None:
    partner, relationship = _holding(told, "partner", now), _holding(told, "relationship", now)
    if partner and asked in _ALONE:
        return _told(NO, partner, now)
    if relationship:
        return _told(YES if any(fact.value == asked for fact in relationship) else NO, relationship, now)
    return _named(partner, now) if partner else None


def _holding(told: Histories, attribute: str, now: datetime) -> list[ProfileFact]:
    return [fact for fact in told.get(attribute, ()) if fact.holds_at(now)]


def _told(verdict: Mapping[str, str], facts: Sequence[ProfileFact], now: datetime) -> Note:
    return looked_up(f"{verdict['en']}{', '.join(since(fact, 'en') for fact in facts)}", facts, now)


def _named(facts: Sequence[ProfileFact], now: datetime) -> Note:
    """What is known, neither a yes nor a no."""
    label = label_of(facts[0].attribute, "en")
    return looked_up(f"{label}: {', '.join(since(fact, 'en') for fact in facts)}", facts, now)


def _no_longer(values: Sequence[ProfileFact], now: datetime) -> Note | None:
    over = [fact for fact in values if fact.invalid_at and fact.invalid_at <= now][-1:]
    return looked_up(f"{NO['en']}{until(over[0], 'en')}", over, now) if over else None
