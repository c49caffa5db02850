"""Corrections: a statement of the user replaces a wrong memory, is stored as a message, and guides later reading."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from evermem_cli import timespan
from evermem_cli.config import Settings
from evermem_cli.consolidation.corrections import struck_ids
from evermem_cli.engines import Embedder
from evermem_cli.formation.foresights import Window, edges
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.formation.rows import stated_times
from evermem_cli.formation.segment import BoundaryReason
from evermem_cli.intake.identity import conversation_of_key
from evermem_cli.memory import (
    Action,
    ActionKind,
    Assertion,
    ChatKind,
    Conversation,
    Correction,
    Episode,
    Fact,
    Foresight,
    MemCell,
    Message,
    Policy,
    Role,
    Tier,
    Time,
    Traces,
    content_id,
)
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.repair.understanding import refuse_other_kinds
from evermem_cli.store import Searcher, Store
from evermem_cli.timespan import Interval

KEY, TITLE, FORMAT = "corrected-by-me", "Corrected by you", "evermem"
_ANY_YEAR = 2000  # a leap year, so that it has every day
MODEL = "user"  # recorded as the model of the memory that a correction creates
Wrong = Fact | Foresight | Assertion | Episode
KINDS: dict[type[Wrong], str] = {Fact: "fact", Foresight: "foresight", Assertion: "assertion", Episode: "episode"}


@dataclass(frozen=True, slots=True)
class Correcting:
    """Replaces a fact, foresight, assertion or an episode's title with what the user states.

    `derive` reads the statement and derives what follows from it.
    """

    store: Store
    embedder: Embedder
    settings: Settings
    speaker: str
    tagger: Tagger
    derive: Callable[[], None]

    def correct(self, prefix: str, stated: str, now: datetime) -> Correction:
        """Corrects the memory whose id begins with the prefix; returns what was wrong and what is right.

        A correction that is stored already, because its command was killed, is completed. Raises UsageError where no
        such memory exists, it cannot be corrected or the words say nothing of its kind, StoreError, StoreBusy.
        """
        self.store.refuse_agent()
        with self.store.read() as reader:
            name = reader.corrections.resolved(prefix, self.settings.user)
        if known := self._known(name, stated):
            self.derive()
            return known
        with self.store.read() as reader:
            wrong = reader.corrections.correctable(name, self.settings.user)
            correction = self._correction(wrong, stated, reader.sources.behind(wrong.id), now)
            tier = self._tier(reader, wrong)
            struck = self._struck(reader, correction)
        if isinstance(wrong, Episode):
            self._retitle(replace(wrong, subject=stated), correction)
        else:
            self._replace(wrong, correction, struck, tier)
        self.derive()
        return correction

    def _known(self, name: str, stated: str) -> Correction | None:
        with self.store.read() as reader:
            made = reader.corrections.of(self.settings.user)
        return next(
            (correction for correction in made if correction.memory_id == name and correction.stated == stated),
            None,
        )

    def _correction(self, wrong: Wrong, stated: str, message_ids: tuple[str, ...], now: datetime) -> Correction:
        made = content_id("correction", wrong.id, stated)
        chat = conversation_of_key(KEY, self.settings.user)
        return Correction(
            id=made,
            memory_id=wrong.id,
            kind=KINDS[type(wrong)],
            user_id=wrong.user_id or "",
            attribute=wrong.attribute if isinstance(wrong, Assertion) else "",
            wrong=_said(wrong),
            stated=stated,
            valid_at=_begun(wrong),
            message_ids=message_ids,
            statement_id=None if isinstance(wrong, Episode) else content_id("msg", chat, made),
            corrected_at=now.astimezone(UTC),
        )

    def _struck(self, reader: Searcher, correction: Correction) -> set[str]:
        """The facts and foresights that state what was wrong."""
        cells = reader.topics.ids_of_messages(correction.message_ids)
        return struck_ids([*reader.topics.facts(cells), *reader.topics.foresights(cells)], [correction])

    def _tier(self, reader: Searcher, wrong: Wrong) -> Tier | None:
        """The privacy tier of the wrong memory; None where anybody may see it."""
        tier = reader.records.strictest(wrong.id, self.settings.privacy)
        return None if tier is Tier.PUBLIC else tier

    def _retitle(self, episode: Episode, correction: Correction) -> None:
        vectors = self.embedder.embed([episode.search_text])
        with self.store.write() as writer:
            writer.actions.begin(Action(kind=ActionKind.CORRECT))
            writer.actions.keep([episode.id])
            writer.corrections.put_correction(correction, None)
            writer.corrections.retitle(episode, vectors)

    def _replace(
        self, wrong: Fact | Foresight | Assertion, correction: Correction, struck: set[str], tier: Tier | None
    ) -> None:
        conversation = self._conversation()
        with self.store.read() as reader:
            ordinal = (
                len(reader.chats.places(conversation.id)) + len(reader.chats.forgotten_places(conversation.id)) + 1
            )
        message = self._message(conversation, correction, ordinal)
        cell = cell_of(conversation, message)
        if isinstance(wrong, Assertion):
            refuse_other_kinds(correction, cell, self.tagger, self.settings.condition_days)
        traces = _right(wrong, correction, cell)
        pieces = spoken_pieces(message, None)
        vectors = self.embedder.embed([*pieces, *(memory.search_text for memory in traces.memories)])
        with self.store.write() as writer:
            writer.actions.begin(Action(kind=ActionKind.CORRECT))
            writer.actions.keep([*struck])
            writer.corrections.strike(struck)
            writer.actions.note_added([message.id])
            writer.chats.add_conversation(conversation)
            writer.chats.add_messages([message], [len(pieces)], vectors[: len(pieces)])
            writer.topics.put_new_cells([cell])
            writer.topics.put_traces([(cell, traces)], vectors[len(pieces) :], MODEL)
            writer.corrections.put_correction(correction, tier)

    def _conversation(self) -> Conversation:
        name = conversation_of_key(KEY, self.settings.user)
        return Conversation(
            id=name,
            key=KEY,
            title=TITLE,
            kind=ChatKind.ASSISTANT,
            format=FORMAT,
            group_id=KEY,
            user_id=self.settings.user,
        )

    def _message(self, conversation: Conversation, correction: Correction, ordinal: int) -> Message:
        return Message(
            id=str(correction.statement_id),
            conversation_id=conversation.id,
            ordinal=ordinal,
            external_id=str(ordinal),
            speaker=self.speaker,
            user_id=self.settings.user,
            role=Role.USER,
            text=correction.stated,
            said_at=correction.corrected_at,
        )


def _begun(wrong: Wrong) -> Time | None:
    """When what the wrong memory tells begins; None where it tells no time."""
    match wrong:
        case Episode():
            return None
        case Foresight():
            return wrong.start_time
        case _:
            return wrong.valid_at


def _said(wrong: Wrong) -> str:
    """The text of the wrong memory that is to be replaced."""
    match wrong:
        case Assertion():
            return wrong.value
        case Episode():
            return wrong.subject
        case _:
            return wrong.search_text


def cell_of(conversation: Conversation, message: Message) -> MemCell:
    """A topic of its own for the statement, independent of what was said before and after."""
    return MemCell(
        event_id=content_id("cell", message.id),
        conversation_id=conversation.id,
        group_id=conversation.group_id,
        kind=conversation.kind,
        messages=(message,),
        boundary_reason=BoundaryReason.TOPIC.value,
        open=False,
        policy=Policy.ALL,
    )


def _right(wrong: Fact | Foresight | Assertion, correction: Correction, cell: MemCell) -> Traces:
    """The memory that replaces the wrong one. Its times are those in the statement, else those of the wrong memory.

    An assertion is derived from the statement itself.
    """
    [message] = cell.messages
    period = _period(correction.stated, message.local_time, wrong.said_at)
    match wrong:
        case Assertion():
            return Traces(summary="")
        case Fact():
            return Traces(summary="", facts=(_fact(wrong, correction.stated, cell, period),))
        case Foresight():
            return Traces(summary="", foresights=(_foresight(wrong, correction.stated, cell, period),))


def _period(stated: str, now: datetime, said_at: datetime) -> tuple[Interval, datetime] | None:
    """The period that a correction states, and when that was said: "23 May" is in the year that the wrong memory's
    message meant.
    """
    asked = said_at.astimezone(now.tzinfo)
    today, then = (timespan.validity(stated, at) for at in (now, asked))
    starts = [interval.start.replace(year=_ANY_YEAR) for interval in (today, then) if interval and interval.start]
    if then and starts and starts[1:] == starts[:1]:
        return then, asked
    return (today, now) if today else None


def _fact(wrong: Fact, stated: str, cell: MemCell, period: tuple[Interval, datetime] | None) -> Fact:
    [message] = cell.messages
    begun, ended = stated_times(stated, *period) if period else (wrong.valid_at, wrong.invalid_at)
    return Fact(
        id=content_id("fact", cell.event_id, message.id, stated),
        atomic_fact=stated,
        speaker=message.speaker,
        user_id=wrong.user_id,
        group_id=cell.group_id,
        parent_type="memcell",
        parent_id=cell.event_id,
        said_at=message.said_at,
        valid_at=begun,
        invalid_at=ended,
        confidence=1.0,
        message_ids=(message.id,),
    )


def _foresight(wrong: Foresight, stated: str, cell: MemCell, period: tuple[Interval, datetime] | None) -> Foresight:
    [message] = cell.messages
    window = Window(start=wrong.start_time, end=wrong.end_time, duration_type=wrong.duration_type)
    if period and period[0].start:
        start, end = edges(*period)
        window = Window(start=start, end=end, duration_type="fixed" if end else wrong.duration_type)
    return Foresight(
        id=content_id("foresight", cell.event_id, message.id, stated),
        foresight=stated,
        evidence=stated,
        user_id=wrong.user_id,
        start_time=window.start,
        end_time=window.end,
        duration_days=window.duration_days,
        duration_type=window.duration_type,
        confidence=1.0,
        parent_type="memcell",
        parent_id=cell.event_id,
        said_at=message.said_at,
        message_ids=(message.id,),
    )
