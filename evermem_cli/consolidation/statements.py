"""Turns statements that the tagger read into assertions, with the times that code finds in the words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import dropwhile

from evermem_cli import timespan
from evermem_cli.consolidation.attributes import NEVER_PLANNED, OTHERS, TIES
from evermem_cli.consolidation.periods import Period, Phrase, is_time_at, period_of, phrases_in, sentence_at
from evermem_cli.formation.foresights import condition_end
from evermem_cli.formation.sentences.statements import strip_lead
from evermem_cli.languages.english import AUXILIARIES, FUNCTION_WORDS, NAMING, finished
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Assertion, Message, Stance, Statement, Time, Whose, content_id, wall
from evermem_cli.naming import NAME, find_mentions
from evermem_cli.reading.entries import ProfileEntry, stands
from evermem_cli.reading.fragments import is_fragment
from evermem_cli.reading.unnamed import names_job
from evermem_cli.timespan import Interval
from evermem_cli.timespan.interval import STEPS, moved, stated_time

# Attribute names for kinds that profiles call differently.
ATTRIBUTES = {"vehicle": "car"}
# The stance of the assertion for each stance of a statement; a stance not listed asserts nothing.
ASSERTED = {
    Stance.HOLDS: Stance.HOLDS,
    Stance.BEGAN: Stance.HOLDS,
    Stance.PLANNED: Stance.HOLDS,
    Stance.ENDED: Stance.ENDED,
    Stance.OFFERED: Stance.OFFERED,
    Stance.DENIED: Stance.DENIED,
}
# Plans and what a group did are kept as statements, but are not traits of a person.
OUTSIDE_PROFILE = frozenset("plan task decision instruction event".split())
# Kinds of which a person has one at a time and whose values are names: an end that names nobody ends whoever it was.
NAMED = frozenset({"partner", "employer"})
# Kinds whose values are told in words of one's own, and so may be cut to words that say nothing alone.
_IN_OWN_WORDS = frozenset(
    "appearance belongings commute experience habits health housing money restrictions skills studies".split()
)
_LONGEST_CLAUSE = 80  # characters
_MARK = re.compile(r"[,;:.!?…()\n]+(?=\s|$)|\s[–—-]\s")
_OF_NAMES = NAMED | OTHERS | {"name", "location", "hometown", "job"}
_OF_PLACES = frozenset({"employer", "location", "hometown"})
_NAMELESS = frozenset({"allergic", "过敏"})  # "No walnuts! I'm allergic.": to what stands elsewhere
_LONGEST_NEGATION = 2  # words: "do not"
_LONGEST_ROLE = 3  # words: "little twin sister"
_JOINS = AUXILIARIES | NAMING | frozenset("name's".split())
_LONGEST_LIFE = 120  # years
_Window = tuple[Time | None, Time | None]


def assert_statements(
    message: Message, statements: Sequence[Statement], condition_days: Mapping[str, float]
) -> Iterator[Assertion]:
    """What a message asserts about its writer, in order.

    `condition_days` is how long an illness without an end lasts.
    """
    for statement, value in _with_clauses(list(_with_ends(message, statements)), message.text):
        stance = ASSERTED.get(statement.stance)
        if stance is None or not is_asserted(statement):
            continue
        attribute = attribute_of(statement)
        if attribute == "birthday" and not timespan.find(value, message.local_time):
            continue  # "it's my birthday", "turning 35"
        times = window(statement, period_of(statement, statements, message), message, condition_days)
        if times is None:
            continue
        start, end = times
        likely = (1 + statement.probability) / 2 if statement.confirmed else statement.probability
        meant = Stance.PLANNED if statement.stance is Stance.PLANNED else stance
        yield Assertion(
            id=content_id("assertion", message.id, attribute, statement.value, stance),
            user_id=message.user_id,
            attribute=attribute,
            value=value,
            stance=stance,
            valid_at=start,
            invalid_at=end if start and end and end > start else None,
            said_at=message.local_time,
            confidence=likely,
            message_ids=(message.id,),
            sure=stands(ProfileEntry(attribute, meant, value, message.text, statement.start, statement.stop, likely)),
        )


def attribute_of(statement: Statement) -> str:
    """The attribute of profiles that a statement is about."""
    return ATTRIBUTES.get(statement.kind, statement.kind)


def _with_ends(message: Message, statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements without those that are nothing but a time, with the ends that name nobody.

    "Callum and I broke up" has two statements, one that names Callum and one that tells the end. The end holds for
    everybody of its kind whom the sentence names, and for whoever it was if the sentence names nobody.
    """
    times = phrases_in(message.text, message.local_time) if statements else []
    joined = _addresses(statements, message.text)
    telling = [one for one in joined if one.value.casefold() not in _NAMELESS and _names_job_if_any(one)]
    timeless = [kept for statement in telling if (kept := _without_time(statement, message.text, times))]
    whole = [
        _bare_name(_role_behind_name(_named_by_what_is_left_out(_named_alone(statement, message.text))))
        for statement in timeless
    ]
    ends = [statement for statement in whole if _ends_unnamed(statement)]
    ended = {(end.kind, sentence_at(message.text, end.start)) for end in ends}
    for statement in whole:
        if statement in ends:
            yield replace(statement, value="")
        elif statement.stance is Stance.HOLDS and (statement.kind, sentence_at(message.text, statement.start)) in ended:
            yield replace(statement, stance=Stance.ENDED)
        else:
            yield statement


