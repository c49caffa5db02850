"""Who it is of whom something is true: "Who has a greyhound?", "谁住在成都？".

The question is put as the statement that somebody would make of themselves, "I have a greyhound". Whoever said so is
the answer, and whoever it was said of: "My sister has adopted a greyhound" is her "I have adopted a greyhound".
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.history import histories, ties
from evermem_cli.formation.pieces import sentences
from evermem_cli.language import language
from evermem_cli.memory import Assertion, Evidence, Filter, Message, Role
from evermem_cli.recollection.grounds import RELATIONS, SAME_RELATION
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.question import FIRST_PERSON
from evermem_cli.recollection.search import messages_of
from evermem_cli.store import Searcher

_ASKS = re.compile(
    r"\s*who(?:['’]s|\s+else)?\s+(?:(?:still|currently|now|also)\s+)*(?P<rest>[^?]+?)(?:\s+now)?\s*\?*\s*$", re.I
)
_ASKS_ZH = re.compile(r"\s*(?:现在)?谁(?P<rest>[^？?]+?)[？?]*\s*$")
_ROLES = sorted({*RELATIONS, *SAME_RELATION, "friend", "colleague", "partner", "son", "daughter", "dentist", "doctor"})
_THEIRS = re.compile(
    rf"\b(?:my|our)\s(?:\w+\s)?(?P<role>{'|'.join(_ROLES)})(?:,?\s(?P<name>(?-i:[A-Z]\w+)))?,?\s"
    r"(?:(?:just|now|also|recently|finally)\s)*(?P<said>\w.*)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:^|[,;]\s|\b(?:and|but|that)\s)(?P<name>(?!I\b|My\b|The\b|This\b|That\b|It\b|He\b|She\b|We\b|They\b)[A-Z]\w+)\s"
    r"(?P<said>(?:works|has|lives|owns|plays|drives|studies|speaks|is)\s.*)"
)
_THEIRS_ZH = re.compile(
    r"我们?的?(?P<role>[表堂]?[姐妹哥弟]{1,2}|妈妈?|爸爸?|奶奶|爷爷|朋友|同事|室友|邻居|老板)(?P<name>小.|[A-Z]\w+)?(?P<said>[^，。]+)"
)
_FIRST = {"is": "am", "are": "am", "has": "have", "does": "do", "was": "was", "'s": "am"}
_ENDS_IN_S = re.compile(r"(?<=[^s])s$|(?<=[xh])es$")
_NOT_WHO = ("name", "contacts", "family")  # "Who is Ruben?" asks for something else

Meant = tuple[str, frozenset[str]]  # an attribute, and what a value of it has to have in common with the one asked for


@dataclass(frozen=True, slots=True)
class _Found:
    """Somebody, and the messages that say it."""

    who: str
    message_ids: tuple[str, ...]


def answer(question: str, found: Sequence[Evidence], reader: Searcher, where: Filter, now: datetime) -> Note | None:
    """Who it is, of those who speak by then and of those whom the results tell of; None where nobody said it."""
    what = meant(question)
    if not what or where.user_id is None:
        return None
    until = min(where.known_at or now, now)
    speakers = {found_id: name for name, found_id in reader.speaker_ids(where.user_id).items()}
    told = reader.assertions(reader=where.user_id, known_at=until)
    people = [*_of_themselves(what, _by_person(told, reader.merged(where.user_id)), now)]
    tongue = language(question)
    own = [_Found(_named(each.who, speakers, where.user_id, tongue), each.message_ids) for each in people]
    theirs = list(_of_others(what, found, where.user_id, tongue))
    everybody = {each.who: each for each in (*theirs, *own)}
    if not everybody:
        return None
    text = ("、" if tongue == "zh" else ", ").join(everybody)
    return Note(text, tuple(message for each in everybody.values() for message in each.message_ids), {}, text)


def meant(question: str) -> list[Meant]:
    """What has to be true of whom it asks for, as profiles know it; nothing where it is for who did something."""
    tongue = language(question)
    match = (_ASKS_ZH if tongue == "zh" else _ASKS).match(question)
    if not match or FIRST_PERSON.search(question):
        return []
    is_state = bool(re.match(r"\s*who['’]s\s", question, re.I))
    statement = f"我{match['rest']}" if tongue == "zh" else _as_own(f"{'is ' if is_state else ''}{match['rest']}")
    return [(attribute, key(attribute, value)) for attribute, value in asserted(statement) if attribute not in _NOT_WHO]


def _as_own(said: str) -> str:
    """What is said of somebody as they would say it: "works at Acme" as "I work at Acme"."""
    verb, _, rest = said.partition(" ")
    return f"I {_FIRST.get(verb.lower(), _ENDS_IN_S.sub('', verb))} {rest}"


def _by_person(told: Sequence[Assertion], merged: Mapping[str, str]) -> dict[str, list[Assertion]]:
    people: defaultdict[str, list[Assertion]] = defaultdict(list)
    for each in told:
        people[merged.get(each.user_id.lower(), each.user_id)].append(each)
    return people


def _of_themselves(meant: Sequence[Meant], people: Mapping[str, list[Assertion]], now: datetime) -> Iterator[_Found]:
    for person, told in people.items():
        known = histories(told) | ties(told)
        for attribute, words in meant:
            for fact in known.get(attribute, ()):
                if fact.holds_at(now) and words <= key(attribute, fact.value):
                    yield _Found(person, fact.message_ids)


def _of_others(meant: Sequence[Meant], found: Sequence[Evidence], user_id: str, tongue: str) -> Iterator[_Found]:
    for message in messages_of(found):
        if message.role is not Role.ASSISTANT:
            for who, statement in _said_of_others(message, user_id, tongue):
                values = [(attribute, key(attribute, value)) for attribute, value in asserted(statement)]
                if any(a == b and words <= value for a, words in meant for b, value in values):
                    yield _Found(who, (message.id,))


def _said_of_others(message: Message, user_id: str, tongue: str) -> Iterator[tuple[str, str]]:
    """Whom the sentences of a message speak of, each with what it says as they would say it."""
    is_asker = message.user_id == user_id
    for sentence in sentences(message.text):
        if match := _THEIRS_ZH.search(sentence):
            owner = "你" if is_asker else message.speaker
            yield f"{owner}的{match['role']}{match['name'] or ''}", f"我{match['said']}"
        if match := _THEIRS.search(sentence):
            owner = "your" if is_asker else f"{message.speaker}'s"
            role = f"{owner} {match['role'].lower()}"
            yield f"{match['name']} ({role})" if match["name"] else role, _as_own(match["said"])
        elif match := _NAMED.search(sentence):
            yield match["name"], _as_own(match["said"])


def _named(person: str, speakers: Mapping[str, str], user_id: str, tongue: str) -> str:
    if person == user_id:
        return "你" if tongue == "zh" else "you"
    return speakers.get(person, person)
