"""Lists what is coming up, from foresights by date: "What are my plans?"."""

from datetime import datetime, tzinfo

from evermem_cli.memory import Foresight, moment_in, seen_from
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

MOST = 10


def list_upcoming(question: Question, recollection: Recollection) -> Answer | None:
    """What is due in the time that the question names, else from now on, by date, at most `MOST`.

    What continues without an end is not upcoming.
    """
    now = recollection.memory.now
    window = question.times[0].interval if question.times else None
    since = max(now, window.start) if window and window.start else now
    due = [
        foresight
        for foresight in recollection.foresights
        if (foresight.end_time or foresight.start_time) >= since
        and (window is None or window.end is None or foresight.start_time < window.end)
    ]
    due = sorted(due, key=lambda foresight: _order(foresight, now.tzinfo))[:MOST]
    notes = [
        Note(f"{_when(foresight, now, question.language)}: {foresight.foresight}", foresight.message_ids)
        for foresight in due
    ]
    return answer_from(notes, question, recollection)


def _order(foresight: Foresight, zone: tzinfo | None) -> tuple[datetime, datetime]:
    return moment_in(foresight.start_time, zone), moment_in(foresight.end_time or foresight.start_time, zone)


def _when(foresight: Foresight, now: datetime, tongue: str) -> str:
    """Its day or days; if it has begun, its end."""
    start = since_when(seen_from(foresight.start_time, now.tzinfo), tongue)
    end = foresight.end_time and since_when(seen_from(foresight.end_time, now.tzinfo), tongue)
    if end in (None, start):
        return start
    if foresight.start_time <= now:
        return f"{end}为止" if tongue == "zh" else f"until {end}"
    return f"{start}至{end}" if tongue == "zh" else f"{start} to {end}"
