"""The English grammar of lengths of time, and of what lies so long before or after."""

from evermem_cli.timespan import counted
from evermem_cli.timespan.grammar import Rule

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