def _with_clauses(statements: Sequence[Statement], text: str) -> Iterator[tuple[Statement, str]]:
    """The statements with what profiles show of each: of a fragment its clause, as it was said.

    "Six weeks" is shown as "six weeks in a cast". Beside a statement of its kind in the clause a fragment goes.
    """
    cut = [statement for statement in statements if _is_cut(statement)]
    known = {(statement.kind, _clause_of(statement, text)) for statement in statements if statement not in cut}
    for statement in statements:
        clause = _clause_of(statement, text) if statement in cut else statement.value
        if clause in ("", statement.value) or _has_others(clause, statement, statements):
            yield statement, statement.value
        elif (statement.kind, clause) not in known:
            known.add((statement.kind, clause))
            yield statement, f'"{clause}"'


def _is_cut(statement: Statement) -> bool:
    is_lasting = statement.stance is not Stance.ENDED and statement.kind in _IN_OWN_WORDS
    return is_lasting and is_fragment(statement.kind, statement.value)


def _clause_of(statement: Statement, text: str) -> str:
    """The words around a statement between two marks, without what leads into them; "" for many."""
    before = _MARK.split(text[: statement.start])[-1]
    after = _MARK.split(text[statement.stop :])[0]
    clause = strip_lead(f"{before}{text[statement.start : statement.stop]}{after}".strip()).strip()
    return clause if statement.value in clause and len(clause) <= _LONGEST_CLAUSE else ""


def _has_others(clause: str, statement: Statement, statements: Sequence[Statement]) -> bool:
    """Whether a clause names somebody, or says something of somebody else."""
    others = [other.value for other in statements if other.whose is not statement.whose]
    return bool(find_mentions(clause) or [value for value in others if value in clause])


def _addresses(statements: Sequence[Statement], text: str) -> list[Statement]:
    """The statements, of which two homes parted by a comma alone are one: "Dresden, Bautzner Straße 12"."""
    joined: list[Statement] = []
    for statement in statements:
        before = joined[-1] if joined else None
        if before and _is_address(before, statement) and text[before.stop : statement.start].strip() == ",":
            value = text[before.start : statement.stop]
            joined[-1] = replace(before, stop=statement.stop, value=value)
        else:
            joined.append(statement)
    return joined


def _is_address(one: Statement, other: Statement) -> bool:
    is_home = one.kind == other.kind == "location" and one.stance in (Stance.HOLDS, Stance.BEGAN)
    return is_home and (one.whose, one.stance) == (other.whose, other.stance)


def _names_job_if_any(statement: Statement) -> bool:
    """Whether a statement is of no job, of one that its words name, or of one that is over."""
    return statement.kind != "job" or statement.stance is Stance.ENDED or names_job(statement.value)


def _ends_unnamed(statement: Statement) -> bool:
    """Whether a statement tells that something with a name is over, but has no name; "my ex" is somebody."""
    is_end = statement.stance is Stance.ENDED and statement.kind in NAMED
    return is_end and is_asserted(statement) and not (NAME.search(statement.value) or "ex" in words_of(statement.value))


def _without_time(statement: Statement, text: str, times: Sequence[Phrase]) -> Statement | None:
    """The statement without a day of its text at its end, as in "vegan since last Tuesday".

    None where a kind that has names has nothing but times, as in "six years in May". A plan keeps its day.
    """
    if statement.kind in OUTSIDE_PROFILE:
        return statement
    for time in times:
        if time.start <= statement.start and statement.stop <= time.stop:
            return None if statement.kind in _OF_NAMES else statement
        if not time.is_length and statement.start < time.start < statement.stop <= time.stop:
            value = finished(text[statement.start : time.start].rstrip(" ,;:–-"))
            cut = replace(statement, stop=statement.start + len(value), value=value)
            return _without_time(cut, text, times) if value else statement
    return statement


def _named_alone(statement: Statement, text: str) -> Statement:
    """A former partner by the name alone: "Callum" of "Callum and I split"."""
    if statement.kind != "partner" or statement.stance is not Stance.ENDED:
        return statement
    names = (mention.name for mention in find_mentions(text) if mention.name in statement.value)
    return replace(statement, value=next(names, statement.value))


