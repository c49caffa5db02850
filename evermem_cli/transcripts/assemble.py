"""What all formats end with: messages as they stand in an export become a Transcript with roles and times."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, tzinfo

from evermem_cli.memory import ChatKind, Role, Transcript, Turn
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.source import Source
from evermem_cli.transcripts.speakers import cast, is_machinery
from evermem_cli.transcripts.times import Stamp, fill


@dataclass(slots=True)
class Draft:
    """A message as an export has it: who said it and when are still words. `role` only where stated beside a name."""

    label: str
    text: str
    stamp: Stamp | None = None
    role: Role | None = None
    external_id: str | None = None
    line: int | None = None


@dataclass(slots=True)
class Chat:
    """A conversation as an export has it. `day`, `zone` and `kind` are None where the export does not state them."""

    format: str
    drafts: list[Draft] = field(default_factory=list)
    key: str | None = None
    title: str = ""
    day: date | None = None
    zone: tzinfo | None = None
    kind: ChatKind | None = None


def transcripts(chat: Chat, source: Source) -> Iterator[Transcript]:
    """The Transcript of `chat`, or nothing if it has no message.

    Messages of the system and of tools, and those without text, are not conversation: they are left out and counted
    in `source.skipped`. A time that means nothing is reported and the message keeps the time of the one before.
    """
    drafts = [
        draft for draft in chat.drafts if draft.text and not draft.text.isspace() and not is_machinery(draft.label)
    ]
    source.skipped += len(chat.drafts) - len(drafts)
    if not drafts:
        return

    def refused(index: int, reason: str) -> None:
        source.problem(f"{reason}; the message keeps the time of the one before", drafts[index].line)

    options = source.options
    labels = list(dict.fromkeys((draft.label, draft.role) for draft in drafts))
    kind, parts = cast(labels, options.me, chat.kind)
    part_of = dict(zip(labels, parts, strict=True))
    day = options.date or chat.day or source.day
    times = fill([draft.stamp for draft in drafts], chat.zone or options.tz, day, refused)
    turns = []
    for draft, (sent_at, time_source) in zip(drafts, times, strict=True):
        speaker, role = part_of[draft.label, draft.role]
        turns.append(
            Turn(
                speaker=speaker,
                text=clean(draft.text).strip(),
                role=role,
                sent_at=sent_at,
                time_source=time_source,
                external_id=draft.external_id,
                line=draft.line,
            )
        )
    yield Transcript(format=chat.format, kind=kind, turns=tuple(turns), key=chat.key, title=clean(chat.title).strip())
