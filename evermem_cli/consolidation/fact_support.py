"""Which facts confirm each other and which facts ended others.

The result depends only on the stored assertions, not on the order in which they arrived.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from evermem_cli.memory import Assertion, Effect, FactEffect, FactSupport, ProfileFact


def fact_effects(history: Iterable[Sequence[ProfileFact]]) -> set[FactEffect]:
    """The effects of facts on each other, derived from the values of one person's attributes."""
    return {effect for values in history for value in values for effect in _of_value(value)}


def confidence(own: float, support: FactSupport) -> float:
    """The confidence in a fact whose own confidence is `own`, given the facts that confirm or contradict it.

    Facts that state the same are wrong only if all of them are wrong. That probability is weighted by their share of
    everything stated for and against, each counted by its confidence.
    """
    stating = [own, *support.confirmed_by.values()]
    share = sum(stating) / ((sum(stating) + sum(support.ended_by.values())) or 1)
    return (1 - math.prod(1 - strength for strength in stating)) * share


def _of_value(value: ProfileFact) -> Iterator[FactEffect]:
    """All assertions of one value in one period confirm each other."""
    for assertion in value.assertions:
        for fact_id in assertion.fact_ids:
            yield from (
                FactEffect(fact_id, other, Effect.CONFIRMS) for other in _one_a_source(value.assertions, assertion)
            )
            yield from (FactEffect(fact_id, other, Effect.ENDS) for other in _one_a_source(value.ended_by, assertion))


def _one_a_source(assertions: Iterable[Assertion], own: Assertion) -> list[str]:
    """One fact for each message that states the same.

    Messages in `own`, which state the fact itself, do not count again.
    """
    others = (
        assertion
        for assertion in assertions
        if assertion.fact_ids and set(assertion.message_ids).isdisjoint(own.message_ids)
    )
    return list({assertion.message_ids[-1]: min(assertion.fact_ids) for assertion in others}.values())
