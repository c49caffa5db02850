"""What people read in a terminal: one function per command, from nouns to something rich can print."""

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

from evermem_cli.config import Settings, config_file
from evermem_cli.engines.catalog import Model
from evermem_cli.memory import (
    CellContents,
    Conversation,
    Episode,
    Evidence,
    Fact,
    Foresight,
    Interaction,
    MemCell,
    Message,
    Rule,
    Scene,
    Status,
)

if TYPE_CHECKING:
    from evermem_cli.cli.session import Listing, Meaning
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.reading import InputReport
    from evermem_cli.recollection.answer import Answer
    from evermem_cli.recollection.experience import Experience
    from evermem_cli.transcripts import Format

DIM = "dim"
LEAST_PART = 0.05  # of a score; less is not shown
SUFFICIENT = {None: "", True: " (enough)", False: " (not enough)"}
PROMPT_HEAD = "What the user has taught {} assistants:"
NAMED = 3  # participants of a chat that a table names
EXCERPT = 300  # characters of a message in a list; `show` prints all of it


def search(found: Sequence[Evidence], zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """Results, best first; with `explain` each tells why."""
    if not found:
        return Text("nothing found")
    return Group(*(_result(rank, evidence, zone, explain=explain) for rank, evidence in enumerate(found, start=1)))


def answer(said: Answer, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    """What follows the streamed answer: its citations, with `explain` what it was read from and why."""
    if not explain:
        return _cited(said, zone)
    rounds = Text("\n".join(f"searched for: {done.query}{SUFFICIENT[done.sufficient]}" for done in said.read.rounds))
    return Group(
        _cited(said, zone),
        Text("\nread for this answer", style="bold"),
        rounds,
        search(said.read.seen, zone, explain=True),
    )


def _cited(said: Answer, zone: tzinfo) -> RenderableType:
    """Citations; without a model the evidence alone."""
    from evermem_cli.recollection.answer import refuses

    if said.model is None:
        return search(said.citations, zone)
    if not said.known:
        return Text("" if refuses(said.text) else "\n(no message supports this; take it as not known)")
    return Group(Text(), *(_result(rank, evidence, zone) for rank, evidence in enumerate(said.citations, start=1)))


def ingest(inputs: Sequence[InputReport], made: EnrichReport | None, seconds: float) -> RenderableType:
    """What was read, what is new, what was made of it; None: the language model was left out."""
    edited = any(report.edited_messages for report in inputs)
    removed = any(report.removed_messages for report in inputs)
    table = _table("", "format", "chats", "messages", "new", *["edited"] * edited, *["gone"] * removed, "cells")
    for report in inputs:
        changed = [report.edited_messages] * edited + [report.removed_messages] * removed
        counts = (report.conversations, report.messages, report.new_messages, *changed, report.memcells)
        table.add_row(Path(report.path).name, report.format or report.status, *map(str, counts))
    after = enrich(made, seconds) if made else Text(f"{seconds:.1f} s; searchable now, `evermem enrich` does the rest")
    return Group(table, Text(_read(inputs)), after)


def stopped(inputs: Sequence[InputReport]) -> RenderableType:
    """One line: what was done until Ctrl-C."""
    return Text(f"stopped; {_read(inputs)}, all of it kept; `evermem enrich` does the rest")


def survey(inputs: Sequence[InputReport], zone: tzinfo) -> RenderableType:
    """What would be read, chat by chat."""
    table = _table("chat", "with", "messages", "new", "from", "to")
    chats = [chat for report in inputs for chat in report.chats]
    for chat in chats:
        others = len(chat.participants) - NAMED
        names = ", ".join(chat.participants[:NAMED]) + (f" and {others} more" if others > 0 else "")
        new = str(chat.new_messages) if chat.new_messages else "edited" if chat.edited_messages else "known"
        span = (day(chat.first, zone), day(chat.last, zone))
        table.add_row(chat.title, names, str(chat.messages), new, *span)
    messages, new_messages = sum(chat.messages for chat in chats), sum(chat.new_messages for chat in chats)
    return Group(table, Text(f"{messages:,} messages would be read, {new_messages:,} of them new; nothing was written"))


def enrich(made: EnrichReport, seconds: float) -> RenderableType:
    """What tier 2 made."""
    if not made.memcells and not made.failed:
        return Text(f"nothing new for the language model, {seconds:.1f} s")
    failed = f", {len(made.failed)} failed" if made.failed else ""
    return Text(
        f"{made.memcells} cells{failed}: {made.episodes} episodes, {made.facts} facts, {made.foresights} foresights"
        f"{_learned(made)}; "
        f"{made.dropped} unsupported statements dropped; {made.llm_calls} calls, {seconds:.1f} s"
    )


def _learned(made: EnrichReport) -> str:
    counts = (("interactions", made.interactions), ("rules", made.rules))
    return "".join(f", {count} {name}" for name, count in counts if count)


def listing(found: Listing, zone: tzinfo) -> RenderableType:
    """Memories of one kind."""
    if not found.items:
        return Text("none")
    return Group(*(_item(item, zone) for item in found.items))


def foresights(found: Listing, zone: tzinfo) -> RenderableType:
    """One line each, due first, fit for a login shell."""
    if not found.items:
        return Text("nothing expected")
    return Group(*(_item(item, zone) for item in found.items))


def contents(found: Sequence[CellContents], zone: tzinfo) -> RenderableType:
    """MemCells with everything: messages, episodes, facts, foresights."""
    return Group(*(_contents(each, zone) for each in found))


def status(found: Status, db: Path) -> RenderableType:
    """Counts, and what is still to do."""
    table = _table(str(db), "")
    for name, count in found.counts.items():
        table.add_row(name, str(count))
    table.add_row("size", f"{db.stat().st_size / 1e6:.1f} MB")
    table.add_row("embedder", found.embedder)
    waiting = f"{found.pending} cells wait for the language model ({found.failed} failed before): evermem enrich"
    return Group(table, Text(waiting)) if found.pending else table


def experience(found: Experience, zone: tzinfo) -> RenderableType:
    """Interactions: what was wanted, what was done, and what the user thought of it."""
    if not found.items:
        return Text("none")
    return Group(*(_interaction(item.interaction, zone) for item in found.items))


def rules(found: Sequence[Rule], zone: tzinfo) -> RenderableType:
    """Rules, each with where it stands."""
    if not found:
        return Text("no rules")
    return Group(*(_rule(rule, zone) for rule in found))


def prompt(found: Sequence[Rule]) -> str:
    """Rules as a piece of a prompt, by type of assistant."""
    kinds = dict.fromkeys(rule.agent_type for rule in found)
    parts = [
        [PROMPT_HEAD.format(kind), *(f"- {rule.rule}" for rule in found if rule.agent_type is kind)] for kind in kinds
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def when(meant: Meaning) -> RenderableType:
    """The interval, or the phrases found in a sentence."""
    if meant.interval is not None:
        return Text(f"{meant.phrase}: {_interval(meant.interval.start, meant.interval.end)} ({meant.interval.grain})")
    if not meant.spans:
        return Text(f"{meant.phrase}: not understood as a time")
    return Group(
        *(
            Text(f"{span.text}: {_interval(span.interval.start, span.interval.end)} ({span.interval.grain})")
            for span in meant.spans
        )
    )


def formats(known: Sequence[Format]) -> RenderableType:
    """Each format with what it is and, below, how to get it."""
    return Group(
        *(
            Group(
                Text.assemble((each.name, "bold"), "  ", each.summary),
                Padding(Text(each.steps), (0, 0, 0, 4), expand=False),
            )
            for each in sorted(known, key=lambda each: each.name)
        ),
        Text("detected by content; `evermem ingest --format NAME` overrules"),
    )


def config(settings: Settings) -> RenderableType:
    """Every setting with its value and meaning."""
    table = _table("setting", "value", "meaning")
    for each in fields(settings):
        value = getattr(settings, each.name)
        shown = ", ".join(f"{name} {part}" for name, part in value.items()) if isinstance(value, dict) else str(value)
        table.add_row(each.name, shown, each.metadata["description"])
    return Group(table, Text(f"change them in {config_file()} or as EVERMEM_… in the environment"))


def models(known: Sequence[tuple[Model, bool]]) -> RenderableType:
    """What evermem knows, and what is here."""
    table = _table("name", "here", "size", "what")
    for model, present in known:
        table.add_row(model.name, "yes" if present else "no", f"{model.size / 1e6:,.0f} MB", model.description)
    return table


def _read(inputs: Sequence[InputReport]) -> str:
    """How many messages were read, and how many of them changed anything."""
    counts = {
        "new": sum(report.new_messages for report in inputs),
        "edited": sum(report.edited_messages for report in inputs),
        "unchanged": sum(report.unchanged_messages for report in inputs),
    }
    said = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    failed = sum(report.status == "failed" for report in inputs)
    unread = f"; {failed} of {len(inputs)} inputs failed" if failed else ""
    return f"{sum(report.messages for report in inputs):,} messages read: {said or 'nothing'}{unread}"


def _result(rank: int, evidence: Evidence, zone: tzinfo, *, explain: bool = False) -> RenderableType:
    who = f"{evidence.speaker}, " if evidence.speaker else f"{evidence.kind}, "
    head = Text(f"[{rank}] ") + Text(f"{who}{day(evidence.said_at, zone)}", style="bold")
    head += Text(f" · {evidence.conversation} · {evidence.id}", style=DIM)
    if evidence.invalid_at:
        head += Text(f" · until {day(evidence.invalid_at, zone)}", style=DIM)
    body = Text(_excerpt(evidence.text))
    if explain:
        body += Text(f"\n{_why(evidence)}", style=DIM)
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


def _item(item: MemCell | Episode | Fact | Foresight | Conversation | Scene, zone: tzinfo) -> RenderableType:
    match item:
        case MemCell():
            note = f"{len(item.messages)} messages, {item.boundary_reason}, {item.extraction}"
            return _entry(
                item.event_id, item.summary or ", ".join(item.participants), f"{day(item.start_at, zone)}, {note}"
            )
        case Episode():
            return _entry(item.id, f"{item.subject}: {item.episode}", item.user_id or "group")
        case Fact():
            return _entry(item.id, item.atomic_fact, _span(item.valid_at, item.invalid_at, zone))
        case Foresight():
            return _entry(item.id, item.foresight, _span(item.start_time, item.end_time, zone))
        case Scene():
            return _entry(item.scene_id, f"{item.theme}: {item.summary}", f"{len(item.memcell_ids)} topics")
        case Conversation():
            return _entry(item.id, item.title or item.key, f"{item.kind}, {item.format}")


def _interaction(item: Interaction, zone: tzinfo) -> RenderableType:
    head = Text(f"{item.id}  ", style=DIM) + Text(f"{item.agent_type}, {item.outcome}", style="bold")
    told = (("", item.situation), ("→ ", item.action), ("← ", item.user_feedback))
    lines = [Padding(Text(sign + _excerpt(text)), (0, 0, 0, 2), expand=False) for sign, text in told if text]
    return Group(head + Text(f"  ({day(item.timestamp, zone)})", style=DIM), *lines)


def _rule(rule: Rule, zone: tzinfo) -> RenderableType:
    overridden = f", overridden {rule.override_count}×" if rule.override_count else ""
    retired = ", retired" if rule.retired_at else ""
    note = f"{len(rule.derived_from)} interactions, last on {day(rule.last_validated, zone)}{overridden}{retired}"
    return _entry(rule.id, f"{rule.agent_type}: {rule.rule}", f"{rule.confidence:.2f}; {note}")


def _entry(name: str, text: str, note: str) -> Text:
    return Text(f"{name}  ", style=DIM) + Text(text, style="default") + Text(f"  ({note})", style=DIM)


def _contents(found: CellContents, zone: tzinfo) -> RenderableType:
    parts: list[RenderableType] = [_item(found.cell, zone), *(_said(message, zone) for message in found.cell.messages)]
    for title, items in (("episodes", found.episodes), ("facts", found.facts), ("foresights", found.foresights)):
        if items:
            parts += [
                Text(title, style="bold"),
                *(Padding(_item(item, zone), (0, 0, 0, 2), expand=False) for item in items),
            ]
    return Group(*parts, Text())


def _said(message: Message, zone: tzinfo) -> RenderableType:
    moment = f"{message.said_at.astimezone(zone):%Y-%m-%d %H:%M} "
    return Padding(
        Text(moment, style=DIM) + Text(f"{message.speaker}: ", style="bold") + Text(message.text),
        (0, 0, 0, 2),
        expand=False,
    )


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        numeric = heading in ("chats", "messages", "new", "edited", "gone", "cells")
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    return table


def day(moment: datetime, zone: tzinfo) -> str:
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %Y}"


def _span(start: datetime | None, end: datetime | None, zone: tzinfo) -> str:
    begin = day(start, zone) if start else "…"
    return f"{begin} to {day(end, zone)}" if end else f"since {begin}" if start else "always"


def _interval(start: datetime | None, end: datetime | None) -> str:
    return f"{start.isoformat() if start else '…'} to {end.isoformat() if end else '…'}"


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
