"""The English grammar of times and durations."""

from evermem_cli.timespan.english import clock
from evermem_cli.timespan.english.dates import DATES, DAYS, MONTHS, WEEKDAYS
from evermem_cli.timespan.english.feasts import holiday_rules
from evermem_cli.timespan.english.lengths import AFTER_LENGTH, COUNTED, ENDOF, HEDGES, LENGTHS
from evermem_cli.timespan.english.parts import FROMEND, PARTS, THATUNIT, UNITS
from evermem_cli.timespan.english.ranges import OPEN, RANGES, TAILS
from evermem_cli.timespan.grammar import Grammar
from evermem_cli.timespan.interval import unit

GRAMMAR = Grammar(
    kinds={
        "SPAN": OPEN,
        "WHOLE": [("the? UNIT", lambda ref, grain: unit(ref.at, grain)), ("TIME", lambda ref, span: span)],
        "TIME": [
            *DAYS,
            *WEEKDAYS,
            *MONTHS,
            *DATES,
            *holiday_rules(),
            *UNITS,
            *PARTS,
            *COUNTED,
            *RANGES,
            *clock.TIMES,
        ],
        "DAYNO": [("NUM", lambda ref, number: number), ("the? ORD day?", lambda ref, number: number)],
        "YEARNO": [(",|of|in? YEAR", lambda ref, year: year), ("of YY", lambda ref, year: year)],
        "LENGTH": LENGTHS,
        "ENDOF": ENDOF,
        "HEDGE": HEDGES,
        "FROMEND": FROMEND,
        "THATUNIT": THATUNIT,
        "CLOCK": clock.CLOCKS,
        "HOUR": clock.HOURS,
        "TWELVE": clock.TWELVE,
    },
    tails={"TIME": [*TAILS, *clock.ON_A_DAY], "LENGTH": AFTER_LENGTH, "CLOCK": clock.AFTER_CLOCK},
)
