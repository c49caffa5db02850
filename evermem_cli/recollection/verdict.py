"""Yes or no, where a question supposes something that profiles know: whether it holds, and whether one may."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import SEVERAL, key, same, translated
from evermem_cli.consolidation.wording import in_english, questions
from evermem_cli.language import language
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.notes import NO, YES, Note, looked_up, since, until, words
from evermem_cli.recollection.question import FIRST_PERSON, FUNCTION_WORDS
from evermem_cli.recollection.whether import whether

_POLAR = re.compile(r"\s*(?:am|are|is|do|does|have|has)\b|.*吗[？?]?\s*$", re.I)
_NOT_PLAIN = re.compile(
    r"\b(?:can|could|should|would|may|might|shall|will|going to|plan\w*|next|soon|start\w*|when|he|she|they|it|his|her|"
    r"their)\b"
    r"|能|可以|应该|他|她|将|打算|计划",
    re.I,
)
OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|before|previous\w*|used to|history|changed?|ever|ex)\b|以前|之前|曾|变", re.I
)
NOW = frozenset("still currently today presently now nowadays 现在 还".split())
NAMES = frozenset({"called", "name", "named"})
# A question for yes or no as the statement that it asks about: "Do I live in Leeds?" as "I live in Leeds".
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
_STEM = 3  # letters that tell "run" and "running" to be the same
_MAY_NOT = {"en": "No: {} until {}", "zh": "不可以：{}，到{}为止"}
_MAY_AGAIN = {"en": "Yes: the restriction ended on {}", "zh": "可以：限制已于{}结束"}

Supposed = tuple[str, frozenset[str], bool]  # an attribute, a value's key, and whether another in its place denies it


def is_plain(question: str) -> bool:
    """Whether it asks how things are for whom it names, now."""
    return not _NOT_PLAIN.search(question) and not OF_THE_PAST.search(question)


def verdict(question: str, name: str, told: Mapping[str, Sequence[ProfileFact]], now: datetime) -> Note | None:
    """Yes or no, where the question is whether a value holds, and that or another in its place is known."""
    if note := _permission(question, told.get("restrictions", ()), now):
        return note
    if not is_plain(question):
        return None
    if note := whether(question, name, told, now):
        return note
    tongue = language(question)
    for attribute, meant, denies in supposed(question, name, told):
        values = told.get(attribute, ())
        alike = [fact for fact in values if same(attribute, key(attribute, fact.value), meant)]
        holding = [fact for fact in values if fact.holds_at(now)]
        if yes := [fact for fact in alike if fact in holding]:
            return looked_up(f"{YES[tongue]}{since(yes[0], tongue)}", yes[:1], now)
        over = [fact for fact in alike if fact.invalid_at and fact.invalid_at <= now][-1:]
        instead = holding[-1:] if denies else []
        if over or instead:
            parts = [*(since(fact, tongue) for fact in instead), *(until(fact, tongue) for fact in over)]
            return looked_up(f"{NO[tongue]}{'; '.join(parts)}", (*instead, *over), now)
    return None


def supposed(question: str, name: str, told: Mapping[str, Sequence[ProfileFact]]) -> Iterator[Supposed]:
    """What the question supposes: as the statement that it asks about, else as a word of the attribute and a value."""
    for attribute, value in asserted(statement(question, name)):
        yield attribute, key(attribute, value), attribute not in SEVERAL
    mine = FIRST_PERSON.search(question) or set(words(name)) & set(words(question))
    if not _POLAR.match(question) or not mine:
        return
    for attribute, pattern in questions(language(question)).items():
        rest = set(words(pattern.sub(" ", question))) - FUNCTION_WORDS - NOW - NAMES - set(words(name))
        values = [fact for fact in told.get(attribute, ()) if rest and rest <= set(words(fact.value))]
        if pattern.search(question) and values:
            yield attribute, key(attribute, values[-1].value), False


def statement(question: str, name: str) -> str:
    """What a question for yes or no asks for, said by the one it is about; empty if it is about somebody else."""
    if language(question) == "zh":
        said = _ASKED_ZH.match(question.strip().replace("现在", ""))
        subject = next((who for who in ("我", name) if said and said["said"].startswith(who)), "")
        return f"我{said['said'].removeprefix(subject).removeprefix('还')}" if said and subject else ""
    match = _ASKED.match(question)
    if not match or match["who"].casefold() not in ("i", name.casefold(), name.split(" ")[0].casefold()):
        return ""
    verb = {"am": "am ", "are": "am ", "is": "am ", "have": "have ", "has": "have "}.get(match["verb"].lower(), "")
    return f"I {verb}{match['rest'].strip()}"


def _permission(question: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """Whether what the question asks leave for is restricted; the end of a restriction is still within it."""
    tongue = language(question)
    match = _MAY.match(question)
    if not match:
        return None
    meant_in_english = [english for theirs, english in in_english().items() if theirs in question]
    asked = {word[:_STEM] for word in (*words(question), *meant_in_english)} - {word[:_STEM] for word in FUNCTION_WORDS}
    meant = [fact for fact in values if asked & {word[:_STEM] for word in words(fact.value)}]
    holding = [fact for fact in meant if fact.holds_at(now) or fact.invalid_at == now]
    if holding:
        what, end = translated(holding[-1].value, tongue), holding[-1].invalid_at
        if not end and match["end"]:
            return None
        told = _MAY_NOT[tongue].format(what, day(end, tongue)) if end else f"{NO[tongue]}{what}"
        told = told.removeprefix(NO["en"]) if match["end"] else told
        return looked_up(told, holding[-1:], now)
    for fact in reversed(meant):
        if fact.invalid_at and fact.invalid_at <= now:
            return looked_up(_MAY_AGAIN[tongue].format(day(fact.invalid_at, tongue)), [fact], now)
    return None
