"""What was to be and was called off: "Did I run the Harbour Half?" after "No half-marathon on Sunday, I've withdrawn".

That message need not name the race: it speaks of the day that another one tells of it.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from evermem_cli import timespan
from evermem_cli.formation.pieces import sentences
from evermem_cli.language import language
from evermem_cli.memory import Evidence, Filter, Message, Role
from evermem_cli.recollection.changes import days_told, topic
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.notes import NO, Note
from evermem_cli.recollection.search import messages_of
from evermem_cli.store import Searcher

_ASKS = re.compile(r"\s*did\s(?:i|we)\s(?:\w+ly\s)?\w+\s(?P<what>[^?]+)\?*\s*$", re.IGNORECASE)
# What the search in the file looks for, and what a sentence has to say of the day.
_CUES = r"\b(withdr|pulled out|dropped out|cancel|call(ed)? (it )?off|miss(ed)?\b|skip|can'?t|couldn'?t|didn'?t)"
_OFF = re.compile(
    r"\b(?:withdr(?:ew|awn|aw)|(?:pulled|dropped)\sout|cancel\w+|called\s(?:it\s)?off|missed\s(?:it|the|my|our)|"
    r"skipped\s(?:it|the|my|our)|(?:can'?t|couldn'?t|didn'?t)\s(?:make\sit|run|go|come|do\sit|take\spart))\b",
    re.IGNORECASE,
)


def answer(question: str, found: Sequence[Evidence], reader: Searcher, where: Filter, now: datetime) -> Note | None:
    """No, in the words that called it off; None where nobody told its day, or nobody called that day off."""
    match = _ASKS.match(question)
    if not match or where.user_id is None:
        return None
    asked = topic(match["what"])
    told = [each for each in days_told(messages_of(found)) if asked and asked <= topic(each.text)]
    if not told:
        return None
    since = min(each.message.said_at for each in told)
    off = [
        (message, sentence)
        for message in reader.saying(_CUES, where.user_id, [(since, min(where.known_at or now, now))])
        if message.user_id == where.user_id and message.role is not Role.ASSISTANT
        for sentence in _calls_off(message, {each.start for each in told})
    ]
    if not off:
        return None
    message, sentence = off[-1]
    tongue = language(question)
    text = f'{NO[tongue]}"{sentence}" ({day(message.local_time, tongue)})'
    return Note(text, (message.id,), {}, text)


def _calls_off(message: Message, days: set[date]) -> Iterator[str]:
    """The sentences of a message that call off what is on one of these days."""
    for sentence in sentences(message.text):
        if not _OFF.search(sentence):
            continue
        spans = timespan.find(sentence, message.local_time)
        if days & {span.interval.start.date() for span in spans if span.interval.start}:
            yield sentence
