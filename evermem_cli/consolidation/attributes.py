"""Properties of profile attributes: whether they have one value at a time, and when two values are equal."""

import re
from datetime import UTC, datetime

from evermem_cli import timespan
from evermem_cli.languages.english import DETERMINERS, PREPOSITIONS
from evermem_cli.languages.labels import in_english
from evermem_cli.languages.language import language
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, ProfileFact, Time

# Attributes that relate a person to other people, places and things, and are not part of a profile.
TIES = frozenset("visited purchased likes experience other".split())
OTHERS = frozenset({"family", "contacts", "children", "pets"})  # their values say who somebody else is
# A person has several of these at once. For all other attributes a new value replaces the old one.
SEVERAL = TIES | frozenset(
    """
    pets children family contacts hobbies health allergies medication languages restrictions avoids dislikes skills
    habits belongings appearance personality belief goal money studies
    """.split()
)
# A future day named beside these belongs to something else: "my cousin Xiaoyu comes at Christmas".
NEVER_PLANNED = frozenset("name hometown family contacts allergies".split())
# A message that mentions these does not say when they began: they were true before.
TIMELESS = frozenset("name hometown family birthday".split())
# What is first mentioned as over must have been true before.
REMEMBERED = frozenset("partner pets employer hobbies car diet medication".split())
# When the first attribute ends, the others end with it: leaving an employer ends its salary.
ENDS_WITH = {"employer": ("job", "salary"), "partner": ("relationship",), "health": ("restrictions",)}
# These attributes belong to an offer and are accepted together with it.
OFFERED = ("employer", "job", "salary")
# Synonyms and translations; a value stated in another language does not change it.
SYNONYMS = {
    "sax": "saxophone",
    "veggie": "vegetarian",
    "plant-based": "vegan",
    "全素": "vegan",
    "纯素": "vegan",
    "素食": "vegetarian",
    "素": "vegetarian",
    "鱼素": "pescatarian",
    "吃肉": "meat",
    "不吃肉": "vegetarian",
    "no meat": "vegetarian",
    "no gluten": "gluten-free",
    "no dairy": "dairy-free",
    "戒烟": "quit smoking",
    "抽烟": "smokes",
    "不喝酒": "does not drink",
    "单身": "single",
    "已婚": "married",
    "订婚": "engaged",
    "离婚": "divorced",
}
# What each diet excludes. A person on the diet who then says only "I don't eat meat any more" says nothing new.
_MEAT = frozenset("red meat beef pork".split())
_FISH = frozenset("fish seafood shellfish".split())
WITHOUT = {
    "vegan": _MEAT | _FISH | frozenset("dairy egg eggs".split()),
    "vegetarian": _MEAT | _FISH,
    "pescatarian": _MEAT,
    "halal": frozenset({"pork"}),
    "kosher": frozenset({"pork", "shellfish"}),
    "gluten-free": frozenset({"gluten", "wheat"}),
    "dairy-free": frozenset({"dairy"}),
}
MEAT = "meat"
# The kind of animal: "our whippet" refers to the dog.
SPECIES = {
    "dog": frozenset(
        "puppy labrador retriever poodle beagle terrier whippet greyhound collie shepherd spaniel dachshund corgi pug "
        "husky mutt schnauzer setter bulldog boxer chihuahua".split()
    ),
    "cat": frozenset("kitten tomcat tabby siamese".split()),
}
ARRANGEMENT = "the "  # attributes of things begin like this, as in "the meeting day"; those of people do not
# The values of these are done without: "No walnuts!" names the same allergy as "walnuts".
AVOIDED = frozenset("allergies dislikes avoids".split())
# Numbers and the like must match exactly.
EXACT = frozenset({"salary", "phone", "email", "age", "birthday"})

_DATE = ("year", "month", "day")
# Days that have no part of their dates in common: what a date means on both is what it names.
_ANY_DAYS = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2010, 7, 20, tzinfo=UTC))
_EMPTY = DETERMINERS | PREPOSITIONS | frozenset("and is new".split())
_AMOUNT = re.compile(r"(\d[\d,.]*)\s*(k|thousand|千|万|million|m)?\b|(\d[\d,.]*)\s*(千|万)", re.IGNORECASE)
_FACTORS = {"k": 1000, "thousand": 1000, "千": 1000, "万": 10_000, "m": 1_000_000, "million": 1_000_000}


def is_arrangement(assertion: Assertion) -> bool:
    """Whether the attribute belongs to a thing and not to a person."""
    return assertion.attribute.startswith(ARRANGEMENT)


def beginning(fact: ProfileFact) -> Time | None:
    """When the value began to hold; None if that is unknown, or if such a value has no beginning."""
    return None if fact.attribute in TIMELESS else fact.valid_at


def is_outgrown(fact: ProfileFact) -> bool:
    """Whether the value is another one some time after it was told, though nobody says so: an age."""
    return fact.attribute == "age"


