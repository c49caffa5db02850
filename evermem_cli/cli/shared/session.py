"""One command's settings, memory file and models, with what is said on stderr while they are made ready."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.options import moment
from evermem_cli.config import Settings, zone
from evermem_cli.engines import Embedder, Llm, Reranker
from evermem_cli.errors import InputError, UsageError
from evermem_cli.memory import Access, Fading, Filter, Forgotten, Kind, Selection, Status, Tier
from evermem_cli.store import Keys, Sitting, Store
from evermem_cli.terminal.streams import bytes_in
from evermem_cli.terminal.visible import one_line

# What only some commands need is imported by them: a search waits for nothing that is there for an ingest.
if TYPE_CHECKING:
    from collections import Counter

    from evermem_cli.cli.shared.terminal import Terminal
    from evermem_cli.consolidate import Consolidation
    from evermem_cli.engines.endpoint.llm import Endpoint
    from evermem_cli.enrich import EnrichReport
    from evermem_cli.transcripts import ReadOptions


WHOSE = "this file holds the memory of {}"


def page_beside(memory: Path) -> Path:
    """The page of a memory file where nobody names another place."""
    return memory.with_name(f"{memory.name}.html")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The tier of a memory, None where it is that of its messages, and how many memories were given it just now."""

    id: str
    tier: Tier | None
    domain: str | None
    covered: int


