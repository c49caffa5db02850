"""One sync with a shared memory: read what others have appended since the last one, take it in, append what they lack.

Only chats that changed here or there are compared, so a sync takes as long as there is news.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from evermem_cli.errors import InputError, StoreError, UsageError
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import content_id
from evermem_cli.store import Exchanged, Sharing, Store
from evermem_cli.store.lake.log import Bookmark, LakeLine
from evermem_cli.store.lake.shared_memory import SharedMemory
from evermem_cli.sync.lines import SyncLine, entry
from evermem_cli.sync.marks import GONE_LINE, Document, Mark, Thing, mark_of, thing_of
from evermem_cli.sync.meeting import Meeting, held, word
from evermem_cli.sync.places import Place
from evermem_cli.sync.publishing import Publishing
from evermem_cli.sync.syncing import SyncReport, existing
from evermem_cli.sync.taking import take_in
from evermem_cli.terminal.visible import json_line

WORDED = ("message", "conversation", "correction")  # things whose outdated lines have words that are gone


@dataclass(slots=True)
class KnownLines:
    """What the log has about each thing: revisions with their digests, and the earliest place."""

    states: dict[Thing, set[tuple[int, str]]] = field(default_factory=dict)
    places: dict[Thing, Place] = field(default_factory=dict)

    def add(self, thing: Thing, state: Exchanged) -> None:
        """Notes a line."""
        self.states.setdefault(thing, set()).add((state.revision, state.digest))
        if state.place is not None:
            self.places[thing] = min(state.place, self.places.get(thing, state.place))

    def lacks(self, thing: Thing, state: Exchanged) -> bool:
        """Whether a line about a thing would tell anything new."""
        if (state.revision, state.digest) not in self.states.get(thing, ()):
            return True
        return state.place is not None and (thing not in self.places or state.place < self.places[thing])

    def outdates(self, thing: Thing, state: Exchanged) -> bool:
        """Whether a line about a thing leaves an older one that has words."""
        return thing[0] in WORDED and bool(self.states.get(thing, set()) - {(state.revision, state.digest)})


@dataclass(slots=True)
class LakeNews:
    """What was read of the log, how far, and the chats that it or this machine has changed (None: all)."""

    bookmark: Bookmark
    known: KnownLines = field(default_factory=KnownLines)
    chats: set[str] | None = None
    is_to_be_purged: bool = False


@dataclass(frozen=True)
class LakeSyncing:
    """Exchanges what a memory and a shared memory lack. `derive` and `before_forgetting` as in `Syncing`.

    An encrypted memory is shared with `plain` only: the key of its file does not protect the shared memory.
    """

    lake: SharedMemory
    store: Store
    derive: Callable[[], None]
    before_forgetting: Callable[[], None] = lambda: None
    plain: bool = False
    report: SyncReport = field(default_factory=SyncReport)
    is_lake: ClassVar[bool] = True

    @property
    def place(self) -> str:
        """Where machines meet, as it is shown."""
        return self.lake.address.text

    def survey(self) -> SyncReport:
        """Tells what `run` would do, and writes nothing. Raises UsageError, StoreError, StoreBusy."""
        self._refuse_encrypted()
        with existing(self.store) as store:
            self._meet(store)
        return self.report

    def run(self, ingestion: Ingestion) -> SyncReport:
        """Takes in what is new and appends what others lack.

        Raises UsageError, DiskFull, StoreError, StoreBusy. Nothing is lost then, and the next sync continues.
        """
        self._refuse_encrypted()
        ingestion.prepare()
        meeting, news = self._meet(self.store)
        take_in(meeting, ingestion, self.derive, self.before_forgetting)
        self._publish(meeting, news)
        return self.report

    def _refuse_encrypted(self) -> None:
        if self.store.is_encrypted and not self.plain:
            hint = "add --plain to share it all the same: the files are encrypted, and the catalogue has their keys"
            raise UsageError("this memory is encrypted, and a shared one does not have its key", hint)

    def _meet(self, store: Store) -> tuple[Meeting, LakeNews]:
        """The merged state of memory and what is new in the log."""
        entries, news, read = self._read(store)
        with store.read_for_sync() as sharing:
            if read.lake:
                news.chats = _concerned(sharing, entries)
                sharing.narrow(news.chats)
                for thing, state in sharing.exchanged().items():
                    news.known.add(thing, state)
            here = held(sharing)
        for line in entries:
            news.known.add(line.thing, Exchanged(line.mark.revision, line.mark.digest, line.place))
        meeting = Meeting(here)
        meeting.merge_lines(line for line in entries if meeting.differs(line))
        meeting.close()
        self.report.went = Counter({name: count for name, count in here.changed.items() if name})
        self.report.came = meeting.came()
        return meeting, news

    def _read(self, store: Store) -> tuple[list[SyncLine], LakeNews, Bookmark]:
        """The new lines of the log, and the bookmark that they follow.

        All lines if a chat that this memory no longer has goes on elsewhere: the line of the chat is an old one."""
        with self.lake.read() as log:
            if log is None:
                return [], LakeNews(Bookmark("")), Bookmark("")
            with store.read_for_sync() as sharing:
                read = _bookmark(sharing, log.lake)
                entries = self._entries(sharing, log.after(read))
                if read.lake and _lack_chats(sharing, entries):
                    read = Bookmark("")
                    entries = self._entries(sharing, log.after(read))
            self.report.snapshot = log.snapshot
            return entries, LakeNews(Bookmark(log.lake, log.end()), is_to_be_purged=log.is_to_be_purged()), read

    def _entries(self, sharing: Sharing, documents: Iterable[bytes]) -> list[SyncLine]:
        tables = sharing.shared()
        try:
            return [entry(json.loads(document), tables) for document in documents]
        except (ValueError, TypeError, KeyError) as error:
            shown = self.lake.address.text
            raise InputError(f"{shown}: a line of no known form: {error}", "upgrade evermem on all machines") from error

    def _publish(self, meeting: Meeting, news: LakeNews) -> None:
        """Appends what the log lacks, purges what is outdated, and notes in memory what the log has now.

        Killed before the note, the next sync reads its own lines and appends none of them again."""
        with self.store.read_for_sync() as sharing:
            if news.chats is not None:
                sharing.narrow(news.chats)
            before = _bookmark(sharing, news.bookmark.lake)
            publishing = Publishing(sharing, meeting)
            lines, removes = self._lacking(publishing, news.known)
            changed = publishing.unnoted()
        after = news.bookmark
        if lines or news.is_to_be_purged:
            after = self._append(lines, news.bookmark, removes=removes)
        if after.lake and (changed or after != before):
            with self.store.write_for_sync() as writer:
                writer.exchange.put_exchanged(changed, _place(after.lake), json.dumps(asdict(after)))

    def _append(self, lines: Sequence[LakeLine], read: Bookmark, *, removes: bool) -> Bookmark:
        """Appends lines and purges what is outdated. Returns how far the log is known now."""
        with self.lake.write() as log:
            if read.lake not in ("", log.lake):
                raise StoreError(f"{self.lake.address.text}: replaced by another one meanwhile", "try again")
            is_all_known = log.end() == read.cursor
            push = log.append(lines, removes=removes) if lines else ""
            log.purge() if log.is_to_be_purged() else log.tidy()
            self.report.snapshot = log.snapshot if is_all_known else None
            return Bookmark(log.lake, log.end()) if is_all_known else Bookmark(log.lake, read.cursor, push)

    def _lacking(self, publishing: Publishing, known: KnownLines) -> tuple[list[LakeLine], bool]:
        """The lines that the log lacks, and whether they outdate lines with words."""
        lines, removes, went = [], False, Counter[str]()
        for document in publishing.documents():
            thing = thing_of(document)
            state = publishing.exchanged[thing]
            if not known.lacks(thing, state):
                continue
            mark = mark_of(document, state.revision)
            lines.append(_line(document, thing, mark, state.place))
            removes |= known.outdates(thing, state)
            went[word(thing, mark, mark if thing in known.states else None)] += document["type"] != GONE_LINE
        self.report.went = Counter({name: count for name, count in went.items() if name and count})
        return lines, removes


def _bookmark(sharing: Sharing, lake: str) -> Bookmark:
    """How far the log is read; from its beginning where memory was exchanged through another place since."""
    text = sharing.note_of(_place(lake))
    if not text or sharing.last_place() != _place(lake):
        return Bookmark("")
    noted = json.loads(text)
    return Bookmark(noted["lake"], noted["cursor"], noted["push"])


def _place(lake: str) -> str:
    return f"lake {lake}"


def _concerned(sharing: Sharing, entries: Iterable[SyncLine]) -> set[str]:
    """The chats that changed here, and those that lines are about."""
    chats, messages = sharing.changed_chats(), set[str]()
    for line in entries:
        kind, name = line.thing
        row: Any = line.row
        if kind == "message":
            messages.add(name)
            chats |= {row["conversation_id"]} if "conversation_id" in row else set()
        elif kind == "conversation":
            chats.add(name)
        elif kind == "correction" and line.mark.is_there:
            messages |= {*row["message_ids"]}
    return chats | sharing.chats_of(messages)


def _lack_chats(sharing: Sharing, entries: Sequence[SyncLine]) -> bool:
    """Whether lines are about messages of a chat that is neither stored nor in the lines."""
    here = {line.thing[1] for line in entries if line.thing[0] == "conversation"}
    chats = {line.row["conversation_id"] for line in entries if line.thing[0] == "message" and line.mark.is_there}
    return bool(chats - here - sharing.chats(chats - here).keys())


def _line(document: Document, thing: Thing, mark: Mark, place: Place | None) -> LakeLine:
    written = json_line({**document}).encode()
    return LakeLine(content_id(*thing), mark.revision, int(mark.presence), mark.weight, mark.digest, place, written)
