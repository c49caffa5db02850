"""The English grammar of durations, and of times that lie so long before or after."""

from evermem_cli.timespan import composed, counted
from evermem_cli.timespan.grammar import Rule
from evermem_cli.timespan.interval import SUB_DAY, day, weekday_after

COUNTED: list[Rule] = [
    ("LENGTH ago|back", counted.ago),
    ("in another|just? LENGTH time?", counted.ahead),
    ("LENGTH from right? now|today", counted.ahead),
    ("in LENGTH from right? now|today", counted.ahead),
    ("LENGTH today", lambda ref, length: counted.weeks_on(ref, length, day(ref.at))),
    ("LENGTH tomorrow", lambda ref, length: counted.weeks_on(ref, length, day(ref.at, 1))),
    ("LENGTH on? WEEKDAY", lambda ref, length, number: counted.weeks_on(ref, length, weekday_after(ref.at, number))),
    ("LENGTH ago today", lambda ref, length: counted.exactly_before(day(ref.at), length)),
    ("LENGTH ago yesterday", lambda ref, length: counted.exactly_before(day(ref.at, -1), length)),
    (
        "LENGTH ago on|last? WEEKDAY",
        lambda ref, length, number: counted.exactly_before(weekday_after(ref.at, number, -1), length),
    ),
    ("LENGTH hence|later", counted.ahead),
    ("in NUM '|′", lambda ref, count: counted.ahead(ref, counted.amount(count, "minute"))),
    ('in NUM "|″', lambda ref, count: counted.ahead(ref, counted.amount(count, "second"))),
    ("LENGTH away", lambda ref, length: counted.ahead(ref, length) if length.unit not in SUB_DAY else None),
    ("within the? next? LENGTH", counted.within),
    ("within the ONE", lambda ref, grain: counted.within(ref, counted.amount(1, grain))),
    ("LENGTH after|from|following|past TIME", lambda ref, length, span: counted.forward_from(span, length)),
    ("LENGTH prior to TIME", lambda ref, length, span: counted.exactly_before(span, length)),
    ("LENGTH before ENDOF", lambda ref, length, span: counted.exactly_before(span, length)),
    ("LENGTH after ENDOF", lambda ref, length, span: counted.forward_from(span, length)),
    ("LENGTH before TIME", lambda ref, length, span: counted.exactly_before(span, length)),
    ("LENGTH starting|beginning|from TIME", lambda ref, length, span: counted.starting_at(span, length)),
    ("for LENGTH ,? starting|beginning|from TIME", lambda ref, length, span: counted.starting_at(span, length)),
]
ENDOF: list[Rule] = [("the? end of WHOLE", lambda ref, span: composed.last_day(span))]
LENGTHS: list[Rule] = [
    ("NUM UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("FRACTION UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("LASTING", lambda ref, minutes: counted.amount(minutes, "minute")),
    ("NUM - UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("NUM full|whole|more|long|straight UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("a|an|one? full|whole|another UNIT", lambda ref, grain: counted.amount(1, grain)),
    ("a|an UNIT", lambda ref, grain: counted.amount(1, grain)),
    ("NUM to|or|-|– NUM UNIT", lambda ref, low, high, grain: counted.between(low, high, grain)),
    ("a? VAGUE more? UNIT", lambda ref, limits, grain: counted.vague(limits, grain)),
    ("a|an UNIT or NUM", lambda ref, grain, high: counted.between(1, high, grain)),
    ("a NUM of? UNIT", lambda ref, count, grain: counted.amount(count, grain)),
    ("HEDGE LENGTH", lambda ref, _, length: length),
    ("PARTOF of? a|an? UNIT", lambda ref, share, grain: counted.amount(share, grain)),
    ("NUM and? PARTOF UNIT", lambda ref, count, share, grain: counted.amount(count + share, grain)),
    ("a quarter of a|an UNIT", lambda ref, grain: counted.amount(0.25, grain)),
    ("NUM quarters of a|an UNIT", lambda ref, count, grain: counted.amount(count / 4, grain)),
    ("NUM of UNITS", lambda ref, count, grain: counted.amount(count, grain)),
    ("half a|an UNIT", lambda ref, grain: counted.amount(0.5, grain)),
    ("a? half -? UNIT", lambda ref, grain: counted.amount(0.5, grain)),
    ("NUM and a|an? half UNIT", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("NUM UNIT and a half", lambda ref, count, grain: counted.amount(count + 0.5, grain)),
    ("a|an UNIT and a half", lambda ref, grain: counted.amount(1.5, grain)),
    ("a? fortnight", lambda ref: counted.amount(2, "week")),
    ("NUM fortnights", lambda ref, count: counted.amount(2 * count, "week")),
    ("NUM UNIT ,|and? LENGTH", lambda ref, count, grain, rest: counted.amount(count, grain) + rest),
]
HEDGES: list[Rule] = [
    ("about|around|roughly|approximately|approx|circa|maybe|some|only|barely|exactly|precisely|just", lambda ref: True),
    ("just|well|slightly? over|under", lambda ref: True),
    ("almost|nearly|virtually|probably", lambda ref: True),
    ("a little|bit|good|solid over|under|more?", lambda ref: True),
    ("more|less|fewer|longer|later than", lambda ref: True),
    ("at least|most", lambda ref: True),
    ("close|up to", lambda ref: True),
]
AFTER_LENGTH: list[Rule] = [("or so", lambda ref, length: length), ("or more|less", lambda ref, length: length)]
