"""Statements become assertions: what the tagger read of a person, with the times that code finds in the words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import LASTING, NEVER_PLANNED, key, same
from evermem_cli.formation.foresights import condition_end
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import Assertion, Message, Stance, Statement, Time, Whose, content_id
from evermem_cli.reading.tagger import LANGUAGES

# What is less likely is kept as a statement, and asserted of nobody.
LEAST = 0.6
# A profile shows what is right before what is all. Of the remarks to choose by 90 % of the statements that are so
# likely are right, and 83 % of those that are asserted at all.
SURE = 0.8
# The names under which profiles have known some kinds.
ATTRIBUTES = {"vehicle": "car"}
# What a stance makes of a statement about a person; one that is left out asserts nothing.
ASSERTED = {
    Stance.HOLDS: Stance.HOLDS,
    Stance.BEGAN: Stance.HOLDS,
    Stance.PLANNED: Stance.HOLDS,
    Stance.ENDED: Stance.ENDED,
    Stance.OFFERED: Stance.OFFERED,
    Stance.DENIED: Stance.DENIED,
}
# What is ahead or was done as a group is kept with the statements, and is no trait of a person.
UNASSERTED = frozenset("plan task decision instruction event".split())
_Window = tuple[Time | None, Time | None]


def assert_statements(
    message: Message, statements: Sequence[Statement], condition_days: Mapping[str, float]
) -> Iterator[Assertion]:
    """What a message asserts of its writer, in order. `condition_days` is how long an illness lasts without an end."""
    for statement in statements:
        stance = ASSERTED.get(statement.stance)
        if stance is None or not is_asserted(statement):
            continue
        attribute = ATTRIBUTES.get(statement.kind, statement.kind)
        window = _window(statement, attribute, message, condition_days)
        if window is None:
            continue
        start, end = window
        yield Assertion(
            id=content_id("assertion", message.id, attribute, statement.value, stance),
            user_id=message.user_id,
            attribute=attribute,
            value=statement.value,
            stance=stance,
            valid_at=start,
            invalid_at=end if start and end and end > start else None,
            said_at=message.local_time,
            confidence=statement.probability,
            message_ids=(message.id,),
            sure=statement.probability >= SURE,
        )


def is_asserted(statement: Statement) -> bool:
    """Whether a statement is surely the writer's own, and of a kind that a profile or its history holds."""
    return statement.whose is Whose.ME and statement.kind not in UNASSERTED and statement.probability >= LEAST


def lists_vote(message: Message, statements: Sequence[Statement] | None) -> bool:
    """Whether the lists of wordings have a say in what a message asserts.

    They have none where the tagger found nothing, and none where it found words that are nobody's: what was pasted is
    worded like what is the writer's own. A message that the tagger cannot read, or has not read, is left to them.
    """
    if statements is None or language(message.text) not in LANGUAGES:
        return True
    return bool(statements) and all(each.whose is not Whose.NOBODY for each in statements)


def united(listed: Sequence[Assertion], read: Sequence[Assertion]) -> list[Assertion]:
    """Assertions of one message from two readings; where both have a value the first one's words stand."""
    known = [(each.attribute, key(each.attribute, each.value)) for each in listed]
    confirmed = [_confirmed(each, read) for each in listed]
    return confirmed + [
        each
        for each in read
        if not any(
            attribute == each.attribute and same(attribute, words, key(attribute, each.value))
            for attribute, words in known
        )
    ]


def _confirmed(assertion: Assertion, read: Sequence[Assertion]) -> Assertion:
    """An assertion with half of its doubt where the other reading has it too."""
    words = key(assertion.attribute, assertion.value)
    agrees = any(
        each.attribute == assertion.attribute and same(each.attribute, words, key(each.attribute, each.value))
        for each in read
    )
    return replace(assertion, confidence=(1 + assertion.confidence) / 2) if agrees else assertion


def _window(
    statement: Statement, attribute: str, message: Message, condition_days: Mapping[str, float]
) -> _Window | None:
    """From when, and until when, a statement holds; None for a plan without a day that is ahead."""
    at = message.local_time
    sentence = sentence_of(statement, message.text)
    interval = timespan.validity(sentence, at)
    start, end = (interval.told_start, interval.told_end) if interval else (None, None)
    if statement.stance is Stance.PLANNED:
        return (start, end) if start and start > at else None
    if attribute == "health" and interval is None:
        end = condition_end(sentence, at, condition_days)
    if attribute in LASTING or (interval and start and start < at and end and end <= at):
        end = None
    if start and start > at and (attribute in NEVER_PLANNED or statement.stance is not Stance.ENDED):
        start = None
    return start or at, end


def sentence_of(statement: Statement, text: str) -> str:
    """The sentence in which a statement stands."""
    place = 0
    for sentence in split_sentences(text):
        place = text.index(sentence, place)
        if statement.start < place + len(sentence):
            return sentence
        place += len(sentence)
    return text
