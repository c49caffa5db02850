"""Since when, until when and how long something is or was so, as profiles know it: "How long have I been vegan?".

The question is put as the one for yes or no that it supposes: "am I vegan".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from evermem_cli.consolidation.attributes import key, same, translated
from evermem_cli.language import language
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.dated import since_when
from evermem_cli.recollection.notes import Note, looked_up, words
from evermem_cli.recollection.question import FUNCTION_WORDS
from evermem_cli.recollection.verdict import statement, supposed

_ASKS = re.compile(
    r"\s*(?P<until>(?:until|till) when|up to when)?(?P<since>since when|(?:for )?how long)?\s"
    r"(?P<verb>do|does|did|am|are|is|was|were|have|has|had)\s(?P<who>i|we|[\w'-]+(?:\s[\w'-]+)?)\s(?P<rest>[^?]+)",
    re.IGNORECASE,
)
# "When did I get Pim?" is told by since when there is Pim.
_GOT = re.compile(r"\s*when\sdid\s(?=(?:i|we)\s)(?P<who>\w+)\s(?:get|adopt)\s", re.IGNORECASE)
_ASKS_ZH = re.compile(r"(?P<until>到什么时候)|从?什么时候(?:开始|起)|(?:有)?多久了?|多长时间了?")
_PERFECT = re.compile(
    r"(?:have|has|had)\s(?P<who>[\w' -]+?)\s(?:(?P<been>been)|(?P<verb>had|lived|worked|played|owned|studied))\s", re.I
)
_BARE = {"had": "have", "lived": "live", "studied": "study"}
_PRESENT = {"was": "is", "were": "are", "did": "do", "had": "have"}
_HAS = re.compile(r"I (?:have|own)\s", re.IGNORECASE)
_OWNED = ("pets", "car", "contacts")
_WHEREVER = {"I live": "location", "I work": "employer"}  # "Where do I work, and since when?"
_PARTICLE_ZH = re.compile(r"[？?。了的是]+$|^[是]")
# The longest of these that fits twice tells how long; rounded, so "about".
_UNITS = ((365.25, "year", "年"), (30.44, "month", "个月"), (7.0, "week", "周"), (1.0, "day", "天"))
_SINCE = {"en": "since {}", "zh": "{}起"}
_AT_LEAST = {"en": "at least since {}", "zh": "至少从{}起"}
_UNTIL = {"en": "until {}", "zh": "到{}为止"}
_ABOUT = {"en": "about {} {}s", "zh": "约{}{}"}


def how_long(question: str, name: str, told: Mapping[str, Sequence[ProfileFact]], now: datetime) -> Note | None:
    """Since when the value holds that the question is for, or until when it did; None where no such value is known."""
    asked, of_the_end = _asked(question, name)
    for attribute, meant in _meant(asked, name, told) if asked else ():
        begun = [fact for fact in told.get(attribute, ()) if fact.valid_at is None or fact.valid_at <= now]
        alike = [fact for fact in begun if same(attribute, key(attribute, fact.value), meant)]
        holding = [fact for fact in alike if fact.holds_at(now)]
        known = [fact for fact in holding or alike[-1:] if fact.invalid_at or (fact.valid_at and not of_the_end)]
        if known:
            tongue = language(question)
            return looked_up("; ".join(_told(fact, now, tongue) for fact in known), known, now)
    return None


def _meant(asked: str, name: str, told: Mapping[str, Sequence[ProfileFact]]) -> Iterator[tuple[str, frozenset[str]]]:
    """The attributes and values that it is for; what one has may be called by its name: "do I have Biscuit"."""
    yield from ((attribute, meant) for attribute, meant, _ in supposed(asked, name, told))
    said = statement(asked, name)
    if said in _WHEREVER:
        yield _WHEREVER[said], frozenset()
    called = set(words(_HAS.sub("", said))) - FUNCTION_WORDS if _HAS.match(said) else set()
    for attribute in _OWNED:
        for fact in told.get(attribute, ()):
            if called and called <= set(words(fact.value)):
                yield attribute, key(attribute, fact.value)


def _asked(question: str, name: str) -> tuple[str, bool]:
    """The question for yes or no that it supposes, empty where there is none, and whether it is for the end."""
    if language(question) == "zh":
        match = _ASKS_ZH.search(question)
        said = _PARTICLE_ZH.sub("", _ASKS_ZH.sub("", question).strip()) if match else ""
        return (f"{said}吗？" if said else ""), bool(match and match["until"])
    match = _ASKS.match(_GOT.sub(r"since when do \g<who> have ", question))
    if not match or not (match["since"] or match["until"]):
        return "", False
    verb = _PRESENT.get(match["verb"].lower(), match["verb"])
    polar = f"{verb} {match['who']} {match['rest'].strip()}"
    if perfect := _PERFECT.match(polar):
        polar = f"{_now(perfect)} {polar[perfect.end() :]}"
    return polar, bool(match["until"])


def _now(perfect: re.Match[str]) -> str:
    """ "Have I had" as "do I have", "has Ruben been" as "is Ruben"."""
    is_asker = perfect["who"].lower() == "i"
    if perfect["been"]:
        return f"{'am' if is_asker else 'is'} {perfect['who']}"
    verb = perfect["verb"].lower()
    return f"{'do' if is_asker else 'does'} {perfect['who']} {_BARE.get(verb, verb.removesuffix('ed'))}"


def _told(fact: ProfileFact, now: datetime, tongue: str) -> str:
    """A value with its time; what was told without a time may be older than the message that told it."""
    parts = []
    if fact.valid_at:
        dated = _SINCE if fact.valid_at < fact.said_at else _AT_LEAST
        parts.append(dated[tongue].format(since_when(fact.valid_at, fact.grain, tongue)))
    if fact.invalid_at:
        parts.append(_UNTIL[tongue].format(since_when(fact.invalid_at, fact.end_grain, tongue)))
    elif fact.valid_at:
        parts.append(_length((now - fact.valid_at).days, tongue))
    value, times = translated(fact.value, tongue), [part for part in parts if part]
    return f"{value}：{'，'.join(times)}" if tongue == "zh" else f"{value}: {', '.join(times)}"


def _length(days: int, tongue: str) -> str:
    """So many days in the longest unit that fits twice; "" for less than two days."""
    for length, english, chinese in _UNITS:
        if days >= 2 * length:
            return _ABOUT[tongue].format(round(days / length), chinese if tongue == "zh" else english)
    return ""
