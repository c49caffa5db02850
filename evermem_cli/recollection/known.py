"""What profiles know of what a question asks for: how it is, how it was before, and what is settled for later.

The reader sees it after the excerpts: a small model that reads four excerpts of four years picks any of them.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import key, translated
from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.wording import label_of, questions
from evermem_cli.language import language
from evermem_cli.memory import Assertion, ProfileFact
from evermem_cli.recollection.form import ASKS_WHO
from evermem_cli.recollection.lasting import how_long
from evermem_cli.recollection.notes import Note, Told, ahead, ends, lasted, listed, looked_up, since, until, words
from evermem_cli.recollection.question import FIRST_PERSON, FUNCTION_WORDS
from evermem_cli.recollection.verdict import NAMES, NOW, OF_THE_PAST, is_plain, verdict

_EMPTY_ZH = re.compile("[我的在是有什么哪里儿多少谁吗呢了现对叫个家]")
_WH = re.compile(r"\s*(?:what|which|where|who|how (?:old|much))\b|.*(?:什么|哪|谁|多少)", re.I)
_UNSPELLED = re.compile(r"\b(what|who|where|how)s\b", re.I)
_ANYBODY = frozenset("family pet pets animal animals child children kid kids 家人 宠物 孩子".split())
# What nobody else is: of no use where a question is who it was.
_OF_ONESELF = frozenset("restrictions medication health allergies diet alcohol smoking".split())
_NONE = {"en": "none now", "zh": "现在没有"}
_WHO_AM_I = re.compile(
    r"\s*(?:who am i|what (?:kind|sort) of person am i"
    r"|(?:what (?:do you|does (?:memory|evermem|it)) (?:know|remember) (?:about|of)|"
    r"(?:please )?(?:describe|introduce|tell me (?:all |everything )?about)) (?:me|myself))\s*[?.!]*\s*$"
    r"|\s*(?:我是谁|请?介绍一下我(?:自己)?|你?对?我?(?:了解|知道)我?(?:多少|什么|些什么))\s*[？?。]?\s*$",
    re.I,
)
_MOST = 3  # attributes of one person; a question asks for one thing, and more would drown the excerpts
_OF_THE_FUTURE = re.compile(r"\b(?:will|going to|plan\w*|next|soon|start\w*|when)\b|将|打算|计划|什么时候", re.I)


def known(question: str, name: str, assertions: Sequence[Assertion], now: datetime) -> list[Note]:
    """What is known of one person, called `name`, that bears on the question, as of `now`, in days of its zone.

    `assertions` are all of that person's that count.
    """
    question = _UNSPELLED.sub(r"\1's", question)
    if _WHO_AM_I.match(question):
        return listed(portrait(language(question), assertions, now))
    told = histories(_local(each, now.tzinfo) for each in assertions)
    asked = [
        (attribute, meant)
        for attribute, values in told.items()
        if values and _asks_for(question, attribute, values) and (meant := _in_role(question, attribute, values))
    ]
    asked.sort(key=lambda each: each[0] not in words(question))  # "job" asks for the job before the employer
    notes = [note for attribute, values in asked[:_MOST] if (note := _note(question, name, attribute, values, now))]
    if answer := how_long(question, name, told, now) or verdict(question, name, told, now):
        return [answer]
    for attribute, values in asked:
        answer = _answer(question, name, attribute, values, now) or _then(question, name, attribute, values, now)
        if answer:
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
    tongue = language(question)
    if not is_plain(question) or not _asks_only_for(question, name, attribute):
        return None
    holding = [fact for fact in values if fact.holds_at(now)]
    over = [fact for fact in values if fact.invalid_at and fact.invalid_at <= now][-1:]
    if not (holding or over):
        return None  # it was to come
    told = ", ".join(since(fact, tongue) for fact in holding)
    told = told or "; ".join([_NONE[tongue], *(until(fact, tongue) for fact in over)])
    return looked_up(told, holding or over, now)


def _asks_only_for(question: str, name: str, attribute: str) -> bool:
    """Whether it is for this attribute of whom it names, and for nothing else."""
    tongue = language(question)
    pattern = questions(tongue).get(attribute)
    if pattern is None or not _WH.match(question):
        return False
    if not (FIRST_PERSON.search(question) or set(words(name)) & set(words(question))):
        return False
    bare = _EMPTY_ZH.sub(" ", pattern.sub(" ", question)) if tongue == "zh" else pattern.sub(" ", question)
    return not set(words(bare)) - FUNCTION_WORDS - NOW - NAMES - set(words(name))


def _then(question: str, name: str, attribute: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """What held in the time that the question names, and asks for nothing else: "Where did I live before May?"."""
    spans = timespan.find(question, now)
    if len(spans) != 1:
        return None
    [span] = spans
    if span.interval.end is not None and not OF_THE_PAST.search(question):
        return None
    bare = f"{question[: span.start_offset]} {question[span.end_offset :]}"
    if not _asks_only_for(bare, name, attribute):
        return None
    start, end = span.interval.start, min(span.interval.end or now, now)
    held = [
        fact
        for fact in values
        if (fact.valid_at is None or fact.valid_at < end)
        and not (start and fact.invalid_at and fact.invalid_at <= start)
    ]
    tongue = language(question)
    return looked_up(", ".join(lasted(fact, tongue) for fact in held), held, now) if held else None


def _in_role(question: str, attribute: str, values: Sequence[ProfileFact]) -> Sequence[ProfileFact]:
    """Of people and animals that are told with what they are ("Helen (boss)") those that the question asks for."""
    pattern = questions(language(question)).get(attribute)
    asked = pattern.search(question) if pattern else None
    word = asked[0].casefold() if asked else ""
    bare = word.removesuffix("s")
    if not word or word in _ANYBODY:
        return values
    meant = {bare, translated(word, "en"), translated(word, "zh")}

    def is_meant(fact: ProfileFact) -> bool:
        alike = any(each in fact.value.casefold() for each in meant) or not meant.isdisjoint(key(attribute, fact.value))
        return alike or not fact.value.endswith((")", "）"))

    return [fact for fact in values if is_meant(fact)]


def portrait(tongue: str, assertions: Sequence[Assertion], now: datetime) -> list[Told]:
    """All that holds now of whom the assertions are, an attribute a line, with the messages that say so."""
    told = histories(_local(each, now.tzinfo) for each in assertions)
    holding = {attribute: [fact for fact in values if fact.holds_at(now)] for attribute, values in sorted(told.items())}
    return [
        (
            f"{label_of(attribute, tongue)}: {', '.join(since(fact, tongue) for fact in values)}",
            tuple(message for fact in values for message in fact.message_ids),
        )
        for attribute, values in holding.items()
        if values
    ]


def _asks_for(question: str, attribute: str, values: Sequence[ProfileFact]) -> bool:
    """Whether the question has a word of the attribute, its name or one of its values.

    "Who inspired me to run?" is not about what one may do.
    """
    if attribute in _OF_ONESELF and ASKS_WHO.match(question):
        return False
    pattern = questions(language(question)).get(attribute)
    if pattern is not None and pattern.search(question):
        return True
    asked = set(words(question))
    named = pattern is None and set(attribute.split("_")) <= asked
    return named or any(set(words(fact.value)) <= asked for fact in values)


def _note(question: str, name: str, attribute: str, values: Sequence[ProfileFact], now: datetime) -> Note | None:
    """How it is now; how it was and what is settled for later where the question asks for that, or nothing holds."""
    tongue = language(question)
    holding = [fact for fact in values if fact.holds_at(now)]
    over = [fact for fact in values if fact.invalid_at and fact.invalid_at <= now]
    past = over[-2:] if OF_THE_PAST.search(question) else over[-1:] if not holding else []
    later = [fact for fact in values if _is_ahead(fact, now)] if _OF_THE_FUTURE.search(question) else []
    told = [*(since(fact, tongue) for fact in holding), *(until(fact, tongue) for fact in past)]
    told += [ahead(fact, tongue) for fact in later]
    if not told:
        return None
    none = [] if holding else [_NONE[tongue]]
    label = label_of(attribute, tongue)
    head = f"{name}的{label}：" if tongue == "zh" else f"{name}'s {label}: "
    cited = [each for fact in (*holding, *past, *later) for each in (*fact.message_ids, *ends(fact, now))]
    over_since = {each: fact.invalid_at for fact in over if fact.invalid_at for each in fact.message_ids}
    return Note(head + "; ".join([*none, *told]), tuple(dict.fromkeys(cited)), over_since)


def _is_ahead(fact: ProfileFact, now: datetime) -> bool:
    return fact.valid_at is not None and fact.valid_at > now
