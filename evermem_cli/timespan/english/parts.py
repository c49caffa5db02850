"""The English grammar of weeks, years, seasons and other stretches, and of their parts."""

from evermem_cli.timespan import composed, counted, named
from evermem_cli.timespan.english.doubt import bare
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import unit

UNITS: list[Rule] = [
    ("TOWARDS ONE", named.unit_towards),
    ("this past|last UNIT", lambda ref, grain: unit(ref.at, grain, -1)),
    ("this coming|upcoming UNIT", lambda ref, grain: named.coming(ref, grain)),
    ("UNIT before last", lambda ref, grain: unit(ref.at, grain, -2)),
    ("UNIT after next", lambda ref, grain: unit(ref.at, grain, 2)),
    ("UNIT before TIME", lambda ref, grain, found: composed.neighbour(found, grain, -1)),
    ("UNIT after TIME", lambda ref, grain, found: composed.neighbour(found, grain, 1)),
    ("over|on? the weekend", named.weekend),
    ("weekend", bare(named.weekend)),
    ("TOWARDS LENGTH", counted.rolling),
    (
        "over|during|in|within|for the? past|last ONE",
        lambda ref, grain: counted.rolling(ref, -1, counted.amount(1, grain)),
    ),
    ("over|during|in|within|for the next ONE", lambda ref, grain: counted.rolling(ref, 1, counted.amount(1, grain))),
    ("NUM TOWARDS UNITS", lambda ref, count, steps, grain: counted.rolling(ref, steps, counted.amount(count, grain))),
    ("UNIT of|commencing|beginning|starting the? TIME", lambda ref, grain, found: composed.containing(found, grain)),
    ("UNIT NUM", bare(named.numbered)),
    ("year|cy YEAR", named.year),
    ("cy YY", named.year),
    ("year of YEAR", named.year),
    ("YEAR", bare(named.year)),
    ("DECADE", named.decade_alone),
    ("the DECADE", named.decade),
    ("ORD century", lambda ref, number: unit(ref.at.replace(year=number * 100 - 50), "century")),
    ("earlier|early TOWARDS UNIT", lambda ref, steps, grain: composed.so_far(ref, unit(ref.at, grain, steps))),
    ("earlier in the UNIT", lambda ref, grain: composed.so_far(ref, unit(ref.at, grain))),
    ("later TOWARDS UNIT", lambda ref, steps, grain: composed.still_to_come(ref, unit(ref.at, grain, steps))),
    ("later in the UNIT", lambda ref, grain: composed.still_to_come(ref, unit(ref.at, grain))),
    ("UNIT to date", lambda ref, grain: composed.so_far(ref, unit(ref.at, grain))),
]
PARTS: list[Rule] = [
    ("ORD UNIT of|in WHOLE", lambda ref, nth, grain, found: composed.nth_unit(found, nth, grain)),
    ("last UNIT of|in WHOLE", lambda ref, grain, found: composed.nth_unit(found, -1, grain)),
    ("ORD last UNIT of|in WHOLE", lambda ref, nth, grain, found: composed.nth_unit(found, -nth, grain)),
    ("ORD to last UNIT of|in WHOLE", lambda ref, nth, grain, found: composed.nth_unit(found, -nth, grain)),
    ("ORD WEEKDAY of|in WHOLE", lambda ref, nth, number, found: composed.nth_weekday(found, nth, number)),
    ("last WEEKDAY of|in WHOLE", lambda ref, number, found: composed.nth_weekday(found, -1, number)),
    ("first LENGTH of|in WHOLE", lambda ref, length, found: composed.first_units(found, 1, length)),
    ("last LENGTH of|in WHOLE", lambda ref, length, found: composed.first_units(found, -1, length)),
    ("early|beginning|start of|in? WHOLE", composed.third_of("start")),
    ("the beginning|start of|in? WHOLE", composed.third_of("start")),
    ("mid|middle -? of|in? WHOLE", composed.third_of("middle")),
    ("late|end of|in? WHOLE", composed.third_of("end")),
    (
        "ORD half of|in WHOLE",
        lambda ref, nth, found: composed.nth_unit(found, nth, "half") if found.grain == "year" else None,
    ),
    ("ORD quarter|qtr of|in? YEAR", lambda ref, nth, year: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    ("ORD quarter|qtr", lambda ref, nth: composed.nth_unit(unit(ref.at, "year"), nth, "quarter")),
    ("q NUM", bare(lambda ref, nth: composed.nth_unit(unit(ref.at, "year"), nth, "quarter"))),
    ("q NUM of|-? YEAR", lambda ref, nth, year: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    ("YEAR -? q NUM", lambda ref, year, nth: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    (
        "TOWARDS year ORD quarter",
        lambda ref, steps, nth: composed.nth_unit(unit(ref.at, "year", steps), nth, "quarter"),
    ),
    ("YEAR -? h NUM", lambda ref, year, nth: composed.nth_unit(named.year(ref, year), nth, "half")),
    ("h NUM of|-? YEAR", lambda ref, nth, year: composed.nth_unit(named.year(ref, year), nth, "half")),
    ("TOWARDS SEASON", named.season_towards),
    ("SEASON", bare(named.season_alone)),
    ("SEASON of|in? YEAR", named.season),
]
