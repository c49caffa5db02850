"""Answers no about an event that was cancelled: "Did I run the Harbour Half?" after "No half-marathon on Sunday".

The cancellation need not name the event, only the day that another message gives for it.
"""

import re
from collections.abc import Iterator
from datetime import date

from evermem_cli import timespan
from evermem_cli.formation.pieces import sentences
from evermem_cli.memory import Message, Role
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import NO, Note
from evermem_cli.recollection.plans import plans_in, topic
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of

# The pattern for the search in the file, and what a sentence must say about the day.
_CUES = r"\b(withdr|pulled out|dropped out|cancel|call(ed)? (it )?off|miss(ed)?\b|skip|can'?t|couldn'?t|didn'?t)"
_OFF = re.compile(
    r"\b(?:withdr(?:ew|awn|aw)|(?:pulled|dropped)\sout|cancel\w+|called\s(?:it\s)?off|missed\s(?:it|the|my|our)|"
    r"skipped\s(?:it|the|my|our)|(?:can'?t|couldn'?t|didn'?t)\s(?:make\sit|run|go|come|do\sit|take\spart))\b",
    re.IGNORECASE,
)


def tell_cancellation(question: Question, recollection: Recollection) -> Answer | None:
    """No, in the words of the cancellation; None where the day of the event is unknown or nobody cancelled that day."""
    memory, tongue = recollection.memory, question.language
    if not question.event or memory.user_id is None:
        return None
    plans = [plan for plan in plans_in(messages_of(recollection.hits)) if question.event <= topic(plan.text)]
    if not plans:
        return None
    since = min(plan.message.said_at for plan in plans)
    with memory.store.read() as reader:
        messages = reader.messages.saying(_CUES, memory.user_id, [(since, memory.known_by)])
    off = [
        (message, sentence)
        for message in messages
        if message.user_id == memory.user_id and message.role is not Role.ASSISTANT
        for sentence in _calls_off(message, {plan.start for plan in plans})
    ]
    notes = [
        Note(f'{NO[tongue]}"{sentence}" ({day(message.local_time, tongue)})', (message.id,))
        for message, sentence in off[-1:]
    ]
    return answer_from(notes, question, recollection)


def _calls_off(message: Message, days: set[date]) -> Iterator[str]:
    """The sentences of a message that cancel what is on one of these days."""
    for sentence in sentences(message.text):
        if not _OFF.search(sentence):
            continue
        spans = timespan.find(sentence, message.local_time)
        if days & {span.interval.start.date() for span in spans if span.interval.start}:
            yield sentence
