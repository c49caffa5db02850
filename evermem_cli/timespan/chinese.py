"""The Chinese grammar of times and durations."""

from dataclasses import replace

from evermem_cli.timespan import composed, counted, holidays, hours, named
from evermem_cli.timespan.grammar import Grammar, Rule
from evermem_cli.timespan.interval import STEPS, Reading, day, floor, part, unit

Ref = named.Reference


def _weekday(ref: Ref, weeks: int, number: int) -> Reading:
    return day(floor(ref.at, "week"), 7 * weeks + number)


def _part_of(ref: Ref, steps: int, bounds: tuple[str, str]) -> Reading:
    return part(unit(ref.at, bounds[0], steps), bounds[1])


def _numbered_part(ref: Ref, number: int, bounds: tuple[str, str]) -> Reading | None:
    if bounds[0] == "week":
        return None
    return part(named.year(ref, number) if bounds[0] == "year" else named.month(ref, number), bounds[1])


def _year(ref: Ref, steps: int) -> Reading:
    return unit(ref.at, "year", steps)


def _clock(ref: Ref, bounds: tuple[int, int] | None, hour: int, minute: int | None) -> tuple[int, int, int, str]:
    if bounds and bounds[0] >= 12 and hour < 12:
        hour += 12
    if not 0 <= hour <= 24 or not 0 <= (minute or 0) < 60:
        raise ValueError(f"no time {hour}:{minute}")
    return hour, minute or 0, 0, "hour" if minute is None else "minute"


def _next(ref: Ref, time: tuple[int, int, int, str]) -> Reading | None:
    reading = hours.clock(day(ref.at), time)
    return reading.moved(STEPS["day"]) if reading and ref.direction >= 0 and reading.start < ref.at else reading


def _from(ref: Ref, reading: Reading) -> Reading:
    """从三月起: in the past unless the tense says otherwise."""
    return composed.onward(ref, reading) if ref.direction > 0 else composed.since(ref, reading)


def _holiday_rules() -> list[Rule]:
    rules: list[Rule] = []
    for name, in_year in holidays.CHINESE.items():
        words = " ".join(name)

        def towards(ref: Ref, in_year: holidays.InYear = in_year) -> Reading | None:
            return named.holiday(ref, in_year, None)

        def of_year(ref: Ref, steps: int, in_year: holidays.InYear = in_year) -> Reading | None:
            return in_year(_year(ref, steps).start)

        rules += [(words, towards), (f"YEARS 的? {words}", of_year)]
    return rules