def key(attribute: str, value: str) -> frozenset[str]:
    """The key of a value, equal for equal values: its words, an amount as a number, or what a birthday names."""
    value = _in_english(value)
    if attribute == "allergies":
        value = _substance(value)
    words = frozenset(words_of(value))
    if attribute in EXACT:
        return _exact_key(attribute, value) or words - _EMPTY or words
    if attribute == "car":
        return frozenset({"no car"}) if "no" in words else (words - _EMPTY) | {"car"}
    if attribute == "pets":
        words |= {species for species, breeds in SPECIES.items() if words & breeds}
    if attribute in AVOIDED:
        words = words - {"no"} or words
    if attribute == "diet" and (lacking := _lacking(value)):  # who eats no meat does not eat meat
        words = words - lacking - {"no"} | {f"no {food}" for food in lacking}
    return words - _EMPTY or words


def _exact_key(attribute: str, value: str) -> frozenset[str]:
    if attribute == "birthday":
        return date_named(value)
    if attribute == "phone":
        return frozenset({re.sub(r"\D", "", value)})
    number = amount(value) if attribute in ("age", "salary") else 0
    return frozenset({f"{number:.0f}"}) if number else frozenset()


def date_named(value: str) -> frozenset[str]:
    """What a date names of "year 1992", "month 3" and "day 8": "8 March" names no year, and "tomorrow" nothing."""
    meanings = [timespan.find(value, at)[:1] for at in _ANY_DAYS]
    starts = [span.interval.start for spans in meanings for span in spans if span.interval.grain in _DATE]
    if len(starts) < len(_ANY_DAYS) or None in starts:
        return frozenset()
    grain = meanings[0][0].interval.grain
    parts = [(part, {getattr(start, part) for start in starts}) for part in _DATE[: _DATE.index(grain) + 1]]
    return frozenset(f"{part} {number}" for part, [number, *others] in parts if not others)


def translated(value: str, language: str) -> str:
    """A value in this language if a translation is known; else the value as stated."""
    english = in_english()
    if language == "zh":
        return {own.casefold(): theirs for theirs, own in reversed(english.items())}.get(value.casefold(), value)
    return english.get(value, value)


def may_be_translation(attribute: str, one: str, other: str) -> bool:
    """Whether two values are in two languages, and no known translation tells whether they mean the same."""
    return attribute not in EXACT and language(_in_english(one)) != language(_in_english(other))


def _in_english(value: str) -> str:
    return SYNONYMS.get(value.casefold()) or translated(value, "en")


def _substance(value: str) -> str:
    """What an allergy is to, in English, of a Chinese value that names it: "对核桃过敏" is about walnuts."""
    english = in_english()
    return english.get(max((own for own in english if own in value), key=len, default=""), value)


def same(attribute: str, one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two keys mean the same value: "Bristol" and "Clifton, Bristol" do, "40k" and "70k" do not.

    A birthday with a year is one without.
    """
    if attribute in EXACT and attribute != "birthday":
        return one == other
    return one <= other or other <= one


def implies(attribute: str, one: str, other: str) -> bool:
    """Whether one value implies the other: a pescatarian eats no meat."""
    lacking = _lacking(other) if attribute == "diet" else frozenset()
    return bool(lacking) and lacking <= _named_diet(one)


def excluded(diet: str) -> frozenset[str]:
    """The foods that a diet such as "vegetarian" or "no gluten" excludes; none for a food that is eaten."""
    return _lacking(diet) or _named_diet(diet)


def replaces(attribute: str, new: str, old: str) -> bool:
    """Whether a new value ends the old one.

    Avoiding milk leaves a vegetarian one; avoiding meat ends eating it. A pescatarian who eats fish still is one.
    """
    if attribute in SEVERAL:
        return False
    if attribute != "diet":
        return True
    if not (_lacking(new) or _lacking(old)):
        return not _allows(old, new)
    lacking, other = (_lacking(new), old) if _lacking(new) else (_lacking(old), new)
    return implies(attribute, new, old) or (MEAT in lacking and other == MEAT)


def _allows(diet: str, food: str) -> bool:
    """Whether a named diet is known to leave a food, which some other diet excludes."""
    words, foods = set(words_of(food)), frozenset[str]().union(*WITHOUT.values())
    return bool(_named_diet(diet) and words & foods) and not words & _named_diet(diet)


def amount(value: str) -> float:
    """The number in words such as "£58,000", "58k" or "5.8万"; 0 if there is none."""
    match = _AMOUNT.search(value)
    if not match:
        return 0.0
    digits, unit = match.group(1) or match.group(3), (match.group(2) or match.group(4) or "").lower()
    number = float(re.sub(r"[,.](?=\d{3}(?!\d))", "", digits).replace(",", ".").rstrip("."))
    return number * _FACTORS.get(unit, 1)


def _named_diet(value: str) -> frozenset[str]:
    diet = value.casefold().replace(" ", "-")
    return WITHOUT.get(SYNONYMS.get(diet, diet), frozenset())


def _lacking(value: str) -> frozenset[str]:
    """The foods excluded by a value such as "no red meat" or "fish but no meat"; none for any other value."""
    words = value.casefold().split()
    return frozenset(words[words.index("no") + 1 :]) if "no" in words else frozenset()
