"""The English grammar of days, weekdays, months and dates."""

from evermem_cli.timespan import composed, named
from evermem_cli.timespan.english.doubt import bare
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import day, weekday_after

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
    ("in? the DAYPART", bare(lambda ref, bounds: composed.hours(named.day_with(ref, bounds), bounds))),
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
    ("YEARMONTH", bare(lambda ref, both: named.month(ref, both[1], both[0]))),
]
DATES: list[Rule] = [
    ("DATE", lambda ref, ymd: named.date(ref, ymd[1], ymd[2], ymd[0])),
    ("MONTHDAY", bare(lambda ref, md: named.date(ref, *md))),
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
    ("NTH", bare(named.day_of_month)),
    ("the ORD", bare(named.day_of_month)),
    ("DAYNO of TIME", lambda ref, number, found: composed.nth_of_month(found, number)),
    ("ORD TIME", lambda ref, number, found: composed.nth_of_month(found, number)),
]
