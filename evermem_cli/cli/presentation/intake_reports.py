"""The output of the commands that read chats, as JSON documents and screens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType

from evermem_cli.cli.presentation.documents import SECOND_DIGITS, Document, pick
from evermem_cli.cli.presentation.screens import table
from evermem_cli.cli.shared.formatting import bounds, counted, day
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.intake.reports import Choice, InputReport

WAITING = "; `evermem enrich` has the language model do its part"
NAMED = 3  # participants of a chat named in a table
COUNTED = {
    "chats": "conversations",
    "messages": "messages",
    "new": "new_messages",
    "edited": "edited_messages",
    "gone": "removed_messages",
    "topics": "memcells",
}
RARE = frozenset({"edited", "gone"})  # columns that a table has only where one is not zero
LISTED = 20  # inputs that a table lists one by one


def ingest_document(reports: Sequence[InputReport], made: EnrichReport | None, seconds: float) -> Document:
    """`ingest --json`."""
    from evermem_cli.enrich import EnrichReport

    inputs = [
        _input(report) | pick(report, "memcells", "forgotten", "unchanged_messages", "removed_messages")
        for report in reports
    ]
    new = {
        "messages": sum(report.new_messages for report in reports),
        "memcells": sum(report.memcells for report in reports),
    }
    return {"inputs": inputs, "totals": new | _made(made or EnrichReport()), "seconds": round(seconds, SECOND_DIGITS)}


def ingest_screen(inputs: Sequence[InputReport], made: EnrichReport, seconds: float) -> RenderableType:
    """What was read, what is new, and what was formed."""
    columns = {heading: name for heading, name in COUNTED.items() if heading not in RARE or _total(inputs, name)}
    rows = table("", "format", *columns)
    listed, others = _listed(inputs)
    for report in listed:
        counts = [str(_total([report], name)) for name in columns.values()]
        rows.add_row(one_line(Path(report.path).name), report.format or report.status, *counts)
    if others:
        counts = [str(_total(others, name)) for name in columns.values()]
        rows.add_row(f"{len(others)} more files" if listed else f"{len(others)} files", "", *counts)
    formed = styled(f"{seconds:.1f} s") if made.is_empty else enrich_screen(made, seconds)
    return Group(rows, styled(_read(inputs)), formed)


def _total(inputs: Sequence[InputReport], name: str) -> int:
    return sum(getattr(report, name) for report in inputs)


def _listed(inputs: Sequence[InputReport]) -> tuple[list[InputReport], list[InputReport]]:
    """The inputs to list one by one, and the others: of many inputs, unusable ones come first, then new ones."""
    if len(inputs) <= LISTED:
        return [*inputs], []
    ranked = sorted(inputs, key=lambda report: {"failed": 0, "partial": 0, "ok": 1}.get(report.status, 2))
    listed = [report for report in ranked[:LISTED] if report.status != "unchanged"]
    return listed, ranked[len(listed) :]


def stopped_screen(inputs: Sequence[InputReport]) -> RenderableType:
    """One line: what was done before Ctrl-C."""
    return styled(f"stopped; {_read(inputs)}; nothing that was read is lost, and `evermem enrich` does the rest")


def survey_document(reports: Sequence[InputReport], choice: Choice) -> Document:
    """`ingest --dry-run --json`."""
    counts = ("messages", "new_messages", "edited_messages", "removed_messages")
    names = ("title", "participants", *counts, "first", "last")
    inputs = [_input(report) | {"chats": [pick(chat, *names) for chat in report.chats]} for report in reports]
    return {"dry_run": True} | pick(choice, "since", "until") | {"inputs": inputs}


def survey_screen(inputs: Sequence[InputReport], choice: Choice, zone: tzinfo) -> RenderableType:
    """What would be read, chat by chat, and of which days."""
    rows = table("chat", "with", "messages", "new", "from", "to")
    chats = [chat for report in inputs for chat in report.chats]
    for chat in chats:
        others = len(chat.participants) - NAMED
        names = ", ".join(chat.participants[:NAMED]) + (f" and {others} more" if others > 0 else "")
        new = str(chat.new_messages) if chat.new_messages else "edited" if chat.edited_messages else "known"
        span = (day(chat.first, zone), day(chat.last, zone))
        rows.add_row(one_line(chat.title), one_line(names), str(chat.messages), new, *span)
    messages, new_messages = sum(chat.messages for chat in chats), sum(chat.new_messages for chat in chats)
    days = bounds(choice.since, choice.until, zone, ("since", "until"))
    read = f"{counted(messages, 'messages')}{f' ({days})' if days else ''} would be read"
    return Group(rows, styled(f"{read}, {new_messages:,} of them new; nothing was written"))


def enrich_document(made: EnrichReport, seconds: float) -> Document:
    """`enrich --json`."""
    return {"totals": _made(made), "seconds": round(seconds, SECOND_DIGITS)}


def enrich_screen(made: EnrichReport, seconds: float) -> RenderableType:
    """What was formed, and of the language model's work what it cost."""
    if made.is_empty:
        return styled(f"nothing new, {seconds:.1f} s")
    failed = f", {len(made.failed)} failed" if made.failed else ""
    proposed = f"{counted(made.dropped, 'unsupported proposals')} dropped; {counted(made.llm_calls, 'calls')}, "
    return styled(
        f"{counted(made.memcells, 'topics')}{failed}: {counted(made.episodes, 'episodes')}, "
        f"{counted(made.facts, 'facts')}, {counted(made.foresights, 'foresights')}{_learned(made)}; "
        f"{proposed if made.llm_calls else ''}{seconds:.1f} s{WAITING if made.waiting else ''}"
    )


def _learned(made: EnrichReport) -> str:
    counts = (("interactions", made.interactions), ("rules", made.rules), ("verdicts on statements", made.verdicts))
    return "".join(f", {count} {name}" for name, count in counts if count)


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
    read = counted(sum(report.messages for report in inputs), "messages")
    return f"{read} read{': ' * bool(said)}{said}{unread}"


def _input(report: InputReport) -> Document:
    """What was read of one input, and what was unusable."""
    names = ("path", "format", "status", "conversations", "messages", "new_messages", "edited_messages", "error")
    return pick(report, *names, "skipped") | {
        "guesses": list(report.guesses),
        "problems": [pick(problem, "path", "line", "reason") for problem in report.problems],
    }


def _made(report: EnrichReport) -> Document:
    """What was formed, and its cost."""
    names = (
        "episodes",
        "facts",
        "foresights",
        "interactions",
        "rules",
        "dropped",
        "verdicts",
        "llm_calls",
        "prompt_tokens",
        "output_tokens",
    )
    return {"enriched_memcells": report.memcells, "failed_memcells": len(report.failed)} | pick(report, *names)
