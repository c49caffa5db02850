"""Names the people of whom something is true: "Who has a greyhound?", "谁住在成都？".

These are people who said so about themselves and people of whom it was said: "My sister has adopted a greyhound" counts
as the sister's "I have adopted a greyhound".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.consolidation.attributes import key
from evermem_cli.formation.pieces import sentences
from evermem_cli.languages.language import CAPITALS
from evermem_cli.memory import Evidence, Message, Role
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.histories import Histories, histories_of_all
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.questions.holders import Held, as_own
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

_ROLES = """
    sister brother mother mom mum father dad grandmother grandma grandfather grandpa aunt uncle cousin niece nephew wife
    husband boyfriend girlfriend boss manager landlord landlady flatmate roommate housemate neighbour neighbor friend
    colleague partner son daughter dentist doctor
    """.split()
_THEIRS = re.compile(
    rf"\b(?:my|our)\s(?:\w+\s)?(?P<role>{'|'.join(_ROLES)})(?:,?\s(?P<name>(?-i:[{CAPITALS}]\w+)))?,?\s"
    r"(?:(?:just|now|also|recently|finally)\s)*(?P<said>\w.*)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:^|[,;]\s|\b(?:and|but|that)\s)(?P<name>(?!I\b|My\b|The\b|This\b|That\b|It\b|He\b|She\b|We\b|They\b)"
    rf"[{CAPITALS}]\w+)\s"
    r"(?P<said>(?:works|has|lives|owns|plays|drives|studies|speaks|is)\s.*)"
)
_THEIRS_ZH = re.compile(
    r"我们?的?(?P<role>[表堂]?[姐妹哥弟]{1,2}|妈妈?|爸爸?|奶奶|爷爷|朋友|同事|室友|邻居|老板)"
    rf"(?P<name>小.|[{CAPITALS}]\w+)?(?P<said>[^，。]+)"
)


@dataclass(frozen=True, slots=True)
class _Holder:
    """A person, and the messages that say it about them."""

    name: str
    message_ids: tuple[str, ...]


def name_holder(question: Question, recollection: Recollection) -> Answer | None:
    """The people, among speakers and those whom the results mention; None where nobody said it."""
    memory, tongue = recollection.memory, question.language
    if not question.held or memory.user_id is None:
        return None
    with memory.store.read() as reader:
        speakers = reader.names.display_names(memory.user_id)
    people = histories_of_all(memory.store, memory.user_id, memory.known_by)
    own = [
        _Holder(_called(holder.name, speakers, memory.user_id, tongue), holder.message_ids)
        for holder in _of_themselves(question.held, people, memory.now)
    ]
    others = _of_others(question.held, recollection.hits, memory.user_id)
    everybody = {holder.name: holder for holder in (*others, *own)}
    text = ("、" if tongue == "zh" else ", ").join(everybody)
    message_ids = tuple(message for holder in everybody.values() for message in holder.message_ids)
    return answer_from([Note(text, message_ids)] if everybody else [], question, recollection)


def _of_themselves(statements: Sequence[Held], people: Mapping[str, Histories], now: datetime) -> Iterator[_Holder]:
    for person, known in people.items():
        for attribute, words in statements:
            for fact in known.get(attribute, ()):
                if fact.holds_at(now) and words <= key(attribute, fact.value):
                    yield _Holder(person, fact.message_ids)


def _of_others(statements: Sequence[Held], hits: Sequence[Evidence], user_id: str) -> Iterator[_Holder]:
    for message in messages_of(hits):
        if message.role is not Role.ASSISTANT:
            for name, statement in _said_of_others(message, user_id):
                values = [(attribute, key(attribute, value)) for attribute, value in asserted(statement)]
                if any(a == b and words <= value for a, words in statements for b, value in values):
                    yield _Holder(name, (message.id,))


def _said_of_others(message: Message, user_id: str) -> Iterator[tuple[str, str]]:
    """The people mentioned in the sentences of a message, each with the sentence in the first person."""
    is_asker = message.user_id == user_id
    for sentence in sentences(message.text):
        if match := _THEIRS_ZH.search(sentence):
            owner = "你" if is_asker else message.speaker
            yield f"{owner}的{match['role']}{match['name'] or ''}", f"我{match['said']}"
        if match := _THEIRS.search(sentence):
            owner = "your" if is_asker else f"{message.speaker}'s"
            role = f"{owner} {match['role'].lower()}"
            yield f"{match['name']} ({role})" if match["name"] else role, as_own(match["said"])
        elif match := _NAMED.search(sentence):
            yield match["name"], as_own(match["said"])


def _called(person: str, speakers: Mapping[str, str], user_id: str, tongue: str) -> str:
    if person == user_id:
        return "你" if tongue == "zh" else "you"
    return speakers.get(person, person)
