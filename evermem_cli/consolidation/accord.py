"""Which facts of different messages confirm each other, and which ended what another states.

Nothing of it is stored: it follows from the assertions that are there, so it goes when one of them is forgotten.
"""

from collections.abc import Iterable, Mapping
from itertools import groupby

from evermem_cli.consolidation.history import histories, ties
from evermem_cli.memory import Accord, Assertion, Fact, ProfileFact


def accords(assertions: Iterable[Assertion]) -> dict[str, Accord]:
    """The accord of each fact that states anything of what its speaker is, has or does, by its id."""
    found: dict[str, Accord] = {}
    by_person = sorted(assertions, key=lambda each: each.user_id.casefold())
    for _, group in groupby(by_person, key=lambda each: each.user_id.casefold()):
        told = list(group)
        for values in (*histories(told).values(), *ties(told).values()):
            for value in values:
                for fact_id, accord in _of_value(value).items():
                    found[fact_id] = found[fact_id].with_(accord) if fact_id in found else accord
    return found


def confidence(fact: Fact, accord: Accord, known: Mapping[str, Fact]) -> float:
    """How sure a fact is with those that confirm it: wrong only where all of them are. Never more than 1."""
    doubt = 1 - fact.confidence
    for other in accord.confirmed_by:
        doubt *= 1 - known[other].confidence if other in known else 1
    return 1 - doubt


def _of_value(value: ProfileFact) -> dict[str, Accord]:
    """A value that held for a time: who says so confirms who else says so, unless both cite the same message."""
    ended_by = tuple(fact_id for each in value.ended_by for fact_id in each.fact_ids)
    found = {}
    for assertion in value.assertions:
        others = (each for each in value.assertions if not set(each.message_ids) & set(assertion.message_ids))
        confirmed_by = tuple(fact_id for each in others for fact_id in each.fact_ids)
        for fact_id in assertion.fact_ids:
            found[fact_id] = Accord(confirmed_by=confirmed_by, ended_by=ended_by)
    return found
