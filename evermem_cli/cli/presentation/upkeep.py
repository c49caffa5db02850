"""The output of the maintenance commands, as JSON documents and screens."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.filesize import decimal
from rich.table import Table

from evermem_cli.cli.presentation.documents import pick
from evermem_cli.cli.shared.formatting import TOPICS, bounds, counted
from evermem_cli.cli.shared.terminal import label, styled
from evermem_cli.memory import AccessEntry, Forgotten, utc_text
from evermem_cli.memory.privacy import PrivacyInForce, Selection, TierSetting
from evermem_cli.terminal.visible import one_line

Document = dict[str, Any]
WHAT_AREAS_ARE = (
    "Each message is judged by its own words, so even in a chat of colleagues most messages are general. "
    "`evermem privacy ID private` covers a whole chat; `evermem list conversations` shows the ids."
)


def forgotten(gone: Forgotten) -> str:
    """The amount forgotten, in words, with the corrections word for word: the user may want to say them again."""
    names = {name: TOPICS.get(name, name.replace("_", " ").removesuffix(" changed")) for name in gone.counts}
    amount = ", ".join(counted(count, names[name]) for name, count in gone.counts.items() if count)
    said = ", ".join(f'"{one_line(text)}"' for text in gone.stated)
    return f"{amount}; with your own words {said} (`evermem remember` keeps them)" if said else amount


def chosen(selection: Selection, people: Sequence[str], zone: tzinfo) -> str:
    """Whose messages are selected, by all names of the person, and of which days."""
    whose = f"messages of {', '.join(map(one_line, people))}" if people else ""
    marks = (whose, bounds(selection.after, selection.before, zone, ("after", "before")))
    return f" ({', '.join(filter(None, marks))})" if any(marks) else ""


def forget_document(gone: Forgotten, dry_run: bool, selection: Selection, people: Sequence[str]) -> Document:
    """`forget --json`; `people` are the names of the person whose messages are selected."""
    return (
        {"dry_run": dry_run, "people": list(people)}
        | pick(selection, "after", "before")
        | gone.counts
        | {"memcells_pending": gone.pending, "stated": list(gone.stated)}
    )


def forget_screen(gone: Forgotten, dry_run: bool, which: str) -> RenderableType:
    """What is, or would be, forgotten; `which` are the words of `chosen`."""
    if gone.nothing:
        return styled(f"no memory matches{which}")
    said = f"{'would forget' if dry_run else 'forgotten'}: {forgotten(gone)}{which}"
    if not gone.pending:
        return styled(said)
    formed = "would be formed anew from what stays" if dry_run else "formed anew from what stays"
    return styled(f"{said}\n{formed}: {counted(gone.pending, 'topics')}")


def import_document(counts: Counter[str]) -> Document:
    """`import --json`: rows by type, without the header."""
    return {"imported": dict(counts)}


def import_screen(counts: Counter[str], db: Path) -> RenderableType:
    """What was imported."""
    names = {kind: re.sub("(?<=ss)s$", "es", re.sub("ys$", "ies", f"{kind}s")).replace("_", " ") for kind in counts}
    return styled(f"{db}: {', '.join(counted(count, names[kind]) for kind, count in counts.items())}")


def backup_document(target: Path, rows: dict[str, int]) -> Document:
    """`backup --json`."""
    return {"backup": str(target), "rows": rows, "bytes": target.stat().st_size}


def backup_screen(target: Path, rows: dict[str, int]) -> RenderableType:
    """What was copied and checked."""
    size = decimal(target.stat().st_size)
    return styled(f"{target}: {size}, {counted(rows['messages'], 'messages')}; compared with the memory row by row")


def privacy_document(settled: TierSetting) -> Document:
    """`privacy --json`; the tier is null where it is that of the messages behind the memory."""
    return {
        "id": settled.id,
        "privacy_tier": settled.tier,
        "domain": settled.domain,
        "memories_set": settled.covered,
    }


def privacy_screen(settled: TierSetting) -> RenderableType:
    """The tier, its reason, and how many memories were given it."""
    about = f" ({settled.domain})" if settled.domain else ""
    tier = settled.tier or "the tier of its messages"
    return styled(
        f"{settled.id}{about}: {tier}" + (f", {counted(settled.covered, 'memories')} set" * bool(settled.covered))
    )


def areas_document(known: PrivacyInForce) -> Document:
    """`privacy --json` without an id: the areas, and how many messages an assistant is not shown."""
    return {
        "areas": [
            {"area": use.area, "privacy_tier": use.tier, "messages": use.messages, "facts": use.facts}
            for use in known.areas
        ],
        "messages": known.messages,
        "withheld_messages": {"without_reason": known.withheld, "with_reason": known.withheld_with_reason},
    }


def areas_screen(known: PrivacyInForce) -> RenderableType:
    """A line for each area, and what the tiers withhold altogether."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    rows.add_column("area")
    rows.add_column("tier")
    rows.add_column("messages", justify="right")
    rows.add_column("facts", justify="right")
    for use in known.areas:
        rows.add_row(use.area, use.tier, f"{use.messages:,}", f"{use.facts:,}")
    withheld = f"Of {counted(known.messages, 'messages')}, an assistant is not shown {known.withheld:,}"
    return Group(
        rows,
        styled(f"{withheld}, or {known.withheld_with_reason:,} if it gives a reason."),
        styled(WHAT_AREAS_ARE),
    )


def access_document(entries: Sequence[AccessEntry]) -> Document:
    """`access-log --json`, oldest first."""
    return {
        "accesses": [
            {
                "at": utc_text(entry.read_at),
                "agent": entry.agent,
                "reason": entry.reason,
                "command": entry.command,
                "sensitive": entry.sensitive,
            }
            for entry in entries
        ]
    }


def access_screen(entries: Sequence[AccessEntry], zone: tzinfo) -> RenderableType:
    """One line per access."""
    if not entries:
        return styled("no agent has read this memory")
    return Group(
        *(
            label(f"{entry.read_at.astimezone(zone):%Y-%m-%d %H:%M}  {entry.agent}  {entry.command}  ")
            + (styled("sensitive too: ", "bold") if entry.sensitive else styled("public only", "dim"))
            + label(entry.reason if entry.sensitive else "")
            for entry in entries
        )
    )
