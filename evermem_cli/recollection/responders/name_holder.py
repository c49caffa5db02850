"""Names the people of whom something is true: "Who has a greyhound?", "谁住在成都？".

These are people who said so about themselves and people of whom it was said: "My sister has adopted a greyhound".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from evermem_cli.consolidation.attributes import key
from evermem_cli.consolidation.statements import attribute_of
from evermem_cli.memory import Message, Role, Stance, Statement, Whose
from evermem_cli.reading.statements.labels import Asks
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.people.histories import Histories, histories_of_all
from evermem_cli.recollection.questions.profile_question import ProfileQuestion
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

_NOT_WHO = frozenset({"name", "contacts", "family"})  # "Who is Ruben?" asks for something else
_HOLD = frozenset({Stance.HOLDS, Stance.BEGAN})
_OWN = {"en": ("my ", "our "), "zh": ("我们的", "我的", "我们", "我")}  # before whoever is the speaker's
_THEIRS = {"en": ("your {}", "{}'s {}"), "zh": ("你的{}", "{}的{}")}
_ASKER = {"en": "you", "zh": "你"}


@dataclass(frozen=True, slots=True)
class _Holder:
    """A person, and the messages that say it about them."""

    name: str
    message_ids: tuple[str, ...]


def name_holder(question: Question, recollection: Recollection) -> Answer | None:
    """The people, among speakers and those whom the results mention; None where nobody said it."""
    memory, tongue, profile = recollection.memory, question.language, question.profile
    if memory.user_id is None or not profile.asks_for(Asks.WHO) or profile.attribute in _NOT_WHO:
        return None
    said = [message for message in messages_of(recollection.hits) if message.role is not Role.ASSISTANT]
    with memory.store.read() as reader:
        speakers = reader.names.display_names(memory.user_id)
        statements = reader.statements.of([message.id for message in said])
    people = histories_of_all(memory.store, memory.user_id, memory.known_by)
    own = [
        _Holder(_ASKER[tongue] if person == memory.user_id else speakers.get(person, person), message_ids)
        for person, message_ids in _of_themselves(profile, people, memory.now)
    ]
    others = [
        _Holder(_called(statement.person, message, memory.user_id, tongue), (message.id,))
        for message in said
        for statement in statements.get(message.id, ())
        if _says_of_another(profile, statement)
    ]
    everybody = {holder.name: holder for holder in (*others, *own)}
    text = ("、" if tongue == "zh" else ", ").join(everybody)
    message_ids = tuple(message for holder in everybody.values() for message in holder.message_ids)
    return answer_from([Note(text, message_ids)] if everybody else [], question, recollection)


def _of_themselves(
    question: ProfileQuestion, people: Mapping[str, Histories], now: datetime
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for person, known in people.items():
        for fact in known.get(question.attribute, ()):
            if fact.holds_at(now) and _is_meant(question, fact.value):
                yield person, fact.message_ids


def _says_of_another(question: ProfileQuestion, statement: Statement) -> bool:
    is_said = statement.is_asserted and statement.whose is Whose.OTHER and statement.stance in _HOLD
    is_of_kind = bool(statement.person) and attribute_of(statement) == question.attribute
    return is_said and is_of_kind and _is_meant(question, statement.value)


def _is_meant(question: ProfileQuestion, value: str) -> bool:
    if question.supposes_any:
        return not question.narrow or question.mentions(question.attribute, value)
    return question.supposed_words <= key(question.attribute, value)


def _called(person: str, message: Message, user_id: str, tongue: str) -> str:
    """Somebody whom a message calls "my sister", from the asker's point of view; others by their names."""
    own = next((own for own in _OWN[tongue] if person.casefold().startswith(own)), "")
    if not own:
        return person
    of_asker, of_another = _THEIRS[tongue]
    rest = person[len(own) :]
    return of_asker.format(rest) if message.user_id == user_id else of_another.format(message.speaker, rest)