NAMED: list[Rule] = [
    ("DAYS", lambda ref, days: day(ref.at, days)),
    ("DAYPARTOF", lambda ref, bounds: hours.part_of_day(day(ref.at, bounds[0]), bounds[1:])),
    ("现在|目前", named.now),
    ("WEEKDAY", named.weekday),
    ("TOWARDS 个? WEEKDAY", _weekday),
    ("TOWARDS 个? UNIT", lambda ref, steps, grain: unit(ref.at, grain, steps)),
    ("周末", named.weekend),
    ("YEARS", _year),
    ("YEARS 的? SEASON", lambda ref, steps, month: named.season(ref, month, _year(ref, steps).start.year)),
    ("SEASON", lambda ref, month: replace(named.season_alone(ref, month), bare=True)),
    ("YEARS 的? NUM 月 份?", lambda ref, steps, month: named.month(ref, month, _year(ref, steps).start.year)),
    (
        "YEARS 的? NUM 月 NUM 日|号?",
        lambda ref, steps, month, number: named.date(ref, month, number, _year(ref, steps).start.year),
    ),
    ("TOWARDS 半 年", lambda ref, steps: composed.nth_unit(_year(ref, 0), 1 if steps < 0 else 2, "half")),
    ("上半年", lambda ref: composed.nth_unit(_year(ref, 0), 1, "half")),
    ("下半年", lambda ref: composed.nth_unit(_year(ref, 0), 2, "half")),
    ("YEARS 上半年", lambda ref, steps: composed.nth_unit(_year(ref, steps), 1, "half")),
    ("YEARS 下半年", lambda ref, steps: composed.nth_unit(_year(ref, steps), 2, "half")),
    ("第? NUM 季度", lambda ref, nth: composed.nth_unit(_year(ref, 0), nth, "quarter")),
    ("YEARS 第? NUM 季度", lambda ref, steps, nth: composed.nth_unit(_year(ref, steps), nth, "quarter")),
    ("YEAR 年 第? NUM 季度", lambda ref, year, nth: composed.nth_unit(named.year(ref, year), nth, "quarter")),
    ("NUM 月 份?", named.month),
    ("NUM 月 NUM 日|号?", named.date),
    ("YEAR 年", named.year),
    ("YEAR 年 的? SEASON", lambda ref, year, month: named.season(ref, month, year)),
    ("YEAR 年 NUM 月 份?", lambda ref, year, month: named.month(ref, month, year)),
    ("YEAR 年 NUM 月 NUM 日|号?", lambda ref, year, month, number: named.date(ref, month, number, year)),
    ("NUM 日|号", named.day_of_month),
    (
        "TOWARDS 个? 月 NUM 日|号?",
        lambda ref, steps, number: composed.nth_of_month(unit(ref.at, "month", steps), number),
    ),
    ("DATE", lambda ref, ymd: named.date(ref, ymd[1], ymd[2], ymd[0])),
    ("NUM 年代", named.decade),
    ("NUM 世纪 NUM 年代", lambda ref, number, years: named.decade(ref, number * 100 - 100 + years)),
    (
        "TOWARDS 世纪 NUM 年代",
        lambda ref, steps, years: named.decade(ref, unit(ref.at, "century", steps).start.year + years),
    ),
    ("NUM 世纪", lambda ref, number: unit(ref.at.replace(year=number * 100 - 50), "century")),
]
PARTS: list[Rule] = [
    ("PARTOF", lambda ref, bounds: _part_of(ref, 0, bounds)),
    ("TOWARDS 个? PARTOF", _part_of),
    ("NUM PARTOF", _numbered_part),
    ("YEARS PARTOF", lambda ref, steps, bounds: _part_of(ref, steps, bounds) if bounds[0] == "year" else None),
    (
        "YEARS NUM PARTOF",
        lambda ref, steps, number, bounds: (
            part(named.month(ref, number, _year(ref, steps).start.year), bounds[1]) if bounds[0] == "month" else None
        ),
    ),
    (
        "YEAR 年 NUM PARTOF",
        lambda ref, year, number, bounds: (
            part(named.month(ref, number, year), bounds[1]) if bounds[0] == "month" else None
        ),
    ),
]
COUNTED: list[Rule] = [
    ("LENGTH 前|以前|之前", counted.ago),
    ("LENGTH 后|以后|之后", counted.ahead),
    ("再|过 LENGTH", counted.ahead),
    ("LENGTH 内|以内|之内", counted.within),
    ("LAST LENGTH", counted.rolling),
    ("这 LENGTH", lambda ref, length: counted.rolling(ref, -1 if ref.direction < 0 else 1, length)),
]
RANGES: list[Rule] = [
    ("从|自|自从|打 TIME 到|至|- TIME", composed.between),
    ("在|于|大约|大概 TIME", lambda ref, span: span),
]
OPEN: list[Rule] = [
    ("TIME", lambda ref, span: span),
    ("自|自从 TIME", composed.since),
    ("从|自|自从|打? TIME 以来|至今", composed.since),
    ("从|打 TIME", _from),
    ("从|自|自从|打? TIME 起|开始", _from),
    ("从|自|自从|打 TIME 以后|之后", _from),
    ("到|至|直到|截至|截止 TIME 为止|之前|前?", composed.until),
    ("TIME 为止", composed.until),
    ("TIME 以前|之前|前", composed.before),
    ("TIME 以后|之后|后", composed.after),
]
TAILS: list[Rule] = [
    ("到|至|-|—|~|～ TIME", composed.between),
    ("的? PART", lambda ref, span, which: composed.third_of(which)(ref, span)),
    ("的? DAYPART", lambda ref, span, bounds: hours.part_of_day(span, bounds)),
    ("的? CLOCK", lambda ref, span, time: hours.clock(span, time)),
    ("，|,|的? WEEKDAY", lambda ref, span, number: composed.weekday_with(number, span)),
]
LENGTHS: list[Rule] = [
    ("NUM MEASURE", lambda ref, count, grain: counted.amount(count, grain)),
    ("FRACTION 个? UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("NUM 个 UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("NUM 个 半 UNIT", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("NUM MEASURE 半", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("NUM 多 个? MEASURE", lambda ref, count, grain: counted.amount(count, grain)),
    ("半 个? UNIT", lambda ref, grain: counted.amount(0.5, grain)),
    ("VAGUE 个? UNIT", lambda ref, limits, grain: counted.vague(limits, grain)),
    ("整 LENGTH", lambda ref, length: length),
    ("NUM 个? MEASURE 零? LENGTH", lambda ref, count, grain, rest: counted.amount(count, grain) + rest),
]
CLOCKS: list[Rule] = [
    ("DAYPART? NUM 点", lambda ref, bounds, hour: _clock(ref, bounds, hour, None)),
    ("DAYPART? NUM 点 半", lambda ref, bounds, hour: _clock(ref, bounds, hour, 30)),
    ("DAYPART? NUM 点 NUM 分?", _clock),
    ("DAYPART? HHMM", lambda ref, bounds, time: _clock(ref, bounds, *time)),
]
TIMES: list[Rule] = [
    ("CLOCK", _next),
    (
        "DAYPART",
        lambda ref, bounds: replace(hours.part_of_day(named.day_with(ref, bounds), bounds) or day(ref.at), bare=True),
    ),
]

GRAMMAR = Grammar(
    kinds={
        "SPAN": OPEN,
        "TIME": [*NAMED, *_holiday_rules(), *PARTS, *COUNTED, *RANGES, *TIMES],
        "LENGTH": LENGTHS,
        "CLOCK": CLOCKS,
    },
    tails={"TIME": TAILS},
)
