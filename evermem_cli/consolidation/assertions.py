"""What people say about themselves in a topic: assertions made from the statements that the tagger read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, Fact, MemCell, Role, Statement

_PASSING = ("health", "medication")  # with these end the restrictions that are told beside them
_STEM = 4  # letters that two words must share to count as one: "eats" and "eat"
_SHARED = 0.5  # share of an assertion's words that a fact must contain to state it


def read_assertions(
    cell: MemCell,
    statements: Mapping[str, Sequence[Statement]],
    facts: Sequence[Fact],
    condition_days: Mapping[str, float],
) -> list[Assertion]:
    """Everything that the people in a MemCell say about themselves, in order; `facts` are those formed from it.

    `statements` are those read from each message, by its id; a message that was not read says nothing yet.
    `condition_days` is how long an illness lasts if its end is not stated.
    """
    assertions: dict[str, Assertion] = {}
    for message in cell.messages:
        if message.role is Role.ASSISTANT:
            continue
        own = [fact for fact in facts if message.id in fact.message_ids]
        read = assert_statements(message, statements.get(message.id, ()), condition_days)
        for assertion in _until_well(list(read)):
            stated_by = tuple(fact.id for fact in own if _has_words(fact, assertion.value))
            assertions.setdefault(assertion.id, replace(assertion, fact_ids=stated_by))
    return list(assertions.values())


def _until_well(said: Sequence[Assertion]) -> list[Assertion]:
    """The assertions of one message. Restrictions without an end of their own end with the illness or the treatment."""
    ends = [one.invalid_at for one in said if one.attribute in _PASSING and one.invalid_at]
    well = max(ends, default=None)
    return [
        replace(assertion, invalid_at=well)
        if assertion.attribute == "restrictions" and not assertion.invalid_at
        else assertion
        for assertion in said
    ]


def _has_words(fact: Fact, words: str) -> bool:
    """Whether a fact contains enough of the words to state the same."""
    said, in_fact = _stems(words), _stems(fact.atomic_fact)
    return bool(said) and len(said & in_fact) >= _SHARED * len(said)


def content_prefixes(text: str) -> frozenset[str]:
    """The content words of a text, cut to the letters that identify them."""
    return frozenset(_stems(text))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in words_of(text) if word not in FUNCTION_WORDS}
