"""The last step of all formats: messages as exported become a Transcript with roles and times."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo

from evermem_cli.memory import ChatKind, Role, TimeSource, Transcript, Turn
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.source import Source
from evermem_cli.transcripts.speakers import cast, is_machinery
from evermem_cli.transcripts.times import Stamp, StampReader, fill, is_undated

MACHINERY = "of the system or of tools"
NO_TIME = "the message has the time of the one before, else of the next one with a time"
APP = "written by the app itself"  # notices of calls and joins, omitted media


@dataclass(slots=True)
class MessageDraft:
    """A message as exported: speaker and time are still text.

    `role` only where it is stated beside a name; `is_edited` is that of the Turn.
    """

    label: str
    text: str
    stamp: Stamp | None = None
    role: Role | None = None
    external_id: str | None = None
    line: int | None = None
    is_edited: bool = False


@dataclass(slots=True)
class Chat:
    """A conversation as exported. `day`, `zone` and `kind` are None where the export does not state them.

    `guesses` lists what its reader inferred, in a few words each; `is_gone` and `is_same` are those of the
    Transcript.
    """

    format: str
    drafts: list[MessageDraft] = field(default_factory=list)
    key: str | None = None
    title: str = ""
    day: date | None = None
    zone: tzinfo | None = None
    kind: ChatKind | None = None
    guesses: list[str] = field(default_factory=list)
    is_gone: Callable[[str], bool] | None = None
    is_same: Callable[[str, str], bool] | None = None


def assemble(chat: Chat, source: Source) -> Iterator[Transcript]:
    """The Transcript of `chat`; nothing if it has no message.

    Messages of the system and of tools, and messages without text, are left out and counted. An invalid time is
    reported, and the message has the time that `fill` gives one without a time.
    """
    for draft in chat.drafts:
        draft.label = clean(draft.label).strip()
    drafts = [draft for draft in chat.drafts if _is_said(draft, source)]
    if not drafts:
        return

    def refused(index: int, reason: str) -> None:
        source.problem(f"{reason}; {NO_TIME}", drafts[index].line)
        drafts[index].stamp = None

    options = source.options
    labels = list(dict.fromkeys((draft.label, draft.role) for draft in drafts))
    kind, parts = cast(labels, options.me, chat.kind)
    part_of = dict(zip(labels, parts, strict=True))
    day = options.date or chat.day or source.day
    timeline = StampReader(chat.zone or options.tz, day, options.date_order)
    times = fill([draft.stamp for draft in drafts], timeline, refused)
    turns = []
    for draft, (sent_at, time_source) in zip(drafts, times, strict=True):
        part = part_of[draft.label, draft.role]
        turns.append(
            Turn(
                speaker=part.name,
                text=clean(draft.text).strip(),
                role=part.role,
                unnamed=part.unnamed,
                is_edited=draft.is_edited,
                sent_at=sent_at,
                time_source=time_source,
                external_id=clean(draft.external_id or "") or None,
                line=draft.line,
            )
        )
    yield Transcript(
        format=chat.format,
        kind=kind,
        turns=tuple(turns),
        key=clean(chat.key or "") or None,
        title=clean(chat.title).strip(),
        guesses=(*chat.guesses, *_guesses(chat, drafts, turns, source)),
        is_gone=chat.is_gone,
        is_same=chat.is_same,
    )


def _is_said(draft: MessageDraft, source: Source) -> bool:
    """Whether somebody says something in the message. Other messages are counted as left out."""
    if is_machinery(draft.label):
        source.skip(MACHINERY)
    elif not clean(draft.text).strip():
        source.skip("without text")
    elif not draft.label:
        source.problem("a message without a sender", draft.line)
    else:
        return True
    return False


def _guesses(chat: Chat, drafts: Sequence[MessageDraft], turns: Sequence[Turn], source: Source) -> Iterator[str]:
    """What was assumed about times that neither the export nor the user states."""
    options = source.options
    if not (options.date or chat.day) and all(is_undated(draft.stamp) for draft in drafts):
        yield f"the chat has no date: {source.day} is {source.day_origin} (--date sets another)"
    naive = next((turn for turn in turns if turn.time_source is TimeSource.ASSUMED), None)
    if naive and not options.tz_named and chat.zone is None:
        yield f"times without a zone are in your system's, {naive.sent_at.tzname()} (--tz)"
