"""The English grammar of times and durations."""

from collections.abc import Callable
from dataclasses import replace

from evermem_cli.timespan import composed, counted, english_clock, holidays, named
from evermem_cli.timespan.grammar import Grammar, Rule
from evermem_cli.timespan.interval import Reading, day, unit, weekday_after

Ref = named.Reference


def _bare(function: Callable[..., Reading | None]) -> Callable[..., Reading | None]:
    """A reading that needs supporting context in running text ("2014" may be a price)."""

    def meaning(*values: object) -> Reading | None:
        reading = function(*values)
        return reading and replace(reading, bare=True)

    return meaning


def _holiday_rules() -> list[Rule]:
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


DAYS: list[Rule] = [
    ("today|2day", lambda ref: day(ref.at)),
    ("earlier|later today", lambda ref: day(ref.at)),
    ("tomorrow|tomorrows|tmrw|tmr", lambda ref: day(ref.at, 1)),
    ("yesterday", lambda ref: day(ref.at, -1)),
    ("day after tomorrow", lambda ref: day(ref.at, 2)),
    ("day before yesterday", lambda ref: day(ref.at, -2)),
    ("right|just? now", named.now),
    ("at? the moment", named.now),
    ("atm", named.now),
    ("tonight", lambda ref: composed.hours(day(ref.at), (18, 24))),
    ("late? last night", lambda ref: composed.hours(day(ref.at, -1), (18, 24))),
    ("this DAYPART", lambda ref, bounds: composed.hours(day(ref.at), bounds)),
    ("in? the DAYPART", _bare(lambda ref, bounds: composed.hours(named.day_with(ref, bounds), bounds))),
]
WEEKDAYS: list[Rule] = [
    ("WEEKDAY", named.weekday),
    ("TOWARDS WEEKDAY", named.weekday_towards),
    ("TOWARDS WEEKDAY ,? TIME", lambda ref, _, number, found: composed.weekday_on(number, found)),
    ("this past|last WEEKDAY", lambda ref, number: weekday_after(ref.at, number, -1)),
    ("this? coming|upcoming WEEKDAY", lambda ref, number: weekday_after(ref.at, number)),
    ("WEEKDAY after next", lambda ref, number: weekday_after(ref.at, number, 2)),
    ("WEEKDAY before last", lambda ref, number: weekday_after(ref.at, number, -2)),
    ("NUM WEEKDAYS ago|back", lambda ref, count, number: weekday_after(ref.at, number, -count)),
    ("NUM WEEKDAYS from now", lambda ref, count, number: weekday_after(ref.at, number, count)),
    ("a WEEKDAY ago", lambda ref, number: weekday_after(ref.at, number, -1)),
    ("WEEKDAY ,|- of|in|from? TIME", lambda ref, number, found: composed.weekday_with(number, found)),
    ("WEEKDAY of|in|from TIME", lambda ref, number, found: composed.of_week(found, number)),
    ("WEEKDAY TIME", lambda ref, number, found: composed.weekday_with(number, found)),
    ("WEEKDAY the? ORD", named.weekday_and_day),
    ("WEEKDAY NUM", named.weekday_and_day),
]
MONTHS: list[Rule] = [
    ("MONTH YEARNO?", named.month),
    ("MONTH /|- YEAR", named.month),
    ("YEAR ,|-? MONTH", lambda ref, year, number: named.month(ref, number, year)),
    ("TOWARDS MONTH", named.month_towards),
    ("MONTH of? TOWARDS year", lambda ref, number, steps: named.month(ref, number, ref.at.year + steps)),
    ("YEARMONTH", _bare(lambda ref, both: named.month(ref, both[1], both[0]))),
]
DATES: list[Rule] = [
    ("DATE", lambda ref, ymd: named.date(ref, ymd[1], ymd[2], ymd[0])),
    ("MONTHDAY", _bare(lambda ref, md: named.date(ref, *md))),
    ("MONTHDAY YEARNO", lambda ref, md, year: named.date(ref, md[0], md[1], year)),
    ("MONTH DAYNO YEARNO?", named.date),
    ("MONTH , the? ORD YEARNO?", named.date),
    ("MONTH / NUM", named.date),
    ("DAYNO of? MONTH YEARNO?", lambda ref, number, month, year: named.date(ref, month, number, year)),
    ("NUM -|/ MONTH -|/ YEAR", lambda ref, number, month, year: named.date(ref, month, number, year)),
    ("NUM -|/ MONTH -|/ YY", lambda ref, number, month, year: named.date(ref, month, number, year)),
    ("NUM - YEAR - MONTH", lambda ref, number, year, month: named.date(ref, month, number, year)),
    ("YEAR -|/ MONTH -|/ NUM", lambda ref, year, month, number: named.date(ref, month, number, year)),
    ("YEAR NUM NUM", lambda ref, year, month, number: named.date(ref, month, number, year)),
    ("NTH", _bare(named.day_of_month)),
    ("the ORD", _bare(named.day_of_month)),
    ("DAYNO of TIME", lambda ref, number, found: composed.nth_of_month(found, number)),
    ("ORD TIME", lambda ref, number, found: composed.nth_of_month(found, number)),
]
UNITS: list[Rule] = [
    ("TOWARDS ONE", named.unit_towards),
    ("this past|last UNIT", lambda ref, grain: unit(ref.at, grain, -1)),
    ("this coming|upcoming UNIT", lambda ref, grain: named.coming(ref, grain)),
    ("UNIT before last", lambda ref, grain: unit(ref.at, grain, -2)),
    ("UNIT after next", lambda ref, grain: unit(ref.at, grain, 2)),
    ("UNIT before TIME", lambda ref, grain, found: composed.neighbour(found, grain, -1)),
    ("UNIT after TIME", lambda ref, grain, found: composed.neighbour(found, grain, 1)),
    ("over|on? the weekend", named.weekend),
    ("weekend", _bare(named.weekend)),
    ("TOWARDS LENGTH", counted.rolling),
    (
        "over|during|in|within|for the? past|last ONE",
        lambda ref, grain: counted.rolling(ref, -1, counted.amount(1, grain)),
    ),
    ("over|during|in|within|for the next ONE", lambda ref, grain: counted.rolling(ref, 1, counted.amount(1, grain))),
    ("NUM TOWARDS UNITS", lambda ref, count, steps, grain: counted.rolling(ref, steps, counted.amount(count, grain))),
    ("UNIT of|commencing|beginning|starting the? TIME", lambda ref, grain, found: composed.containing(found, grain)),
    ("UNIT NUM", _bare(named.numbered)),
    ("year|cy YEAR", named.year),
    ("cy YY", named.year),
    ("year of YEAR", named.year),
    ("YEAR", _bare(named.year)),
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
    ("q NUM", _bare(lambda ref, nth: composed.nth_unit(unit(ref.at, "year"), nth, "quarter"))),
    ("q NUM of|-? YEAR", lambda ref, nth, year: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    ("YEAR -? q NUM", lambda ref, year, nth: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    (
        "TOWARDS year ORD quarter",
        lambda ref, steps, nth: composed.nth_unit(unit(ref.at, "year", steps), nth, "quarter"),
    ),
    ("YEAR -? h NUM", lambda ref, year, nth: composed.nth_unit(named.year(ref, year), nth, "half")),
    ("h NUM of|-? YEAR", lambda ref, nth, year: composed.nth_unit(named.year(ref, year), nth, "half")),
    ("TOWARDS SEASON", named.season_towards),
    ("SEASON", _bare(named.season_alone)),
    ("SEASON of|in? YEAR", named.season),
]
COUNTED: list[Rule] = [
    ("LENGTH ago|back", counted.ago),
    ("about|around|over|almost|nearly LENGTH ago", counted.ago),
    ("in about|around|another|just? LENGTH time?", counted.ahead),
    ("LENGTH from right? now|today", counted.ahead),
    ("LENGTH hence|later", counted.ahead),
    ("within the? next? LENGTH", counted.within),
    ("LENGTH after|from TIME", lambda ref, length, found: counted.forward_from(found, length)),
    ("LENGTH before TIME", lambda ref, length, found: counted.exactly_before(found, length)),
    ("LENGTH starting|beginning|from TIME", lambda ref, length, found: counted.starting_at(found, length)),
    ("for LENGTH ,? starting|beginning|from TIME", lambda ref, length, found: counted.starting_at(found, length)),
]
RANGES: list[Rule] = [
    ("from|between TIME to|until|till|til|through|thru|and|-|–|~ TIME", composed.between),
    ("from|between? DAYNO to|until|till|through|and|- TIME", composed.from_day),
    ("MONTH NUM -|–|to NUM YEARNO?", composed.days_of_month),
    ("the TIME", lambda ref, found: found),
    ("around|about|approximately TIME", lambda ref, found: found),
]
OPEN: list[Rule] = [
    ("TIME", lambda ref, found: found),
    ("ever? since TIME", composed.since),
    ("starting|beginning from|on|in? TIME", composed.onward),
    ("as of TIME", composed.onward),
    ("as early as TIME", composed.onward),
    ("from TIME on|onward|onwards", composed.onward),
    ("TIME onward|onwards", composed.onward),
    ("TIME or|and later|greater", composed.onward),
    ("up? until|till|til TIME", composed.till),
    ("by|through TIME", composed.until),
    ("no later than TIME", composed.until),
    ("as late as TIME", composed.until),
    ("before the? end of WHOLE", composed.until),
    ("TIME or|and earlier", composed.until),
    ("before|pre TIME", composed.before),
    ("prior|earlier to|than TIME", composed.before),
    ("after|post TIME", composed.after),
    ("later than TIME", composed.after),
]
TAILS: list[Rule] = [
    ("to|until|till|til|through|thru|-|–|~ TIME", composed.between),
    ("in? the? DAYPART", lambda ref, found, bounds: composed.hours(found, bounds)),
    ("from|between? CLOCK -|–|to|until|till|and CLOCK", composed.hours_between),
    ("at|@|,|t? CLOCK", lambda ref, found, time: composed.clock(found, time)),
    ("weekend", lambda ref, found: composed.weekend_at(found)),
    (",|-? WEEKDAY", lambda ref, found, number: composed.of_week(found, number) if found.grain == "week" else None),
    ("in|of|,? TIME", lambda ref, found, year: composed.in_year(found, year)),
    ("to date", lambda ref, found: composed.between(ref, found, day(ref.at))),
]
LENGTHS: list[Rule] = [
    ("NUM UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("FRACTION UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("NUM - UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("NUM full|whole|more|long|straight UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("a|an|one? full|whole|another UNIT", lambda ref, grain: counted.amount(1, grain)),
    ("a|an UNIT", lambda ref, grain: counted.amount(1, grain)),
    ("NUM to|or|-|– NUM UNIT", lambda ref, low, high, grain: counted.between(low, high, grain)),
    ("a? VAGUE more? UNIT", lambda ref, limits, grain: counted.vague(limits, grain)),
    ("a NUM of? UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("half a|an UNIT", lambda ref, grain: counted.amount(0.5, grain)),
    ("a? half - UNIT", lambda ref, grain: counted.amount(0.5, grain)),
    ("NUM and a|an half UNIT", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("NUM UNIT and a half", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("a|an UNIT and a half", lambda ref, grain: counted.amount(1.5, grain)),
    ("a? fortnight", lambda ref: counted.amount(2, "week")),
    ("NUM UNIT ,|and? LENGTH", lambda ref, count, grain, rest: counted.amount(count, grain) + rest),
]

GRAMMAR = Grammar(
    kinds={
        "SPAN": OPEN,
        "WHOLE": [("the? UNIT", lambda ref, grain: unit(ref.at, grain)), ("TIME", lambda ref, found: found)],
        "TIME": [
            *DAYS,
            *WEEKDAYS,
            *MONTHS,
            *DATES,
            *_holiday_rules(),
            *UNITS,
            *PARTS,
            *COUNTED,
            *RANGES,
            *english_clock.TIMES,
        ],
        "DAYNO": [("NUM", lambda ref, number: number), ("the? ORD day?", lambda ref, number: number)],
        "YEARNO": [(",|of|in? YEAR", lambda ref, year: year), ("of YY", lambda ref, year: year)],
        "LENGTH": LENGTHS,
        "CLOCK": english_clock.CLOCKS,
    },
    tails={"TIME": TAILS},
)
