"""What profiles know of what a question asks for: how it is, how it was before, and what is settled for later.

The reader sees it after the excerpts: a small model that reads four excerpts of four years picks any of them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import SEVERAL, key, same
from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.wording import questions
from evermem_cli.language import language, searchable
from evermem_cli.memory import Assertion, ProfileFact
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.question import FIRST_PERSON, FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+")
_WH = re.compile(r"\s*(?:what|which|where|who)\b|.*(?:什么|哪|谁|多少)", re.I)
_POLAR = re.compile(r"\s*(?:am|are|is|do|does|have|has)\b|.*吗[？?]?\s*$", re.I)
_NOT_PLAIN = re.compile(
    r"\b(?:can|could|should|would|may|might|shall|will|going to|plan\w*|next|soon|start\w*|when|he|she|they|it|his|her|"
    r"their)\b"
    r"|能|可以|应该|他|她|将|打算|计划",
    re.I,
)
# A question for yes or no as the statement that it asks about: "Do I live in Leeds?" as "I live in Leeds".
_ASKED = re.compile(
    r"\s*(?P<verb>am|are|do|does|have|has|is)\s(?P<who>i|[\w' -]+?)\s(?:(?:still|currently|now)\s)*"
    r"(?P<rest>[^?]+)\??\s*$",
    re.I,
)
_MAY = re.compile(r"\s*(?:can|may|am i allowed|should)\b|.*(?:能|可以)", re.I)
_STEM = 3  # letters that tell "run" and "running" to be the same
_ENDED = {"en": "the restriction ended on", "zh": "限制已结束于"}
_ANYBODY = frozenset("family pet pets animal animals child children kid kids 家人 宠物 孩子".split())
_NOW = frozenset("still currently today presently 现在 还".split())
_UNTIL = {"en": "until", "zh": "直到"}
_YES = {"en": "Yes: ", "zh": "是的："}
_NO = {"en": "No: ", "zh": "不是："}
_NONE = {"en": "none now", "zh": "现在没有"}
_WHO_AM_I = re.compile(
    r"\s*(?:who am i|what (?:kind|sort) of person am i"
    r"|(?:what (?:do you|does (?:memory|evermem|it)) (?:know|remember) (?:about|of)|"
    r"(?:please )?(?:describe|introduce|tell me (?:all |everything )?about)) (?:me|myself))\s*[?.!]*\s*$"
    r"|\s*(?:我是谁|请?介绍一下我(?:自己)?|你?对?我?(?:了解|知道)我?(?:多少|什么|些什么))\s*[？?。]?\s*$",
    re.I,
)
_MOST = 3  # attributes of one person; a question asks for one thing, and more would drown the excerpts
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|before|previous\w*|used to|history|changed?|ever|ex)\b|以前|之前|曾|变", re.I
)
_OF_THE_FUTURE = re.compile(r"\b(?:will|going to|plan\w*|next|soon|start\w*|when)\b|将|打算|计划|什么时候", re.I)


Told = tuple[str, tuple[str, ...]]  # a line, and the messages that say so


@dataclass(frozen=True, slots=True)
class Note:
    """One line of what is known, the messages that say so, and those that say what is over, with its end.

    `answer` is the whole answer where the question asks for nothing else.
    """

    text: str
    message_ids: tuple[str, ...]
    over: dict[str, datetime]
    answer: str | None = None


def known(question: str, name: str, assertions: Sequence[Assertion], now: datetime) -> list[Note]:
    """What is known of one person, called `name`, that bears on the question, as of `now`, in days of its zone.

    `assertions` are all of that person's that count.
    """
    if _WHO_AM_I.match(question):
        return listed(portrait(language(question), assertions, now))
    told = histories(_local(each, now.tzinfo) for each in assertions)
    asked = [
        (attribute, values) for attribute, values in told.items() if values and _asks_for(question, attribute, values)
    ]
    asked.sort(key=lambda each: each[0] not in _words(question))  # "job" asks for the job before the employer
    notes = [note for attribute, values in asked[:_MOST] if (note := _note(question, name, attribute, values, now))]
    if answer := _verdict(question, name, told, now):
        return [answer]
    for attribute, values in asked:
        if answer := _answer(question, name, attribute, values, now):
            return [answer]
    return notes


def _local(assertion: Assertion, zone: tzinfo | None) -> Assertion:
    start, end = assertion.valid_at, assertion.invalid_at
    return replace(
        assertion,
        valid_at=start and start.astimezone(zone),
        invalid_at=end and end.astimezone(zone),
        said_at=assertion.said_at.astimezone(zone),
    )


def _answer(question: str, name: str, attribute: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """The answer to a plain question for the attribute and nothing else, as it is now: a direct look-up."""
    if attribute == "restrictions":
        return _permission(question, values, now)
    tongue = language(question)
    pattern = questions(tongue).get(attribute)
    wh, polar = _WH.match(question), _POLAR.match(question)
    if pattern is None or not (wh or polar) or _NOT_PLAIN.search(question) or _OF_THE_PAST.search(question):
        return None
    if not (FIRST_PERSON.search(question) or set(_words(name)) & set(_words(question))):
        return None
    meant = _in_role(pattern.search(question), values)
    if not meant:
        return None
    holding = [fact for fact in meant if fact.holds_at(now)]
    over = [fact for fact in meant if fact.invalid_at and fact.invalid_at <= now]
    rest = set(_words(pattern.sub(" ", question))) - FUNCTION_WORDS - _NOW - set(_words(name))
    named = [fact for fact in (*holding, *over) if rest and rest <= set(_words(fact.value))]
    if wh and not rest:
        ended = [_until(fact, tongue) for fact in over[-1:]]
        told = ", ".join(_since(fact, tongue) for fact in holding) or "; ".join([_NONE[tongue], *ended])
        return _looked_up(told, holding or over[-1:], now)
    if polar and named:
        yes = named[0] in holding
        told = f"{_YES[tongue]}{_since(named[0], tongue)}" if yes else f"{_NO[tongue]}{_until(named[0], tongue)}"
        return _looked_up(told, named[:1], now)
    return None


def _in_role(asked: re.Match[str] | None, values: Sequence[ProfileFact]) -> Sequence[ProfileFact]:
    """Of people and animals that are told with what they are ("Helen (boss)") those that the question asks for."""
    word = asked[0].casefold() if asked else ""
    if not word or word in _ANYBODY or not all(fact.value.endswith((")", "）")) for fact in values):
        return values
    return [fact for fact in values if word in fact.value.casefold()]


def listed(items: Sequence[Told]) -> list[Note]:
    """Notes of lines and the messages that say so, which together are the whole answer."""
    answer = "\n".join(line for line, _ in items)
    return [Note(line, message_ids, {}, answer) for line, message_ids in items]


def portrait(tongue: str, assertions: Sequence[Assertion], now: datetime) -> list[Told]:
    """All that holds now of whom the assertions are, an attribute a line, with the messages that say so."""
    told = histories(_local(each, now.tzinfo) for each in assertions)
    holding = {attribute: [fact for fact in values if fact.holds_at(now)] for attribute, values in sorted(told.items())}
    return [
        (
            f"{attribute.replace('_', ' ')}: {', '.join(_since(fact, tongue) for fact in values)}",
            tuple(message for fact in values for message in fact.message_ids),
        )
        for attribute, values in holding.items()
        if values
    ]


def _verdict(question: str, name: str, told: Mapping[str, Sequence[ProfileFact]], now: datetime) -> Note | None:
    """Yes or no, where the question is whether a value holds, and that or another in its place is known."""
    statement, tongue = _statement(question, name), language(question)
    if not statement or _NOT_PLAIN.search(question) or _OF_THE_PAST.search(question):
        return None
    for attribute, value in asserted(statement):
        values, meant = told.get(attribute, ()), key(attribute, value)
        alike = [fact for fact in values if same(attribute, key(attribute, fact.value), meant)]
        holding = [fact for fact in values if fact.holds_at(now)]
        if yes := [fact for fact in alike if fact in holding]:
            return _looked_up(f"{_YES[tongue]}{_since(yes[0], tongue)}", yes[:1], now)
        over = [fact for fact in alike if fact.invalid_at and fact.invalid_at <= now][-1:]
        instead = [] if attribute in SEVERAL else holding[-1:]
        if over or instead:
            parts = [*(_since(fact, tongue) for fact in instead), *(_until(fact, tongue) for fact in over)]
            return _looked_up(f"{_NO[tongue]}{'; '.join(parts)}", (*instead, *over), now)
    return None


def _statement(question: str, name: str) -> str:
    """What a question for yes or no asks for, said by the one it is about; empty if it is about somebody else."""
    match = _ASKED.match(question)
    if not match or match["who"].casefold() not in ("i", name.casefold()):
        return ""
    verb = {"am": "am ", "are": "am ", "is": "am ", "have": "have ", "has": "have "}.get(match["verb"].lower(), "")
    return f"I {verb}{match['rest'].strip()}"


def _looked_up(answer: str, facts: Sequence[ProfileFact], now: datetime) -> Note:
    """An answer with the messages that say so."""
    cited = [each for fact in facts for each in (*fact.message_ids, *_ends(fact, now))]
    return Note(answer, tuple(dict.fromkeys(cited)), {}, answer)


def _permission(question: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """Whether what the question asks leave for is restricted; the end of a restriction is still within it."""
    tongue = language(question)
    if not _MAY.match(question):
        return None
    asked = {word[:_STEM] for word in _words(question)} - {word[:_STEM] for word in FUNCTION_WORDS}
    meant = [fact for fact in values if asked & {word[:_STEM] for word in _words(fact.value)}]
    holding = [fact for fact in meant if fact.holds_at(now) or fact.invalid_at == now]
    if holding:
        end = f" {_UNTIL[tongue]} {day(holding[-1].invalid_at, tongue)}" if holding[-1].invalid_at else ""
        return _looked_up(f"{_NO[tongue]}{holding[-1].value}{end}", holding[-1:], now)
    for fact in reversed(meant):
        if fact.invalid_at and fact.invalid_at <= now:
            ended = f"{_ENDED[tongue]} {day(fact.invalid_at, tongue)}"
            return _looked_up(f"{_YES[tongue]}{ended}", [fact], now)
    return None


def _words(text: str) -> list[str]:
    return _WORD.findall(searchable(text))


def _asks_for(question: str, attribute: str, values: Sequence[ProfileFact]) -> bool:
    """Whether the question has a word of the attribute, its name or one of its values."""
    pattern = questions(language(question)).get(attribute)
    if pattern is not None and pattern.search(question):
        return True
    asked = set(_words(question))
    named = pattern is None and set(attribute.split("_")) <= asked
    return named or any(set(_words(fact.value)) <= asked for fact in values)


def _note(question: str, name: str, attribute: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """How it is now; how it was and what is settled for later where the question asks for that, or nothing holds."""
    tongue = language(question)
    holding = [fact for fact in values if fact.holds_at(now)]
    over = [fact for fact in values if fact.invalid_at and fact.invalid_at <= now]
    past = over[-2:] if _OF_THE_PAST.search(question) else over[-1:] if not holding else []
    ahead = [fact for fact in values if _is_ahead(fact, now)] if _OF_THE_FUTURE.search(question) else []
    told = [*(_since(fact, tongue) for fact in holding), *(_until(fact, tongue) for fact in past)]
    told += [_from(fact, tongue) for fact in ahead]
    if not told:
        return None
    none = [] if holding else [_NONE[tongue]]
    label = attribute.replace("_", " ")
    head = f"{name}的{label}：" if tongue == "zh" else f"{name}'s {label}: "
    cited = [each for fact in (*holding, *past, *ahead) for each in (*fact.message_ids, *_ends(fact, now))]
    ends = {each: fact.invalid_at for fact in over if fact.invalid_at for each in fact.message_ids}
    return Note(head + "; ".join([*none, *told]), tuple(dict.fromkeys(cited)), ends)


def _is_ahead(fact: ProfileFact, now: datetime) -> bool:
    return fact.valid_at is not None and fact.valid_at > now


def _ends(fact: ProfileFact, now: datetime) -> list[str]:
    return (
        [each for by in fact.ended_by for each in by.message_ids] if fact.invalid_at and fact.invalid_at <= now else []
    )


def _since(fact: ProfileFact, tongue: str) -> str:
    if fact.valid_at is None:
        return fact.value
    since = day(fact.valid_at, tongue)
    return f"{fact.value}（{since}起）" if tongue == "zh" else f"{fact.value} (since {since})"


def _until(fact: ProfileFact, tongue: str) -> str:
    until = day(fact.invalid_at, tongue) if fact.invalid_at else ""
    return f"{until}以前{fact.value}" if tongue == "zh" else f"until {until} it was {fact.value}"


def _from(fact: ProfileFact, tongue: str) -> str:
    start = day(fact.valid_at, tongue) if fact.valid_at else ""
    return f"{start}起{fact.value}" if tongue == "zh" else f"from {start} on {fact.value}"
