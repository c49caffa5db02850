"""Yes-or-no questions: the statement that they ask about, or the permission that they ask for."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import SEVERAL, excluded
from evermem_cli.consolidation.wordings.wording import in_english, questions
from evermem_cli.languages.language import language
from evermem_cli.languages.words import STOP_WORDS, words_of
from evermem_cli.recollection.histories import Histories
from evermem_cli.recollection.questions.wants import FIRST_PERSON

Supposed = tuple[str, str, bool]  # an attribute, a value, and whether another value in its place denies it

_POLAR = re.compile(r"\s*(?:am|are|is|do|does|have|has)\b|.*吗[？?]?\s*$", re.I)
NOW = frozenset("still currently today presently now nowadays 现在 还".split())
NAMES = frozenset({"called", "name", "named"})
# A yes-or-no question as a statement: "Do I live in Leeds?" as "I live in Leeds".
_ASKED = re.compile(
    r"\s*(?P<verb>am|are|do|does|have|has|is)\s(?P<who>i|[\w' -]+?)\s(?:(?:still|currently|now)\s)*"
    r"(?P<rest>[^?]+)\??\s*$",
    re.I,
)
_ASKED_ZH = re.compile(r"(?P<said>[^，。？?]+)吗[？?]?\s*$")
_MAY = re.compile(
    r"\s*(?:(?P<end>(?:(?:un)?till? )?when|how long)\s)?(?:can't|mayn't|shouldn't|can|may|am i allowed|should)\b|"
    r".*(?:能|可以)",
    re.IGNORECASE,
)
STEM = 3  # letters that two words must share to count as one: "run" and "running"


@dataclass(frozen=True, slots=True)
class Supposition:
    """The statement that a yes-or-no question asks about, in the words of its subject: "I live in Leeds".

    `subject` is the person, casefolded, "i" for the asker. A Chinese claim has no `subject` and begins with it.
    """

    subject: str
    said: str

    def by(self, name: str) -> str:
        """The statement of the asker or of `name`; empty where the question is about somebody else."""
        if self.subject:
            return self.said if self.subject in ("i", name.casefold(), name.split(" ")[0].casefold()) else ""
        subject = next((who for who in ("我", name) if self.said.startswith(who)), "")
        return f"我{self.said.removeprefix(subject).removeprefix('还')}" if subject else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolarQuestion:
    """A question, as far as it is a yes-or-no question.

    `words` are all its words; `others` are, for each attribute that it names, its words besides; they are empty where
    it does not begin as a yes-or-no question.
    """

    claim: Supposition | None
    says_i: bool
    words: frozenset[str]
    others: Mapping[str, frozenset[str]]

    def statement(self, name: str) -> str:
        """The statement asked about, made by the asker or by `name`; empty where it is about somebody else."""
        return self.claim.by(name) if self.claim else ""

    def is_about(self, name: str) -> bool:
        """Whether the question says "I", or contains a word of the name."""
        return self.says_i or not self.words.isdisjoint(words_of(name))


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """A question whether something is allowed: prefixes of its words, and whether it asks for a restriction's end."""

    stems: frozenset[str]
    of_the_end: bool


def read_polar(text: str) -> PolarQuestion:
    """Reads a question as a yes-or-no question."""
    patterns = questions(language(text)).items() if _POLAR.match(text) else ()
    ignored = STOP_WORDS | NOW | NAMES
    return PolarQuestion(
        claim=_claim(text),
        says_i=bool(FIRST_PERSON.search(text)),
        words=frozenset(words_of(text)),
        others={
            attribute: frozenset(words_of(pattern.sub(" ", text))) - ignored
            for attribute, pattern in patterns
            if pattern.search(text)
        },
    )


def supposed(polar: PolarQuestion, name: str, known: Histories) -> Iterator[Supposed]:
    """What a question presupposes about `name`: from the statement asked about, else from words of a known value."""
    for attribute, value in asserted(polar.statement(name)):
        yield attribute, value, attribute not in SEVERAL
    if not polar.is_about(name):
        return
    for attribute, others in polar.others.items():
        rest = others - set(words_of(name))
        values = [fact for fact in known.get(attribute, ()) if rest and rest <= set(words_of(fact.value))]
        if values:
            yield attribute, " ".join(rest) if rest <= excluded(values[-1].value) else values[-1].value, False


def read_permission(text: str) -> PermissionQuestion | None:
    """Reads a question whether something is allowed; None for other questions."""
    match = _MAY.match(text)
    if not match:
        return None
    in_chinese = [english for theirs, english in in_english().items() if theirs in text]
    stems = {word[:STEM] for word in (*words_of(text), *in_chinese)} - {word[:STEM] for word in STOP_WORDS}
    return PermissionQuestion(frozenset(stems), bool(match["end"]))


def _claim(text: str) -> Supposition | None:
    if language(text) == "zh":
        said = _ASKED_ZH.match(text.strip().replace("现在", ""))
        return Supposition("", said["said"]) if said else None
    match = _ASKED.match(text)
    if not match:
        return None
    verb = {"am": "am ", "are": "am ", "is": "am ", "have": "have ", "has": "have "}.get(match["verb"].lower(), "")
    return Supposition(match["who"].casefold(), f"I {verb}{match['rest'].strip()}")
