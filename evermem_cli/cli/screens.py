"""What people read in a terminal of what memory holds: one function per command, from nouns to what rich prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evermem_cli.cli.terminal import joined, label, styled
from evermem_cli.config import Settings, config_file
from evermem_cli.engines.catalog import Model
from evermem_cli.memory import (
    Accord,
    CellContents,
    Conversation,
    Digest,
    Episode,
    Evidence,
    Fact,
    Foresight,
    MemCell,
    Message,
    Mode,
    Scene,
    Status,
)

if TYPE_CHECKING:
    from evermem_cli.cli.lookups import Listing, Meaning
    from evermem_cli.recollection.generation.answers import Answer
    from evermem_cli.transcripts import Format

DIM = "dim"
LEAST_PART = 0.05  # of a score; less is not shown
SUFFICIENT = {None: "", True: " (enough)", False: " (not enough)"}
EXCERPT = 300  # characters of a message in a list; `show` prints all of it


def search(found: Sequence[Evidence], zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """Results, best first; with `explain` each tells why."""
    if not found:
        return styled("nothing found")
    return Group(*(_result(rank, evidence, zone, explain=explain) for rank, evidence in enumerate(found, start=1)))


def answer(said: Answer, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """What follows the streamed answer: its citations, with `explain` what it was read from and why."""
    if not explain:
        return _cited(said, zone)
    rounds = styled(
        "\n".join(f"searched for: {done.query}{SUFFICIENT[done.sufficient]}" for done in said.recollection.rounds)
    )
    return Group(
        _cited(said, zone),
        styled("\nread for this answer", style="bold"),
        rounds,
        search(said.recollection.seen, zone, explain=True),
    )


def _cited(said: Answer, zone: tzinfo) -> RenderableType:
    """Citations; without a model the evidence alone."""
    from evermem_cli.recollection.generation.phrasing import refuses

    if said.mode is Mode.LIGHT:
        return search(said.citations, zone)
    if not said.known:
        return styled("" if refuses(said.text) else "\n(no message supports this; take it as not known)")
    return Group(styled(""), *(_result(rank, evidence, zone) for rank, evidence in enumerate(said.citations, start=1)))


def listing(found: Listing, zone: tzinfo) -> RenderableType:
    """Memories of one kind."""
    if not found.items:
        return styled("none")
    return Group(*(_item(item, zone, found) for item in found.items))


def foresights(found: Listing, zone: tzinfo) -> RenderableType:
    """One line each, due first, fit for a login shell."""
    if not found.items:
        return styled("nothing expected")
    return Group(*(_item(item, zone) for item in found.items))


def digests(found: Listing, zone: tzinfo, *, dry_run: bool, undo: bool) -> RenderableType:
    """What is, or would be, summed up, or is no longer."""
    if not found.items:
        return styled("no digests" if undo else "nothing to sum up")
    told = {False: "made", True: "taken away"}[undo]
    count = f"{len(found.items)} digest{'s' * (len(found.items) > 1)} {'would be ' * dry_run}{told}"
    return Group(listing(found, zone), styled(count))


def contents(found: Sequence[CellContents], zone: tzinfo) -> RenderableType:
    """MemCells with everything: messages, episodes, facts, foresights."""
    return Group(*(_contents(each, zone) for each in found))


def status(found: Status, db: Path) -> RenderableType:
    """Counts, and what is still to do."""
    rows = table(str(db), "")
    for name, count in found.counts.items():
        rows.add_row(name, str(count))
    rows.add_row("size", f"{db.stat().st_size / 1e6:.1f} MB")
    rows.add_row("embedder", found.embedder)
    waiting = f"{found.pending} cells wait for the language model ({found.failed} failed before): evermem enrich"
    return Group(rows, styled(waiting)) if found.pending else rows


def when(meant: Meaning) -> RenderableType:
    """The interval, or the phrases found in a sentence."""
    if meant.interval is not None:
        return styled(f"{meant.phrase}: {_interval(meant.interval.start, meant.interval.end)} ({meant.interval.grain})")
    if not meant.spans:
        return styled(f"{meant.phrase}: not understood as a time")
    return Group(
        *(
            styled(f"{span.text}: {_interval(span.interval.start, span.interval.end)} ({span.interval.grain})")
            for span in meant.spans
        )
    )


def formats(known: Sequence[Format]) -> RenderableType:
    """Each format with what it is and, below, how to get it."""
    return Group(
        *(
            Group(
                joined((each.name, "bold"), "  ", each.summary),
                Padding(styled(each.steps), (0, 0, 0, 4), expand=False),
            )
            for each in sorted(known, key=lambda each: each.name)
        ),
        styled("detected by content; `evermem ingest --format NAME` overrules"),
    )


def config(settings: Settings) -> RenderableType:
    """Every setting with its value and meaning."""
    rows = table("setting", "value", "meaning")
    for each in fields(settings):
        value = getattr(settings, each.name)
        shown = ", ".join(f"{name} {part}" for name, part in value.items()) if isinstance(value, dict) else str(value)
        rows.add_row(each.name, shown, each.metadata["description"])
    return Group(rows, styled(f"change them in {config_file()} or as EVERMEM_… in the environment"))


def models(known: Sequence[tuple[Model, bool]]) -> RenderableType:
    """What evermem knows, and what is here."""
    rows = table("name", "here", "size", "what")
    for model, present in known:
        rows.add_row(model.name, "yes" if present else "no", f"{model.size / 1e6:,.0f} MB", model.description)
    return rows


def _result(rank: int, evidence: Evidence, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    who = f"{evidence.speaker}, " if evidence.speaker else f"{evidence.kind}, "
    head = styled(f"[{rank}] ") + label(f"{who}{day(evidence.said_at, zone)}", style="bold")
    head += label(f" · {evidence.conversation} · {evidence.id}", style=DIM)
    if evidence.invalid_at:
        head += styled(f" · until {day(evidence.invalid_at, zone)}", style=DIM)
    body = styled(excerpt(evidence.text))
    if explain:
        body += styled(f"\n{_why(evidence)}", style=DIM)
    return Group(head, Padding(body, (0, 0, 0, 4), expand=False))


def _why(evidence: Evidence) -> str:
    """The parts of a result's score that are not nothing, largest first."""
    if evidence.why is None:
        return "stands beside a result"
    parts = sorted(evidence.why.parts.items(), key=lambda part: -abs(part[1]))
    told = ", ".join(f"{name} {value:+.1f}" for name, value in parts if abs(value) >= LEAST_PART)
    scene = f"; scene {evidence.scene}" if evidence.scene else ""
    ranks = f"rank {evidence.why.rank_by_words} by words, {evidence.why.rank_by_meaning} by meaning"
    return f"{evidence.kind}, {ranks}; score {evidence.score:.1f} = {told}{scene}"


