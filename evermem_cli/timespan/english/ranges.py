"""The English grammar of ranges, open intervals and what extends a time."""

from evermem_cli.timespan import composed, hours
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import day

RANGES: list[Rule] = [
    ("from|between TIME to|until|till|til|through|thru|and|-|–|~ TIME", composed.between),
    ("from|between? DAYNO to|until|till|through|thru|and|-|–|~ TIME", composed.from_day),
    ("MONTH DAYNO -|–|to|through|thru|until|till DAYNO YEARNO?", composed.days_of_month),
    ("between MONTH DAYNO and DAYNO YEARNO?", composed.days_of_month),
    ("the TIME", lambda ref, span: span),
    ("from|between? DAYNO to|until|till|through|thru|and|-|– DAYNO of|in TIME", composed.days_of),
    ("sometime|someday|somewhere in|during|around? TIME", lambda ref, span: span),
    ("around|about|approximately|approx|roughly|circa|towards|toward TIME", lambda ref, span: span),
]
OPEN: list[Rule] = [
    ("TIME", lambda ref, span: span),
    ("ever? since TIME", composed.since),
    ("starting|beginning from|on|in? TIME", composed.onward),
    ("as of TIME", composed.onward),
    ("as early as TIME", composed.onward),
    ("from TIME on|onward|onwards", composed.onward),
    ("TIME onward|onwards", composed.onward),
    ("TIME or|and later|greater", composed.onward),
    ("up? until|till|til TIME", composed.till),
    ("by|through TIME", composed.until),
    ("by|until|till TIME at the latest", composed.until),
    ("TIME at the latest", composed.until),
    ("TIME at the earliest", composed.onward),
    ("any|some? time|anytime|sometime after TIME", composed.after),
    ("any|some? time|anytime|sometime before TIME", composed.before),
    ("any|some? time|anytime|sometime by TIME", composed.until),
    ("by the? end of the? day", lambda ref: composed.until(ref, day(ref.at))),
    ("by|until|till|before the? end of the? day on? TIME", lambda ref, span: composed.until(ref, day(span.start))),
    ("no later than TIME", composed.until),
    ("up to TIME", composed.up_to),
    ("no|not earlier|before than? TIME", composed.onward),
    ("as late as TIME", composed.until),
    ("before the? end of WHOLE", composed.until),
    ("TIME or|and earlier", composed.until),
    ("before|pre TIME", composed.before),
    ("prior|earlier to|than TIME", composed.before),
    ("after|post TIME", composed.after),
    ("just|shortly|soon|right|straight|well after TIME", composed.after),
    ("just|shortly|right|well before TIME", composed.before),
    ("later than TIME", composed.after),
]
TAILS: list[Rule] = [
    ("early DAYPART", lambda ref, span, bounds: hours.half_of_part(span, bounds, "start")),
    ("late DAYPART", lambda ref, span, bounds: hours.half_of_part(span, bounds, "end")),
    ("at lunchtime|lunch", lambda ref, span: hours.part_of_day(span, (11, 14))),
    ("first thing", lambda ref, span: hours.morning(span)),
    ("to|until|till|til|through|thru|-|–|~ TIME", composed.between),
    ("in? the? DAYPART", lambda ref, span, bounds: hours.part_of_day(span, bounds)),
    ("from|between? CLOCK -|–|to|until|till|and CLOCK", hours.between),
    ("weekend", lambda ref, span: composed.weekend_at(span)),
    (",|-|on? WEEKDAY", lambda ref, span, number: composed.of_week(span, number) if span.grain == "week" else None),
    ("in|of|,? TIME", lambda ref, span, year: composed.in_year(span, year)),
    (",|-|on? WEEKDAY", lambda ref, span, number: composed.on_weekday(span, number)),
    ("to date", lambda ref, span: composed.between(ref, span, day(ref.at))),
]