@dataclass
class Session:
    """What a command works with; a model is fetched and loaded when first asked for.

    `command` is what the access log calls it: of the command line the verb alone, since what is asked may itself be
    told in confidence. `lent` are the models of another session. `is_public`: what is private is left out, though the
    owner asks. Within a `sitting` the memory file is open already.
    """

    settings: Settings
    command: str = field(default_factory=lambda: " ".join(sys.argv[1:2]))
    lent: Engines | None = None
    is_public: bool = False
    sitting: Sitting | None = None

    @classmethod
    def open(cls, **flags: object) -> Session:
        """From command-line flags, of which None means not given. Raises UsageError."""
        return cls(Settings.load(**flags))

    def of_owner(self) -> Session:
        """The same. Raises UsageError where the file holds the memory of others, and none of this user."""
        others = [] if self.settings.agent else self.others()
        if others:
            raise UsageError(f"{WHOSE.format(others[0])}, not of {self.settings.user}", f"ask with --user {others[0]}")
        return self

    def others(self) -> list[str]:
        """Whose memory the file holds, where it holds none of this user."""
        user = self.settings.user
        with self.store.read() as reader:
            owners = reader.owners_of_all()
            return [] if user in owners or reader.conversations(user) else owners

    @cached_property
    def stderr(self) -> Terminal:
        """Where progress and notes go."""
        from evermem_cli.cli.shared.terminal import Terminal

        return Terminal(sys.stderr)

    @cached_property
    def store(self) -> Store:
        """The memory file, opened for each transaction anew; as an agent may see it where one asks."""
        settings = self.settings
        access = None
        if settings.agent:
            told = {"agent": settings.agent, "reason": settings.reason, "command": self.command}
            access = Access(**told, tiers=settings.tiers)
        fading = Fading(decay=settings.decay, archive_below=settings.archive_below)
        public = settings.tiers if self.is_public else None
        keys = Keys(settings.key_path)
        return Store(
            settings.db, settings.busy_timeout, access, keys, public, self.sitting, fading=fading, note=self.note
        )

    @cached_property
    def zone(self) -> tzinfo:
        """The zone of times that carry none."""
        return zone(self.settings.tz)

    @cached_property
    def engines(self) -> Engines:
        """The models, those of another session where that lends them."""
        return self.lent or Engines(self.settings, lambda: self.stderr, self.note)

    @property
    def embedder(self) -> Embedder:
        """The embedder for many texts. Raises ModelError, UsageError."""
        return self.engines.embedder

    @property
    def question_embedder(self) -> Embedder:
        """The embedder for questions. Raises ModelError, UsageError."""
        return self.engines.question_embedder

    @property
    def reranker(self) -> Reranker:
        """The reranker. Raises ModelError, UsageError."""
        return self.engines.reranker

    @property
    def llm(self) -> Llm:
        """The language model. Raises ModelError, UsageError."""
        return self.engines.llm

    @property
    def endpoint(self) -> Endpoint | None:
        """The language model behind an address, None where none is named. Raises ModelError, UsageError."""
        return self.engines.endpoint

    @property
    def consolidation(self) -> Consolidation:
        """What draws scenes and profiles. Raises ModelError, UsageError."""
        from evermem_cli.consolidate import Consolidation

        return Consolidation(self.store, self.embedder, self.settings)

    def on_behalf_of(self, agent: str, reason: str, command: str) -> Session:
        """The same memory as an agent may see it, with the same models; an empty name is the owner's."""
        return Session(replace(self.settings, agent=agent, reason=reason), command, self.engines, sitting=self.sitting)

    def as_owner(self) -> Session:
        """The same memory as its owner sees it, with the same models."""
        return self.on_behalf_of("", "", self.command)

    def without_private(self) -> Session:
        """The same memory without what is private, with the same models."""
        return Session(self.settings, self.command, self.engines, is_public=True)

    def now(self, as_of: str | None) -> datetime:
        """The moment that a question is asked at. Raises UsageError."""
        return moment(as_of, self.zone, end=True) or datetime.now(self.zone)

    def filter(
        self,
        *,
        as_of: str | None,
        known_at: str | None,
        since: str | None = None,
        until: str | None = None,
        kinds: list[str] | None = None,
        archived: bool = False,
    ) -> Filter:
        """What a search may return, for this user. Raises UsageError."""
        try:
            chosen = tuple(Kind(kind) for kind in kinds or ())
        except ValueError as error:
            raise UsageError(str(error), f"--kind is one of {', '.join(Kind)}") from error
        return Filter(
            user_id=self.settings.user,
            kinds=chosen,
            as_of=moment(as_of, self.zone, end=True),
            known_at=moment(known_at, self.zone, end=True),
            since=moment(since, self.zone, end=False),
            until=moment(until, self.zone, end=True),
            archived=archived,
        )

    def said_by(self, person: str | None, where: Filter) -> Filter:
        """The same, of one person only if one is named. Raises UsageError for somebody who speaks in no chat."""
        if person is None:
            return where
        from evermem_cli.recollection.profile import find_person

        who = find_person(self.store, self.settings.user, person)
        with self.store.read() as reader:
            return replace(where, people=tuple(reader.names_of_one(self.settings.user, who)))

    def reading(self, chat_format: str | None, day: date | None, order: str | None) -> ReadOptions:
        """How transcripts are to be read. Raises UsageError."""
        from evermem_cli.transcripts import ReadOptions, date_order
        from evermem_cli.transcripts.times import YEARS

        if day and day.year not in YEARS:
            raise UsageError(f"--date {day}: no year of a chat", "name the day on which it was written")
        return ReadOptions(
            format=chat_format,
            tz=self.zone,
            tz_named=bool(self.settings.tz),
            date=day,
            date_order=date_order(order),
            me=self.settings.me,
        )

    def annotate(self) -> None:
        """Reads what is new for statements, and draws from them what people say of themselves; no language model."""
        from evermem_cli.annotate import Annotation
        from evermem_cli.cli.shared.progress import working
        from evermem_cli.reading.tagger import Tagger

        with working(self.stderr) as progress:
            Annotation(self.store, Tagger(threads=self.settings.threads), progress).run()
            self.consolidation.run()

    def enrich(self, *, closed: bool = False) -> EnrichReport:
        """Tier 2 of all that waits for it; says on stderr what failed."""
        from evermem_cli.cli.shared.progress import working
        from evermem_cli.enrich import Enrichment

        with working(self.stderr) as progress:
            made = Enrichment(self.store, self.embedder, lambda: self.llm, self.settings, progress, closed).run()
        for event_id, reason in made.failed.items():
            self.note(f"{event_id}: {reason}; `evermem enrich` tries it again")
        return made

    def privacy(self, prefix: str, level: str | None) -> Settled:
        """Sets the tier of a memory and what it covers if one is given; says what it is then. Raises UsageError."""
        with self.store.privacy(write=level is not None) as opened:
            memory_id = opened.resolve(prefix)
            covered = opened.set_tier(memory_id, None if level == "default" else Tier(level)) if level else 0
            tier, domain = opened.tier(memory_id, self.settings.tiers)
        return Settled(id=memory_id, tier=tier, domain=domain, covered=covered)

    def note_left_out(self, count: int) -> None:
        """Says how many messages an export leaves out."""
        if count:
            self.note(f"{count} private messages and what was drawn from them left out; --include-private has them too")

    def note_lost(self, kind: str, count: int) -> None:
        """Says how much of a damaged file is lost."""
        self.note(f"lost: {count} of type {kind}")

    def import_lines(self, path: str) -> Counter[str]:
        """Takes in an export, from stdin where the path is "-"; how many rows of each type."""
        from evermem_cli.archive import Import
        from evermem_cli.cli.shared.progress import working

        named = None if path == "-" else Path(path).expanduser()
        with working(self.stderr) as progress:
            done = Import(self.store, self.embedder, progress, named)
            if named is None:
                return done.run(bytes_in())
            try:
                with named.open("rb") as source:
                    return done.run(source)
            except OSError as error:
                raise InputError(f"{named}: {error.strerror}") from error

    def consolidate_again(self) -> None:
        """Draws scenes and profiles from the stored MemCells anew."""
        cells = self.consolidation.again()
        self.note(f"scenes and profiles drawn anew from {cells} topics")

    def forget(self, selection: Selection) -> Forgotten:
        """Forgets for good, first the page beside the memory, and draws scenes and profiles from what stays."""
        page_beside(self.settings.db).unlink(missing_ok=True)
        gone = self.store.forget(selection)
        self.consolidation.refresh()
        return gone

    def end_forgetting(self) -> None:
        """Draws scenes and profiles from what stays, where a command that forgot was killed before it came to that."""
        with self.store.read() as reader:
            interrupted = reader.is_unsettled()
        if interrupted:
            self.consolidation.run()

    def status(self) -> Status:
        """What the memory file holds."""
        with self.store.read() as reader:
            return reader.status()

    def note(self, line: str) -> None:
        """One line on stderr."""
        self.stderr.print(one_line(line), soft_wrap=True)