def _named_by_what_is_left_out(statement: Statement) -> Statement:
    """A diet such as "don't eat meat" or "eat no meat" as profiles name it: "no meat", which is held and not denied."""
    before, eats, food = statement.value.casefold().replace("’", "'").partition("eat ")
    if statement.kind != "diet" or not eats:
        is_denied = statement.kind == "diet" and statement.stance is Stance.DENIED and before.startswith("no ")
        return replace(statement, stance=Stance.HOLDS) if is_denied else statement
    is_negated = len(before.split()) <= _LONGEST_NEGATION and before.rstrip().endswith(("not", "n't"))
    if not is_negated and (before or not food.startswith("no ")):
        return statement
    left_out = finished(food.removeprefix("any ").removeprefix("no "))
    stance = Stance.HOLDS if statement.stance is Stance.DENIED else statement.stance
    return replace(statement, value=f"no {left_out}", stance=stance) if left_out else statement


def _role_behind_name(statement: Statement) -> Statement:
    """Somebody by name and role, as profiles name them: "Biscuit (cat)" of "a cat called Biscuit".

    Behind a preposition stands no name of theirs: "a friend in Oranmore" stays as it is.
    """
    named = list(NAME.finditer(statement.value)) if attribute_of(statement) in OTHERS else []
    if not named or named[-1].end() < len(statement.value):
        return statement
    role = [word.strip(",:.") for word in statement.value[: named[-1].start()].split()]
    while role and (not role[-1] or role[-1].casefold() in _JOINS):
        role.pop()
    while role and role[0].casefold() in FUNCTION_WORDS:
        role.pop(0)
    is_role = 0 < len(role) <= _LONGEST_ROLE and all(map(str.islower, role)) and role[-1] not in FUNCTION_WORDS
    called = " ".join(role).removesuffix("'s")
    return replace(statement, value=f"{named[-1][0]} ({called})") if is_role else statement


def _bare_name(statement: Statement) -> Statement:
    """A place, firm or allergen alone: "Mercy Hospital" of "at Mercy Hospital", "nuts" of "allergic to nuts"."""
    if statement.kind == "allergies":
        return replace(statement, value=statement.value.rpartition(" to ")[2])
    words = statement.value.split() if statement.kind in _OF_PLACES else []
    names = list(dropwhile(FUNCTION_WORDS.__contains__, words))
    return replace(statement, value=" ".join(names)) if names else statement


def is_asserted(statement: Statement) -> bool:
    """Whether a statement is surely the writer's own and of a kind that a profile or its history holds."""
    return statement.whose is Whose.ME and statement.kind not in OUTSIDE_PROFILE and statement.is_asserted


def window(
    statement: Statement, period: Period, message: Message, condition_days: Mapping[str, float]
) -> _Window | None:
    """When the assertion of a statement with this period begins and ends; None for a future plan without a day.

    What has ended begins to be over at its end.
    """
    at, attribute = message.local_time, attribute_of(statement)
    since, until = period
    start = since.stated_start if since else None
    end = until.stated_end if until else None
    if statement.stance is Stance.ENDED:
        over_by = until or timespan.validity(sentence_at(message.text, statement.start), at)
        start, end = _ended(over_by, at) if over_by else at, None
    is_past = start is not None and not start > at  # nothing is planned for a day that is past
    if statement.stance is Stance.PLANNED and not is_past:
        ahead = end if start is None else start
        return (start or at, end) if ahead and ahead > at else None
    if attribute == "health" and not (since or until):
        end = condition_end(sentence_at(message.text, statement.start), at, condition_days)
    if attribute in TIES | OTHERS:  # a friend stays one after a holiday together
        end = None
    if start and start > at and attribute in NEVER_PLANNED:
        start = None
    return _lived_to_see(start, statement, message) or at, end


def _ended(until: Interval, at: datetime) -> Time:
    """When something was over: 2019 of "from 2015 to 2019"."""
    if until.end is None or until.end >= at:
        return at
    last = until.end - STEPS[until.grain]
    return stated_time(max(last, until.start or last), until.grain)


def _lived_to_see(start: Time | None, statement: Statement, message: Message) -> Time | None:
    """A beginning that somebody who writes then can have lived to see; "for 1500" is a price and no year.

    Nobody is of one age for years: it did not begin in 2022 of "I'm 58, retired in 2022", but of "turned 58 in 2022".
    """
    at, is_age = message.local_time, statement.kind == "age" and statement.stance is Stance.HOLDS
    outgrown = moved(wall(start), STEPS["year"]) if start and is_age else None
    if outgrown and outgrown < wall(at) and not is_time_at(message.text, statement.stop, at):
        return None
    return start if start and wall(start).year > at.year - _LONGEST_LIFE else None
