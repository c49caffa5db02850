"""What was arranged for one day, and is on another now.

No message says of itself that it is out of date: "Flights changed to Friday 13 June" moves what was told of the flights
in that chat before, and whatever else was told of the same day there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from evermem_cli.language import language
from evermem_cli.memory import Evidence, Filter, Message
from evermem_cli.recollection.changes import CUES, Change, Told, change_told, days_told, topic
from evermem_cli.recollection.dated import DAY, days_of
from evermem_cli.recollection.form import Form, form_of
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.passages import SITTING
from evermem_cli.recollection.question import WANTS_TIME
from evermem_cli.recollection.search import messages_of
from evermem_cli.store import Searcher
from evermem_cli.timespan import Interval

# What keeps its day, whatever is moved that was to be on the same one.
_OWN_DAY = re.compile(
    r"\b(?:birthday|wedding|exam|interview|dentist|doctor|operation|surgery|deadline|race|marathon|funeral)\b"
    r"|生日|婚礼|考试|面试|手术|比赛|截止",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(r"什么时候|何时|哪天|几号|几月|[的是在到来去了我你他她们吗呢要会]")
_REACH = 8  # messages around a change, that may have named what is moved, or how long it is
_LONG_BEFORE = timedelta(days=365)  # what is moved may have been told that long before the results
_BEST = 5  # results that may tell the day that is asked for
_MOVED = {"en": "moved from", "zh": "原定"}

Day = tuple[str, date]  # a conversation, and a day that was told in it


@dataclass(frozen=True, slots=True)
class Move:
    """What was told, and when it is now by the last message that changed it."""

    told: Told
    now: Interval
    change: Message


@dataclass(frozen=True, slots=True)
class _Step:
    """The days that a message moved, the day that it told instead, and how long that was said to last."""

    days: frozenset[Day]
    to: Told
    whole: Interval


def moves(question: str, found: Sequence[Evidence], reader: Searcher, where: Filter, now: datetime) -> list[Move]:
    """What of the results was moved by then, where the question is for a time."""
    told = list(days_told(messages_of(found)))
    if not told or where.user_id is None or not WANTS_TIME.search(question):
        return []
    until = min(where.known_at or now, now)
    changes = _changes(told, reader, where.user_id, until)
    if not changes:
        return []
    around = reader.neighbours([each.message.id for each in changes], _REACH)
    words = "|".join(sorted(re.escape(word) for each in changes for word in topic(each.message.text)))
    since = min(each.message.said_at for each in told) - _LONG_BEFORE
    alike = reader.saying(words, where.user_id, [(since, until)]) if words else []
    pool = {(each.message.id, each.start): each for each in (*told, *days_told(alike))}
    steps: list[_Step] = []
    for change in changes:
        sitting = [each for each in around.values() if _in_sitting(each, change.message)]
        if meant := _moved_by(change, list(pool.values()), sitting):
            step = _step(change, meant, sitting)
            gone = [move for each in meant if (move := _followed(each, steps))]
            days = {(each.change.conversation_id, _start(each.now) or date.min) for each in gone}
            steps.append(replace(step, days=step.days | days))
            pool[step.to.message.id, step.to.start] = step.to
    return [move for each in told if (move := _followed(each, steps))]


def _changes(told: Sequence[Told], reader: Searcher, user_id: str, until: datetime) -> list[Change]:
    """What was put on another day until then, by when it was said, while something that was told was to come.

    What was put on a day may be put on another one again.
    """
    changes: dict[str, Change] = {}
    ahead = [_until_over(each, until) for each in told]
    while ahead:
        said = (change_told(message) for message in reader.saying(CUES, user_id, ahead))
        new = {change.message.id: change for change in said if change and change.message.id not in changes}
        changes |= new
        ahead = [_until_over(change.told, until) for change in new.values() if change.told]
    return sorted(changes.values(), key=lambda each: (each.message.said_at, each.message.ordinal))


def _until_over(told: Told, until: datetime) -> tuple[datetime, datetime]:
    return told.message.said_at, min(told.interval.end or told.message.said_at, until)


def answer(question: str, found: Sequence[Evidence], moved: Sequence[Move]) -> Note | None:
    """When it is, and was to be, where the best result that tells of what is asked for was moved, or moved it."""
    if form_of(question) is not Form.DATE:
        return None
    asked = (each for each in days_told(messages_of(found[:_BEST])) if _is_asked(question, each))
    told = next(asked, None)
    meant = [each for each in moved if told and _is_of(told, each)]
    meant.sort(key=lambda each: _is_asked(question, each.told), reverse=True)
    return _note(question, meant[0]) if meant else None


def remarks(moved: Sequence[Move]) -> dict[str, str]:
    """What the reader is told of messages that are out of date, by their ids."""
    return {each.told.message.id: _remark(each) for each in moved}


def _in_sitting(message: Message, change: Message) -> bool:
    return message.conversation_id == change.conversation_id and abs(message.said_at - change.said_at) <= SITTING


def _moved_by(change: Change, pool: Sequence[Told], sitting: Sequence[Message]) -> list[Told]:
    """What a change moves of all that was told: of one day, told last of those that it may mean."""
    at = change.message.local_time
    open_then = [
        each
        for each in pool
        if each.message.said_at < change.message.said_at
        and at.date() <= each.start
        and change.instead_of in (None, each.start)
        and (change.told is None or change.told.start != each.start)
    ]
    here = [each for each in open_then if each.message.conversation_id == change.message.conversation_id]
    own = [each for each in open_then if each.message.user_id == change.message.user_id]
    words = topic(change.message.text)
    before = set().union(*(topic(each.text) for each in sitting if each.ordinal < change.message.ordinal))
    meant = [each for each in here if words & topic(each.text)] or [each for each in own if words & topic(each.text)]
    meant = meant or [each for each in here if before & topic(each.text)]
    if change.instead_of and not meant:
        meant = here or [each for each in open_then if words & topic(f"{each.message.speaker} {each.text}")]
    last = max(meant, key=lambda each: each.message.said_at, default=None)
    return [each for each in meant if last and each.start == last.start]


def _step(change: Change, meant: Sequence[Told], sitting: Sequence[Message]) -> _Step:
    """The new day, and all the days that somebody told in the same sitting to begin on it."""
    days = frozenset((each.message.conversation_id, each.start) for each in meant)
    if change.told is None:
        interval = _later(meant[-1].interval, change.step)
        return _Step(days, Told(change.message, _start(interval) or date.min, interval, change.message.text), interval)
    same = [each for each in days_told(sitting) if each.start == change.told.start]
    longest = max((change.told, *same), key=lambda each: _length(each.interval))
    return _Step(days, change.told, longest.interval)


def _later(interval: Interval, step: relativedelta | None) -> Interval:
    if step is None or interval.start is None or interval.end is None:
        return interval
    return Interval(interval.start + step, interval.end + step, interval.grain)


def _length(interval: Interval) -> timedelta:
    return interval.end - interval.start if interval.start and interval.end else timedelta()


def _followed(told: Told, steps: Sequence[_Step]) -> Move | None:
    """A thing told through all that moved it, in order; what was to last for days lasts for as many as were told."""
    day, last = (told.message.conversation_id, told.start), None
    for step in steps:
        if day in step.days and step.to.message.said_at > told.message.said_at and _may_move(told, step.to):
            day, last = (step.to.message.conversation_id, step.to.start), step
    if last is None:
        return None
    return Move(told, last.whole if _length(told.interval) > DAY else last.to.interval, last.to.message)


def _may_move(told: Told, to: Told) -> bool:
    own = _OWN_DAY.search(told.text)
    return not own or own[0].casefold() in to.message.text.casefold()


def _is_asked(question: str, told: Told) -> bool:
    """Whether it speaks of what the question asks for; a speaker who is named need not say the name."""
    bare = _ASKS_ZH.sub(" ", question)
    names = topic(told.message.speaker)
    asked = topic(bare)
    return bool(asked & topic(told.text)) or (bool(asked) and asked <= names)


def _is_of(told: Told, move: Move) -> bool:
    """Whether it is what was moved, or what moved it."""
    if told.message.id == move.told.message.id:
        return told.start == move.told.start
    return told.message.id == move.change.id and told.start == _start(move.now)


def _start(interval: Interval) -> date | None:
    return interval.start.date() if interval.start else None


def _note(question: str, move: Move) -> Note:
    tongue = language(question)
    now, was = days_of(move.now, tongue), days_of(move.told.interval, tongue)
    text = f"{now}（{_MOVED['zh']}{was}）" if tongue == "zh" else f"{now} ({_MOVED['en']} {was})"
    return Note(text, (move.told.message.id, move.change.id), {}, text)


def _remark(move: Move) -> str:
    tongue = language(move.told.message.text)
    return f"（改到{days_of(move.now, tongue)}）" if tongue == "zh" else f" (moved to {days_of(move.now, tongue)})"
