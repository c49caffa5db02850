"""Questions whether somebody has any: "Do I have a pet?", "Am I married?", "Do I have siblings?"."""

import re
from dataclasses import dataclass

from evermem_cli.languages.language import language

_ASKS = re.compile(
    r"\s*(?:do|does|have|has|am|is)\s(?P<who>i|we|[\w'-]+)\s"
    r"(?:(?:still|currently|now|got|have|own|take|on|in|seeing|dating)\s)*(?:(?:an?|any|some)\s)?(?P<what>[^?]+?)"
    r"(?:\s(?:now|at the moment|any ?more|currently|right now|these days|at all))?\s*\?*\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Possession:
    """Values of one attribute that a question calls `called`: those with `meant` and without `other` in them.

    `spoken` occurs in what people say who have one.
    """

    called: str
    attribute: str
    spoken: str
    meant: str = ""
    other: str = r"(?!)"


_SIBLING = "sisters?|brothers?|siblings?|twins?"
_POSSESSIONS = (
    Possession(r"pets?|animals?", "pets", r"pets?|dogs?|cats?|pupp\w+|kittens?|rabbits?|hamsters?|birds?|horses?"),
    Possession(r"child(?:ren)?|kids?", "children", r"child(?:ren)?|kids?|sons?|daughters?|baby|babies|toddler|twins"),
    Possession(r"sons?", "children", r"sons?|boys?", r"\b(?:sons?|boy)\b"),
    Possession(r"daughters?", "children", r"daughters?|girls?", r"\b(?:daughters?|girl)\b"),
    Possession(rf"siblings?|(?:{_SIBLING}) or (?:an? )?(?:{_SIBLING})", "family", _SIBLING, rf"\b(?:{_SIBLING})\b"),
    Possession(r"sisters?", "family", r"sisters?|sis", r"\bsisters?\b"),
    Possession(r"brothers?", "family", r"brothers?|bro", r"\bbrothers?\b"),
    Possession(r"allerg(?:y|ies)|allergic(?: to anything)?", "allergies", r"allerg\w+|intoleran\w+"),
    Possession(r"job", "employer", r"job|work\w*|boss|office|shifts?|colleagues?"),
    Possession(r"cars?", "car", r"cars?|van|drive|drove|parked|suv"),
    Possession(r"medication|medicines?|pills", "medication", r"medic\w+|meds|pills|tablets"),
    Possession(r"hobb(?:y|ies)", "hobbies", r"hobb\w+|club|lessons?|class\w*|play\w*"),
    # An injury is not an illness.
    Possession(
        r"ill|sick|unwell",
        "health",
        r"ill|sick|unwell|fever|flu|cold|cough\w*|infection|doctor",
        other=r"sprain|brok|fractur|tor[en]|injur|\bcut|bruis|pulled|twisted|dislocat",
    ),
)
_BOND = re.compile(r"boy ?friend|girl ?friend|husband|wife|fianc[eé]e?|spouse", re.I)
_ANYBODY = re.compile(r"partner|relationship|any(?:one|body)|some(?:one|body)", re.I)
_STATUS = re.compile(r"(?P<status>single|married|engaged|divorced)", re.I)
_SPOKEN_OF_A_PAIR = "boyfriend|girlfriend|partner|husband|wife|married|wedding|engaged|dating|fianc\\w+|together|ex"


@dataclass(frozen=True, slots=True)
class Partner:
    """A partner: a `status` such as "married" that the question names, or whether there is one at all."""

    status: str = ""
    is_anybody: bool = False
    spoken: str = _SPOKEN_OF_A_PAIR


@dataclass(frozen=True, slots=True)
class PossessionQuestion:
    """A question whether somebody has any: the person, casefolded, and the thing."""

    subject: str
    of: Possession | Partner

    def is_about(self, name: str) -> bool:
        """Whether it is about the asker, or about `name`."""
        return self.subject in ("i", "we", name.casefold(), name.split(" ")[0].casefold())


def read_possession(text: str) -> PossessionQuestion | None:
    """Reads a question whether somebody has any; None for other questions, and for languages other than English."""
    match = _ASKS.match(text) if language(text) == "en" else None
    if not match:
        return None
    thing = _partner(match["what"]) or _possession(match["what"])
    return PossessionQuestion(match["who"].casefold(), thing) if thing else None


def _partner(called: str) -> Partner | None:
    if status := _STATUS.fullmatch(called):
        return Partner(status["status"].lower())
    if _BOND.fullmatch(called) or _ANYBODY.fullmatch(called):
        return Partner(is_anybody=bool(_ANYBODY.fullmatch(called)))
    return None


def _possession(called: str) -> Possession | None:
    return next((possession for possession in _POSSESSIONS if re.fullmatch(possession.called, called, re.I)), None)