def _item(
    item: MemCell | Episode | Fact | Foresight | Conversation | Scene | Digest,
    zone: tzinfo,
    known: Listing | CellContents | None = None,
) -> RenderableType:
    """A memory in a line, with what is `known` of how strong and how sure it is."""
    match item:
        case MemCell():
            note = f"{len(item.messages)} messages, {item.boundary_reason}, {item.extraction}"
            return entry(
                item.event_id, item.summary or ", ".join(item.participants), f"{day(item.start_at, zone)}, {note}"
            )
        case Episode():
            return entry(item.id, f"{item.subject}: {item.episode}", (item.user_id or "group") + _left(item, known))
        case Fact():
            return entry(item.id, item.atomic_fact, _span(item.valid_at, item.invalid_at, zone) + _left(item, known))
        case Foresight():
            return entry(item.id, item.foresight, _span(item.start_time, item.end_time, zone) + _left(item, known))
        case Scene():
            return entry(item.scene_id, f"{item.theme}: {item.summary}", f"{len(item.memcell_ids)} topics")
        case Digest():
            days = _span(item.start_at, item.said_at, zone)
            note = f"{len(item.memcell_ids)} topics, {days}" + _left(item, known)
            lines = (Padding(styled(line), (0, 0, 0, 4), expand=False) for line in item.digest.splitlines())
            return Group(entry(item.id, item.subject, note), *lines)
        case Conversation():
            return entry(item.id, item.title or item.key, f"{item.kind}, {item.format}")


def _left(item: Episode | Fact | Foresight | Digest, known: Listing | CellContents | None) -> str:
    """How strong a memory is where it is not as new, and which facts speak for or against it."""
    if known is None or item.id not in known.strengths:
        return ""
    strength, accord = known.strengths[item.id], known.accords.get(item.id, Accord())
    fresh = not strength.access_count and round(strength.strength, 2) == 1
    told = "" if fresh else f", strength {strength.strength:.2f}"
    told += f", shown {strength.access_count}×" if strength.access_count else ""
    told += ", archived" if strength.archived else ""
    told += f", confirmed by {' '.join(accord.confirmed_by)}" if accord.confirmed_by else ""
    return told + (f", ended by {' '.join(accord.ended_by)}" if accord.ended_by else "")


def entry(name: str, text: str, note: str) -> Text:
    return styled(f"{name}  ", style=DIM) + styled(text, style="default") + styled(f"  ({note})", style=DIM)


def _contents(found: CellContents, zone: tzinfo) -> RenderableType:
    parts: list[RenderableType] = [_item(found.cell, zone), *(_said(message, zone) for message in found.cell.messages)]
    for title, items in (("episodes", found.episodes), ("facts", found.facts), ("foresights", found.foresights)):
        if items:
            parts += [
                styled(title, style="bold"),
                *(Padding(_item(item, zone, found), (0, 0, 0, 2), expand=False) for item in items),
            ]
    return Group(*parts, styled(""))


def _said(message: Message, zone: tzinfo) -> RenderableType:
    moment = f"{message.said_at.astimezone(zone):%Y-%m-%d %H:%M} "
    return Padding(
        styled(moment, style=DIM) + label(f"{message.speaker}: ", style="bold") + styled(message.text),
        (0, 0, 0, 2),
        expand=False,
    )


def table(*headings: str) -> Table:
    rows = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        numeric = heading in ("chats", "messages", "new", "edited", "gone", "cells")
        rows.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    return rows


def day(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %Y}"


def _span(start: datetime | None, end: datetime | None, zone: tzinfo) -> str:
    begin = day(start, zone) if start else "…"
    return f"{begin} to {day(end, zone)}" if end else f"since {begin}" if start else "always"


def _interval(start: datetime | None, end: datetime | None) -> str:
    return f"{start.isoformat() if start else '…'} to {end.isoformat() if end else '…'}"


def excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
