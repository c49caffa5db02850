"""Which facts of different messages confirm each other, and which ended what another states.

It follows from the assertions that are there, in whatever order they were told to us.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from evermem_cli.memory import Accord, Assertion, Effect, ProfileFact, Voice


def voices(history: Iterable[Sequence[ProfileFact]]) -> set[Voice]:
    """What facts do to each other, by the values of one person's attributes."""
    return {voice for values in history for value in values for voice in _of_value(value)}


def confidence(own: float, accord: Accord) -> float:
    """How sure a fact is that is `own` by itself, with what others say.

    Those that state the same are wrong only where all of them are; that is worth their share of all that was said, for
    and against, each counted by how sure it is.
    """
    stating = [own, *accord.confirmed_by.values()]
    share = sum(stating) / ((sum(stating) + sum(accord.ended_by.values())) or 1)
    return (1 - math.prod(1 - each for each in stating)) * share


def _of_value(value: ProfileFact) -> Iterator[Voice]:
    """A value that held for a time: who says so confirms who else says so."""
    for assertion in value.assertions:
        for fact_id in assertion.fact_ids:
            yield from (Voice(fact_id, other, Effect.CONFIRMS) for other in _one_a_source(value.assertions, assertion))
            yield from (Voice(fact_id, other, Effect.ENDS) for other in _one_a_source(value.ended_by, assertion))


def _one_a_source(assertions: Iterable[Assertion], own: Assertion) -> list[str]:
    """A fact of each message that says so, but for those that are its `own`: said once is what one message says."""
    others = (each for each in assertions if each.fact_ids and set(each.message_ids).isdisjoint(own.message_ids))
    return list({each.message_ids[-1]: min(each.fact_ids) for each in others}.values())
