"""Screens for memory: one function per command, from nouns to rich renderables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.filesize import decimal
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from evermem_cli.cli.presentation.listings import item
from evermem_cli.cli.shared.formatting import DIM, TOPICS, counted, day, excerpt
from evermem_cli.cli.shared.terminal import Fitting, joined, label, styled
from evermem_cli.config import Settings, config_file
from evermem_cli.config.values import toml_key, toml_value
from evermem_cli.engines.catalog import Model
from evermem_cli.memory import (
    CellContents,
    Evidence,
    Message,
    Mode,
    SearchResults,
    Status,
)
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.cli.lookups.memories import PhraseMeaning
    from evermem_cli.recollection.generation.answers import Answer
    from evermem_cli.transcripts import Format

LEAST_PART = 0.05  # parts of a score below this are not shown
BY_MEANING = "no memory has a word of the query; these are nearest in meaning"
SUFFICIENT = {None: "", True: " (enough)", False: " (not enough)"}


def search(results: SearchResults, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """Results, best first; `explain` adds why each was chosen."""
    return _evidence(results.items, zone, explain=explain, by_meaning_only=results.by_meaning_only)


def answer(said: Answer, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """What follows the streamed answer: its citations, and with `explain` what was read and why."""
    if not explain:
        return _cited(said, zone)
    rounds = styled(
        "\n".join(f"searched for: {done.query}{SUFFICIENT[done.sufficient]}" for done in said.recollection.rounds)
    )
    return Group(
        _cited(said, zone),
        styled("\nread for this answer", style="bold"),
        rounds,
        _evidence(said.recollection.seen, zone, explain=True),
    )


def _cited(said: Answer, zone: tzinfo) -> RenderableType:
    """Citations; without a model the evidence alone."""
    from evermem_cli.recollection.generation.phrasing import refuses

    if said.mode is Mode.LIGHT and not said.text:
        return _evidence(said.citations, zone, by_meaning_only=said.recollection.is_by_meaning_only)
    if not said.known:
        return styled("" if refuses(said.text) else "\n(no message supports this; take it as not known)")
    return Group(styled(""), *(_result(rank, evidence, zone) for rank, evidence in enumerate(said.citations, start=1)))


def contents(cells: Sequence[CellContents], zone: tzinfo) -> RenderableType:
    """MemCells with everything: messages, episodes, facts, foresights."""
    return Group(*(_contents(cell, zone) for cell in cells))


def status(counts: Status, db: Path, failure: str = "") -> RenderableType:
    """Counts, what is still to be done, and a failure that nobody saw."""
    rows = Table.grid(padding=(0, 2))
    for name, count in counts.counts.items():
        rows.add_row(TOPICS.get(name, name), str(count))
    rows.add_row("size", decimal(db.stat().st_size))
    rows.add_row("embedder", counts.embedder)
    left = f"{work_left(counts)}: evermem enrich" if counts.pending else ""
    return Group(label(str(db), "bold"), rows, *map(styled, filter(None, (left, failure))))


def work_left(counts: Status) -> str:
    """How many topics wait to be formed, how many for the language model, and at how many it failed; "" for none."""
    parts = {
        "not formed yet": counts.unformed,
        "left for the language model": counts.pending - counts.unformed,
    }
    failed = f" ({counts.failed} failed before)" if counts.failed else ""
    return ", ".join(f"{counted(count, 'topics')} {what}" for what, count in parts.items() if count) + failed


def when(meaning: PhraseMeaning) -> RenderableType:
    """The interval, or the phrases found in a sentence."""
    if meaning.interval is not None:
        return styled(
            f"{meaning.phrase}: {_interval(meaning.interval.start, meaning.interval.end)} ({meaning.interval.grain})"
        )
    if not meaning.spans:
        return styled(f"{meaning.phrase}: not understood as a time")
    return Group(
        *(
            styled(f"{span.text}: {_interval(span.interval.start, span.interval.end)} ({span.interval.grain})")
            for span in meaning.spans
        )
    )


def formats(known: Sequence[Format]) -> RenderableType:
    """Each format with its description and, below it, how to get it."""
    rows = Table.grid(padding=(0, 2))
    for chat_format in sorted(known, key=lambda chat_format: chat_format.name):
        rows.add_row(styled(chat_format.name, "bold"), styled(f"{chat_format.summary}\n{chat_format.steps}"))
    return Group(rows, styled("evermem detects the format by content; `evermem ingest --format NAME` overrules that"))


def config(settings: Settings) -> RenderableType:
    """Every setting as the config file has it, tables last, and below each its meaning, indented."""
    options = sorted(settings.options(), key=lambda option: isinstance(getattr(settings, option.name), dict))
    return Group(
        *(
            _below(_setting(option.name, getattr(settings, option.name)), option.metadata["description"])
            for option in options
        ),
        styled(f"change them in {config_file()} or as EVERMEM_… in the environment"),
    )


def models(known: Sequence[tuple[Model, bool | None]]) -> RenderableType:
    """The known models, and which are installed: in a table, or below each other where the table does not fit."""
    rows, entries = table("name", "here", "size", "what"), list[RenderableType]()
    for model, present in known:
        here, size = "?" if present is None else "yes" if present else "no", f"{model.size / 1e6:,.0f} MB"
        rows.add_row(model.name, here, size, model.description)
        entries.append(_below(joined((model.name, "bold"), f"  here: {here}, {size}"), model.description))
    return Fitting(rows, Group(*entries))


def _setting(name: str, value: object) -> Text:
    """A setting as the config file has it: on one line, or a table with a line for each entry."""
    if not isinstance(value, dict):
        return joined((name, "bold"), f" = {one_line(toml_value(value))}")
    entries = (f"\n{one_line(f'{toml_key(key)} = {toml_value(part)}')}" for key, part in value.items())
    return joined((f"[{name}]", "bold"), "".join(entries))


def _below(head: Text, body: str) -> RenderableType:
    return Group(head, Padding(styled(body), (0, 0, 0, 4), expand=False))


def _evidence(
    results: Sequence[Evidence], zone: tzinfo, *, explain: bool = False, by_meaning_only: bool = False
) -> RenderableType:
    if not results:
        return styled("nothing found")
    shown = (_result(rank, evidence, zone, explain=explain) for rank, evidence in enumerate(results, start=1))
    return Group(*([styled(BY_MEANING, style=DIM)] if by_meaning_only else []), *shown)


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
    """The parts of a result's score that are not negligible, largest first."""
    if evidence.why is None:
        return "said next to a result"
    parts = sorted(evidence.why.parts.items(), key=lambda part: -abs(part[1]))
    shares = ", ".join(f"{name} {value:+.1f}" for name, value in parts if abs(value) >= LEAST_PART)
    scene = f"; scene {evidence.scene}" if evidence.scene else ""
    by_words = f", {evidence.why.rank_by_words} by words" if evidence.why.rank_by_words else ", no word of the query"
    ranks = f"rank {evidence.why.rank_by_meaning} by meaning{by_words}"
    return f"{evidence.kind}, {ranks}; score {evidence.score:.1f} = {shares}{scene}"


def _contents(known: CellContents, zone: tzinfo) -> RenderableType:
    parts: list[RenderableType] = [item(known.cell, zone), *(_said(message, zone) for message in known.cell.messages)]
    for title, items in (("episodes", known.episodes), ("facts", known.facts), ("foresights", known.foresights)):
        if items:
            parts += [
                styled(title, style="bold"),
                *(Padding(item(entry, zone, known), (0, 0, 0, 2), expand=False) for entry in items),
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
        numeric = heading in ("chats", "messages", "new", "edited", "gone", "topics")
        rows.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    return rows


def _interval(start: datetime | None, end: datetime | None) -> str:
    """From when to when: "11 December 2026", "1 May 2026 to 31 May 2026", "1 May 2026, 18:00 to 2 May 2026, 00:00"."""
    bounds = [moment for moment in (start, end) if moment]
    is_of_days = all(moment.time() == time.min for moment in bounds)
    last = end - timedelta(microseconds=1) if end and is_of_days else end
    form = "%B %Y" if is_of_days else "%B %Y, %H:%M"
    first, last_told = (f"{moment.day} {moment:{form}}" if moment else "…" for moment in (start, last))
    return first if first == last_told else f"{first} to {last_told}"
