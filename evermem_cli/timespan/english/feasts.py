"""The English grammar of holidays."""

from evermem_cli.timespan import composed, holidays, named
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import Reading

Ref = named.Reference


def holiday_rules() -> list[Rule]:
    rules: list[Rule] = []
    for name, in_year in holidays.ENGLISH.items():

        def towards(ref: Ref, steps: int | None, in_year: holidays.InYear = in_year) -> Reading | None:
            return named.holiday(ref, in_year, steps)

        def of_year(ref: Ref, number: int, in_year: holidays.InYear = in_year) -> Reading | None:
            return in_year(ref.at.replace(year=number, day=1))

        def weekend(ref: Ref, number: int, in_year: holidays.InYear = in_year) -> Reading | None:
            feast = in_year(ref.at.replace(year=number, day=1))
            return feast and composed.weekend_at(feast)

        rules += [
            (f"TOWARDS? {name}", towards),
            (f"{name} of|in? YEAR", of_year),
            (f"{name} weekend of|in? YEAR", weekend),
        ]
    return rules
