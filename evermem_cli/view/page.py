"""The page: collected from memory and written as one HTML file that loads nothing from elsewhere."""

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evermem_cli.cli.lookups import people
from evermem_cli.cli.shared.formatting import counted, day
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Mode
from evermem_cli.terminal.visible import visible
from evermem_cli.view.answers import AnsweredQuestion, reply
from evermem_cli.view.changes import Upcoming, ValueChange, changes, upcoming
from evermem_cli.view.disk_usage import DiskUsage, disk_usage
from evermem_cli.view.people import PeopleGraph, people_graph
from evermem_cli.view.profiles import PersonProfile, profiles
from evermem_cli.view.scale import scale
from evermem_cli.view.timeline import MOST, PageTimeline, timeline

LONGEST_PART = 60  # characters of a text in the name of a button
STYLE, SCRIPT, ACTIONS = "page.css", "page.js", "actions.js"


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Everything on the page. `first` and `last` bound its days; `today` is the day on which it was written.

    `scale` has the first and the last day of the slider, which a few far days do not stretch.
    """

    title: str
    written: str
    first: str
    today: str
    last: str
    scale: tuple[str, str]
    timeline: PageTimeline
    people: PeopleGraph
    profiles: tuple[PersonProfile, ...]
    changes: tuple[ValueChange, ...]
    changes_left_out: int
    upcoming: tuple[Upcoming, ...]
    upcoming_left_out: int
    disk_usage: DiskUsage
    replies: tuple[AnsweredQuestion, ...]
    leaves_out_private: bool


def gather(session: Session, questions: Sequence[str], mode: Mode) -> MemoryPage:
    """Collects everything for the page, as far as this session may see it.

    Raises UsageError, ModelError, StoreError, StoreBusy.
    """
    replies = tuple(reply(session, question, mode) for question in questions)
    events, messages = people.timeline(session, None, None, None, None, quoted=MOST)
    happened, around = timeline(session, events, messages), people_graph(session)
    changed, coming = changes(session, events), upcoming(session)
    known = profiles(session)
    now = datetime.now(session.zone)
    today = now.date().isoformat()
    counts = happened.counts + Counter(date for plan in coming[0] for date in (plan.since, plan.until) if date)
    bounds = scale(counts) if counts else (today, today)
    return MemoryPage(
        title=session.settings.db.stem,
        written=day(now, session.zone),
        first=min([*counts, today]),
        today=today,
        last=max([*counts, today]),
        scale=(min(bounds[0], today), max(bounds[1], today)),
        timeline=happened,
        people=around,
        profiles=known,
        changes=changed[0],
        changes_left_out=changed[1],
        upcoming=coming[0],
        upcoming_left_out=coming[1],
        disk_usage=disk_usage(session, session.status()),
        replies=replies,
        leaves_out_private=session.is_public or bool(session.settings.agent),
    )


def write(page: MemoryPage, *, serves: bool = False) -> str:
    """The page as HTML. `serves` adds the forms and the script for the actions of a served page."""
    scripts = [_asset(SCRIPT), *([_asset(ACTIONS)] if serves else [])]
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            serves=serves,
            policy=policy(serves=serves),
            style=Markup(_asset(STYLE)),
            scripts=[Markup(script) for script in scripts],
        )
    )


def write_reply(said: AnsweredQuestion) -> str:
    """One answer as a fragment of HTML."""
    return _environment().get_template("reply.html").render(reply=said, serves=True)


def write_refusal(why: str) -> str:
    """A page that says why the page cannot be shown."""
    return _environment().get_template("refusal.html").render(why=why, style=Markup(_asset(STYLE)))


def policy(*, serves: bool) -> str:
    """The Content-Security-Policy: the page's own style and scripts, by their hashes, and nothing else."""
    scripts = [SCRIPT, *([ACTIONS] if serves else [])]
    parts = {
        "default-src": "'none'",
        "script-src": " ".join(_hash(name) for name in scripts),
        "style-src": _hash(STYLE),
        "img-src": "data:",
        "connect-src": "'self'" if serves else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


@cache
def _environment() -> Environment:
    """Templates that escape every text and show characters that would hide or reverse other text."""
    environment = Environment(
        loader=PackageLoader("evermem_cli.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    environment.filters |= {"counted": counted, "bytes": _bytes, "named": _named}
    return environment


def _seen(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _named(parts: Sequence[str]) -> str:
    """What tells one thing from others like it to those who only hear its name: a few words of each part."""
    lines = (" ".join(part.split()) for part in parts)
    return ", ".join(line if len(line) <= LONGEST_PART else f"{line[: LONGEST_PART - 1]}…" for line in lines if line)


def _bytes(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


@cache
def _asset(name: str) -> str:
    return (resources.files("evermem_cli.view") / "assets" / name).read_text(encoding="utf-8")


def _hash(name: str) -> str:
    digest = hashlib.sha256(_asset(name).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
