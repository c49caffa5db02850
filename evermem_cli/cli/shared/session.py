"""The settings, memory file and models of one command, with notes on stderr."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evermem_cli.cli.shared import hook_failure, shared_copy
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.options import moment, period
from evermem_cli.cli.shared.reasons import check_reason
from evermem_cli.config import Settings, zone
from evermem_cli.engines import Embedder, Llm, Reranker
from evermem_cli.errors import EvermemError, InputError, UsageError
from evermem_cli.memory import Access, Fading, Filter, Forgotten, Kind, Selection, Status, Tier
from evermem_cli.memory.privacy import TierSetting
from evermem_cli.store import Keys, OpenMemory, Store
from evermem_cli.terminal.stopping import when_interrupted
from evermem_cli.terminal.streams import bytes_in
from evermem_cli.terminal.visible import one_line

# What only some commands need is imported by them, so that a search does not load what an ingest needs.
if TYPE_CHECKING:
    from collections import Counter

    from evermem_cli.cli.shared.terminal import Terminal
    from evermem_cli.consolidate import Consolidation
    from evermem_cli.engines.endpoint.llm import Endpoint
    from evermem_cli.transcripts import ReadOptions


WHOSE = "this file holds the memory of the user {}"


def page_beside(memory: Path) -> Path:
    """The default path of the page of a memory file."""
    return memory.with_name(f"{memory.name}.html")


@dataclass
class Session:
    """What a command works with. A model is downloaded and loaded on first use.

    `command` is its name in the access log: the verb alone, since a question may be confidential. `lent` are the models
    of another session. `is_public` leaves out private memories although the owner asks. With `opened` the memory file
    is open already.
    """

    settings: Settings
    command: str = field(default_factory=lambda: " ".join(sys.argv[1:2]))
    lent: Engines | None = None
    is_public: bool = False
    opened: OpenMemory | None = None

    @classmethod
    def open(cls, **flags: object) -> Session:
        """The session for command-line flags; None means not given. Raises UsageError."""
        session = cls(Settings.load(**flags))
        if flags.get("reason") is not None:
            check_reason(session.settings, session.note)
        return session

    def of_owner(self) -> Session:
        """This session. Raises UsageError where the file holds memories of others and none of this user."""
        others = [] if self.settings.agent else self.others()
        if others:
            raise UsageError(f"{WHOSE.format(others[0])}, not of {self.settings.user}", f"ask with --user {others[0]}")
        return self

    def others(self) -> list[str]:
        """The owners of the file's memories, where this user owns none."""
        user = self.settings.user
        with self.store.read() as reader:
            owners = reader.names.owners()
            return [] if user in owners or reader.chats.of(user) else owners

    @cached_property
    def stderr(self) -> Terminal:
        """The console for progress and notes."""
        from evermem_cli.cli.shared.terminal import Terminal

        return Terminal(sys.stderr)

    @cached_property
    def store(self) -> Store:
        """The memory file, as the agent may see it where there is one. The copy of a shared memory takes in news."""
        settings, access = self.settings, None
        if settings.lake:
            shared_copy.follow(self)
        if settings.agent:
            access = Access(agent=settings.agent, reason=settings.reason, command=self.command, tiers=settings.privacy)
        fading = Fading(decay=settings.decay, archive_below=settings.archive_below)
        public, keys = settings.privacy if self.is_public else None, Keys(settings.key_path)
        timeout = settings.busy_timeout
        return Store(settings.db, timeout, access, keys, public, self.opened, fading=fading, notify=self.note)

    @cached_property
    def zone(self) -> tzinfo:
        """The zone of times without one."""
        return zone(self.settings.tz)

    @cached_property
    def engines(self) -> Engines:
        """The models, those of another session where it lends them."""
        return self.lent or Engines(self.settings, lambda: self.stderr, self.note, lambda: self.store.embedder)

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
        """The language model behind an address; None where none is named. Raises ModelError, UsageError."""
        return self.engines.endpoint

    @property
    def consolidation(self) -> Consolidation:
        """The workflow that derives scenes and profiles."""
        from evermem_cli.consolidate import Consolidation

        return Consolidation(self.store, self.settings)

    def on_behalf_of(self, agent: str, reason: str, command: str) -> Session:
        """A session of an agent, with the same models. An empty name is the owner."""
        return Session(replace(self.settings, agent=agent, reason=reason), command, self.engines, opened=self.opened)

    def as_owner(self) -> Session:
        """The owner's session, with the same models."""
        return self.on_behalf_of("", "", self.command)

    def without_private(self) -> Session:
        """A session without private memories, with the same models."""
        return Session(self.settings, self.command, self.engines, is_public=True)

    def now(self, as_of: str | None) -> datetime:
        """The time at which a question is asked. Raises UsageError."""
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
        """The filter for a search of this user. Raises UsageError."""
        try:
            chosen = tuple(Kind(kind) for kind in kinds or ())
        except ValueError as error:
            raise UsageError(str(error), f"--kind is one of {', '.join(Kind)}") from error
        first, last = period(since, until, self.zone)
        return Filter(
            user_id=self.settings.user,
            kinds=chosen,
            as_of=moment(as_of, self.zone, end=True),
            known_at=moment(known_at, self.zone, end=True),
            since=first,
            until=last,
            archived=archived,
        )

    def said_by(self, person: str | None, where: Filter) -> Filter:
        """The same filter, for one person if one is named. Raises UsageError for somebody who speaks in no chat."""
        if person is None:
            return where
        from evermem_cli.recollection.people.profile import find_person

        who = find_person(self.store, self.settings.user, person)
        with self.store.read() as reader:
            return replace(where, people=tuple(reader.names.of_one(self.settings.user, who)))

    def reading(self, chat_format: str | None, day: date | None, order: str | None) -> ReadOptions:
        """The options for reading transcripts. Raises UsageError."""
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

    def form(self) -> None:
        """Reads new messages for statements, and forms what code forms of them, without a language model."""
        from evermem_cli.cli.shared.forming import form_by_code

        form_by_code(self)

    def privacy(self, prefix: str, level: str | None) -> TierSetting:
        """Sets the tier of a memory and of what it covers, if one is given; returns the present tier.

        Raises UsageError.
        """
        with self.store.privacy(write=level is not None) as opened:
            memory_id = opened.resolve(prefix)
            covered = opened.set_tier(memory_id, None if level == "default" else Tier(level)) if level else 0
            tier, domain = opened.tier(memory_id, self.settings.privacy)
        return TierSetting(id=memory_id, tier=tier, domain=domain, covered=covered)

    def note_left_out(self, count: int) -> None:
        """Notes how many messages an export leaves out."""
        if count:
            self.note(f"left out: {counted(count, 'private messages')} and all derived memories (--include-private)")

    def note_lost(self, kind: str, count: int | None) -> None:
        """Notes how much of a damaged file is lost; None where that is everything of a type."""
        self.note(f"lost: {'all' if count is None else count} of type {kind}")

    def import_lines(self, path: str) -> Counter[str]:
        """Imports an export, from stdin where the path is "-"; returns the rows of each type."""
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
        """Derives scenes and profiles anew from the stored MemCells."""
        cells = self.consolidation.again()
        self.note(f"scenes and profiles derived anew from {counted(cells, 'topics')}")

    def forget(self, selection: Selection) -> Forgotten:
        """Forgets for good, and forms anew what stays of the topics concerned.

        Also removes the page beside the memory and the hook's failure, which names the file of a session.
        """
        page_beside(self.settings.db).unlink(missing_ok=True)
        gone = self.store.forget(selection)
        if failure := hook_failure.last(self.settings):
            self.note(f"no longer kept: {failure.line(self.zone)}")
        hook_failure.remove(self.settings.db)
        line = "interrupted; what was named is forgotten, and `evermem enrich` forms anew what stays of its topics"
        with when_interrupted(lambda: self.note(line)):
            self._form_anew(needed=gone.pending > 0)
        return gone

    def end_forgetting(self) -> None:
        """Forms anew what stays, if a `forget` was killed before it did so."""
        with self.store.read() as reader:
            interrupted = reader.consolidation.is_unsettled()
        if interrupted:
            self._form_anew(needed=True)

    def _form_anew(self, *, needed: bool) -> None:
        """Forms what is missing, if `needed`, and derives scenes and profiles. What has been forgotten stays so."""
        try:
            if needed:
                self.form()
                return
        except EvermemError as error:
            self.note(f"{error.message}: what stays is formed anew by `evermem enrich`")
        self.consolidation.run()

    def status(self) -> Status:
        """What the memory file holds."""
        with self.store.read() as reader:
            return reader.overview.status()

    def note(self, line: str) -> None:
        """Prints one line on stderr."""
        self.stderr.print(one_line(line), soft_wrap=True)
