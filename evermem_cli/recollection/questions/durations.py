"""Questions about durations: since when, until when and how long: "How long have I been vegan?".

They are reduced to the yes-or-no question that they presuppose: "am I vegan".
"""

import re
from dataclasses import dataclass

from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.recollection.questions.polar import PolarQuestion, read_polar

_ASKS = re.compile(
    r"\s*(?P<until>(?:until|till) when|up to when)?(?P<since>since when|(?:for )?how long)?\s"
    r"(?P<verb>do|does|did|am|are|is|was|were|have|has|had)\s(?P<who>i|we|[\w'-]+(?:\s[\w'-]+)?)\s(?P<rest>[^?]+)",
    re.IGNORECASE,
)
# "When did I get Pim?" is answered by since when the asker has Pim.
_GOT = re.compile(r"\s*when\sdid\s(?=(?:i|we)\s)(?P<who>\w+)\s(?:get|adopt)\s", re.IGNORECASE)
_ASKS_ZH = re.compile(r"(?P<until>到什么时候)|从?什么时候(?:开始|起)|(?:有)?多久了?|多长时间了?")
_PERFECT = re.compile(
    r"(?:have|has|had)\s(?P<who>[\w' -]+?)\s(?:(?P<been>been)|(?P<verb>had|lived|worked|played|owned|studied))\s", re.I
)
_BARE = {"had": "have", "lived": "live", "studied": "study"}
_PRESENT = {"was": "is", "were": "are", "did": "do", "had": "have"}
_HAS = re.compile(r"I (?:have|own)\s", re.IGNORECASE)
_WHEREVER = {"I live": "location", "I work": "employer"}  # "Where do I work, and since when?"
_PARTICLE_ZH = re.compile(r"[？?。了的是]+$|^[是]")


@dataclass(frozen=True, slots=True)
class DurationQuestion:
    """A question about a duration: the yes-or-no question that it presupposes, and whether it asks for the end."""

    polar: PolarQuestion
    of_the_end: bool

    def attribute(self, name: str) -> str | None:
        """The attribute of which any value of `name` is meant: "Where do I work, and since when?"."""
        return _WHEREVER.get(self.polar.statement(name))

    def owned(self, name: str) -> frozenset[str]:
        """The words of the thing that `name` has: "do I have Biscuit"."""
        statement = self.polar.statement(name)
        return frozenset(words_of(_HAS.sub("", statement))) - STOP_WORDS if _HAS.match(statement) else frozenset()


def read_duration(text: str) -> DurationQuestion | None:
    """Reads a question about a duration; None for other questions."""
    if language(text) == "zh":
        match = _ASKS_ZH.search(text)
        said = _PARTICLE_ZH.sub("", _ASKS_ZH.sub("", text).strip()) if match else ""
        return DurationQuestion(read_polar(f"{said}吗？"), bool(match and match["until"])) if said else None
    match = _ASKS.match(_GOT.sub(r"since when do \g<who> have ", text))
    if not match or not (match["since"] or match["until"]):
        return None
    verb = _PRESENT.get(match["verb"].lower(), match["verb"])
    polar = f"{verb} {match['who']} {match['rest'].strip()}"
    if perfect := _PERFECT.match(polar):
        polar = f"{_in_present(perfect)} {polar[perfect.end() :]}"
    return DurationQuestion(read_polar(polar), bool(match["until"]))


def _in_present(perfect: re.Match[str]) -> str:
    """ "Have I had" as "do I have", "has Ruben been" as "is Ruben"."""
    is_asker = perfect["who"].lower() == "i"
    if perfect["been"]:
        return f"{'am' if is_asker else 'is'} {perfect['who']}"
    verb = perfect["verb"].lower()
    return f"{'do' if is_asker else 'does'} {perfect['who']} {_BARE.get(verb, verb.removesuffix('ed'))}"
