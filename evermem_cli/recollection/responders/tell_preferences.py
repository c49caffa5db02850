"""Answers a request for advice from what the asker likes, dislikes and may not do: "Can you recommend a restaurant?".

A small model says "Yes" or invents a restaurant. What memory knows is whom the advice is for.
"""

from collections.abc import Iterator, Sequence

from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import Evidence, Message, Statement, Whose
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.profile_notes import OF_ONESELF
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

MOST = 3  # remarks in an answer
# The kinds of statement that matter to advice, beside those of oneself (`reading.labels.KINDS`).
KINDS = OF_ONESELF | {"likes", "dislikes", "avoids", "hobbies", "habits"}
# The share of the best cosine to the question below which a message is about something else.
NEAR = 0.6
_SAID = {"en": 'You said on {}: "{}"', "zh": "你在{}说过：“{}”"}


def tell_preferences(question: Question, recollection: Recollection) -> Answer | None:
    """What the asker said that matters to the advice, in their own words; None where nothing is known."""
    memory = recollection.memory
    if not question.wants.advice or question.whose.named or memory.user_id is None:
        return None
    own = [message for message in messages_of(_near(recollection.hits)) if message.user_id == memory.user_id]
    with memory.store.read() as reader:
        said = reader.statements.of([message.id for message in own])
    notes = [
        Note(_SAID[question.language].format(day(message.local_time, question.language), words), (message.id,))
        for message in own
        if (words := _remark(message, said.get(message.id, ())))
    ]
    return answer_from(notes[:MOST], question, recollection)


def _near(hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits about the subject of the question, nearest first."""
    best = max((hit.cosine or 0.0 for hit in hits), default=0.0)
    near = [hit for hit in hits if hit.cosine and hit.cosine >= NEAR * best]
    return sorted(near, key=lambda hit: -(hit.cosine or 0.0))


def _remark(message: Message, statements: Sequence[Statement]) -> str:
    """The sentences of the message that tell what matters, as they were said; "" where there are none."""
    values = [one.value for one in statements if one.kind in KINDS and one.is_asserted and one.whose is Whose.ME]
    joint = "" if language(message.text) == "zh" else " "
    return joint.join(_telling(message.text, values))


def _telling(text: str, values: Sequence[str]) -> Iterator[str]:
    return (sentence for sentence in split_sentences(text) if any(value in sentence for value in values))
