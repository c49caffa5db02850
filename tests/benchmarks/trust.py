"""What the benchmarks of trust share: a small memory, every command that writes, and runs that end too early.

A command runs in a fork of this process, which has loaded everything and opened nothing, with fakes for the models.
"""

import importlib
import json
import os
import pickle
import pkgutil
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Self

import evermem_cli
from evermem_cli import timespan
from evermem_cli.__main__ import run
from evermem_cli.archive import export
from evermem_cli.cli.actions import corrections, intake
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import StoreError
from evermem_cli.naming import find_mentions
from evermem_cli.store import Keys, Store
from evermem_cli.store.file import connection
from evermem_cli.store.file.keys import names_encrypted, write_new
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm

SAMPLE = Path(__file__).parents[2] / "sample_transcripts"
CHATS = ("maya-priya.txt", "2025-01-assistant.jsonl", "maya-ruben.txt")
DB = "memory.duckdb"
# Columns that say when a row was written, and types of rows that every trial adds to.
MOMENTS = (
    "created_at", "merged_at", "last_accessed", "access_count", "strength", "replaced_at", "last_validated",
    "corrected_at", "superseded_told_at",
)  # fmt: skip
TRIALS = ("access",)
INDEX = """
    select memory_id, kind, count(*), sum(length)::bigint, (
      select coalesce(sum(times), 0)::bigint from postings where postings.head = documents.head)
    from documents group by memory_id, kind, documents.head order by all"""
# What must be nought in a memory that is whole.
LOOSE = {
    "messages without an entry": "select count(*) from messages where id not in (select memory_id from documents)",
    "entries without a memory": """
        select count(*) from documents where memory_id not in (
          select id from messages union all select id from episodes union all select id from event_logs union all
          select id from foresights union all select id from digests)""",
    "words without an entry": "select count(*) from postings where head not in (select head from documents)",
    "messages without a chat": """
        select count(*) from messages where conversation_id not in (select id from conversations)""",
    "messages without a topic": """
        select count(*) from messages where coalesce(memcell_id not in (select event_id from memcells), true)""",
    "topics without messages": """
        select count(*) from memcells where event_id not in (select memcell_id from messages)""",
    "sources without a message": """
        select count(*) from sources where message_id not in (select id from messages)""",
}


@dataclass(frozen=True, slots=True)
class Command:
    """A command that writes. `before` are those that make what it finds.

    `steps`: it commits more than once, `adds`: it takes nothing away, `target`: the file that it is to make.
    """

    name: str
    arguments: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    steps: bool = False
    adds: bool = True
    target: str = ""


INGEST = ("ingest", "--no-llm", "--me", "Maya", "chats")
FIRST = ("ingest", "--no-llm", "--me", "Maya", "chats/maya-priya.txt")
ENRICH = ("enrich",)
FULL = (INGEST, ENRICH)
ENCRYPT = ("encrypt", "--key-file", "key")
FACT = "FACT"  # stands for the id of the first fact
KEYS = ("key", "other")
TRIAL = "trial"
INTERRUPTED = 130
TOLD_EVERY = 20
ROOMS = "a folder for what is prepared, which the next run takes from there"
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
EXPORT = ("export", "--include-private", "-o", "memory.jsonl")
# Another memory in the same room, which shares a folder with the one that is tried.
ELSEWHERE = ("--db", "other.duckdb")
SYNC = ("sync", "shared")
SYNC_OTHER = (*SYNC, *ELSEWHERE)
INGEST_OTHER = ("ingest", "--no-llm", "--me", "Maya", "chats/maya-ruben.txt", *ELSEWHERE)
FORGET_OTHER = ("forget", "--matching", "Biscuit", "--yes", *ELSEWHERE)
# With words for vectors no topics belong together; this has two of them be one scene.
ONE_SCENE = (
    "sql",
    """insert into scenes select 'scene-1', user_id, 'theme', '', null, 2, first_timestamp, latest_timestamp, null,
       created_at from scenes limit 1""",
    """update memcells set scene_id = 'scene-1' where event_id in (
         select event_id from memcells where extraction = 'done' order by start_at limit 2)""",
)
# What is made of a language model's replies that words alone do not bring.
A_RULE = (
    "sql",
    """insert into rules select 'rule-1', 'default', 'general', 'Name trains first.', 'prefer', 'trains', 0, 0, 0,
         timestamp '2025-03-01', timestamp '2025-03-01', null, 1.0, null, 0""",
)
COMMANDS = (
    Command("first ingest", INGEST, steps=True),
    Command("second ingest", INGEST, (FIRST,), steps=True),
    Command("ingest with tier 2", ("ingest", "--me", "Maya", "chats"), (FIRST,), steps=True),
    Command("enrich", ENRICH, (INGEST,), steps=True),
    Command("import", ("import", "memory.jsonl"), ()),
    Command("backup", ("backup", "copy.duckdb"), FULL, target="copy.duckdb"),
    Command("forget", ("forget", "--matching", "Biscuit", "--yes"), FULL, steps=True, adds=False),
    Command("people merge", ("people", "merge", "Priya", "Ruben", "--yes"), FULL),
    Command("people split", ("people", "split", "Priya"), (*FULL, ("people", "merge", "Priya", "Ruben", "--yes"))),
    Command("rules override", ("rules", "override", "rule-1"), (*FULL, A_RULE)),
    Command("restore", ("restore", FACT), FULL),
    Command("view", ("view", "-o", "page.html", "--no-llm"), FULL, target="page.html"),
    Command("digest", ("digest",), (*FULL, ONE_SCENE), adds=False),
    Command("export", ("export", "--include-private", "-o", "out.jsonl"), FULL, target="out.jsonl"),
    Command("watch", ("watch", "--no-llm", "--me", "Maya", "chats"), (FIRST,), steps=True),
    Command("me", ("me", "Maya"), (("ingest", "--no-llm", "chats"),), steps=True),
    Command("remember", ("remember", "I live in Leeds, and I work as a nurse."), FULL, steps=True),
    Command("correct", ("correct", FACT, "Maya has no dog."), FULL, steps=True),
    Command("undo", ("undo", "--yes"), (FIRST, INGEST), steps=True, adds=False),
    Command("privacy", ("privacy", FACT, "private"), FULL),
    Command("encrypt", ("encrypt", "--key-file", "key"), FULL),
    Command("rekey", ("rekey", "--key-file", "key", "--to", "other"), (*FULL, ENCRYPT)),
    Command("decrypt", ("decrypt", "--key-file", "key"), (*FULL, ENCRYPT)),
    Command("sync", SYNC, (FIRST, INGEST_OTHER, SYNC_OTHER), steps=True),
    Command("sync that forgets", SYNC, (*FULL, SYNC, SYNC_OTHER, FORGET_OTHER, SYNC_OTHER), steps=True, adds=False),
    Command("search of an agent", ("search", "--as", "helper", "Biscuit"), FULL),
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; a signal is a negative code."""

    code: int
    out: str
    err: str

    @property
    def traceback(self) -> bool:
        """Whether it ended with an error that nobody had thought of."""
        return "Traceback" in self.err or self.code < 0


def models_faked() -> None:
    """Loads all code, and has commands work with words for vectors and a language model that writes the same always."""
    for module in pkgutil.walk_packages(evermem_cli.__path__, "evermem_cli."):
        importlib.import_module(module.name)
    for language in ("en", "zh"):  # what is compiled at the first use, and took most of a trial's time
        timespan.find({"en": "tomorrow", "zh": "明天"}[language], NOW)
    find_mentions("Anna")
    Session.embedder = Session.question_embedder = property(lambda session: WordEmbedder())  # type: ignore
    Session.llm = property(lambda session: ScriptedLlm("Title: A talk of friends"))  # type: ignore
    corrections.datetime = Noon  # type: ignore
    intake.time = Watched()  # type: ignore


@dataclass(slots=True)
class Watched:
    """Time for a command that watches: it is stopped once it has read every chat, and what they say."""

    pauses: int = 0

    def sleep(self, seconds: float) -> None:
        """Raises KeyboardInterrupt then: at the first look the files are seen, at the second they are read."""
        self.pauses += 1
        if self.pauses > 1:
            raise KeyboardInterrupt
        time.sleep(seconds)


class Noon(datetime):
    """What is told in a trial is told at the same moment each time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """NOW, wherever that is."""
        return cls.fromtimestamp(NOW.timestamp(), tz)


def _changed(statements: tuple[str, ...]) -> None:
    with connection.connected(Path(DB), write=True, timeout=5.0) as opened:
        for statement in statements:
            opened.execute(statement)


def started(arguments: tuple[str, ...], room: Path, largest: int | None = None) -> int:
    """Starts evermem in a room of its own; no file can grow beyond `largest` bytes. Returns the process."""
    if arguments[0] == "sql":
        return forked(partial(_changed, arguments[1:]), room)
    return forked(partial(_evermem, arguments, largest), room)


def _evermem(arguments: tuple[str, ...], largest: int | None) -> None:
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    sys.argv = ["evermem", *arguments]
    os.environ |= {"EVERMEM_DB": DB, "EVERMEM_EMBEDDER": "words"}
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background is deaf to it
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)  # before the command began
    run()


def forked(work: Callable[[], None], room: Path) -> int:
    """A fork that works in a room, with its output in files outside of it."""
    if child := os.fork():
        return child
    os.chdir(room)
    for stream, ending in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{room}.{ending}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), stream)
    try:
        work()
    except SystemExit:
        pass  # of a command that has nothing to say of how it went
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def ended(process: int, room: Path) -> Ended:
    """Waits for it."""
    _, status = os.waitpid(process, 0)
    out, err = (Path(f"{room}.{ending}").read_text(encoding="utf-8", errors="replace") for ending in ("out", "err"))
    return Ended(os.waitstatus_to_exitcode(status), out, err)


def done(arguments: tuple[str, ...], room: Path, largest: int | None = None) -> Ended:
    """Runs evermem to its end; of one that watches, being stopped is the end."""
    found = ended(started(arguments, room, largest), room)
    return replace(found, code=0) if arguments[0] == "watch" and found.code == INTERRUPTED else found


def killed(arguments: tuple[str, ...], room: Path, after: float, by: signal.Signals = signal.SIGKILL) -> Ended:
    """Runs evermem and sends it a signal after so many seconds, if it still runs."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until the command begins
    process = started(arguments, room)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    time.sleep(after)
    os.kill(process, by)
    return ended(process, room)


def state(room: Path, name: str = DB) -> dict[str, Any]:
    """What a memory holds, without when it was written, and what is wrong with it; empty where there is none."""
    found = ended(forked(partial(_tell_state, name), room), room)
    if found.code:
        raise RuntimeError(found.err)
    told: dict[str, Any] = json.loads(found.out)
    return told


def _tell_state(name: str) -> None:
    if not Path(name).exists():
        print("{}")
        return
    key = _key(Path(name))
    keys = Keys(Path(key) if key else None)
    store = Store(Path(name), 5.0, keys=keys)
    lines = [_timeless(json.loads(line)) for line in export(store)]
    with connection.connected(store.path, write=False, timeout=5.0, keys=keys) as opened:
        index = opened.execute(INDEX).fetchall()
        counts = {what: opened.execute(query).fetchall()[0][0] for what, query in LOOSE.items()}
    rows = sorted(json.dumps(line, sort_keys=True) for line in lines if line["type"] not in TRIALS)
    loose = {what: count for what, count in counts.items() if count}
    print(json.dumps({"rows": rows, "index": index, "loose": loose, "key": key}))


def _written(key: str) -> None:
    """Opens a memory as every command does that writes."""
    with connection.connected(Path(DB), write=True, timeout=5.0, keys=Keys(Path(key) if key else None)):
        pass


def _key(path: Path) -> str | None:
    """The file of the key that opens a memory; None where it is plain."""
    for name in KEYS if names_encrypted(path) else ():
        with suppress(StoreError), connection.connected(path, write=False, timeout=5.0, keys=Keys(Path(name))):
            return name
    return None


def _timeless(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in MOMENTS}


def hidden(room: Path) -> list[str]:
    """What lies in a room that nobody asked for; the log is a part of the memory."""
    asked = {DB, f"{DB}.wal", "copy.duckdb", "out.jsonl", "page.html", "memory.jsonl", "chats", f"{DB}.accesses", *KEYS}
    both = sorted((room / "shared").glob("evermem-*"))[:2]  # this memory's bundle, and the other's
    asked |= {"shared", "other.duckdb", *(path.name for path in both)}
    return sorted(path.name for path in [*room.iterdir(), *(room / "shared").iterdir()] if path.name not in asked)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A command with the room that it finds, what that holds before and after it, and how long it takes."""

    command: Command
    room: Path
    before: dict[str, Any]
    after: dict[str, Any]
    seconds: float
    largest: int  # bytes of the largest file that it leaves
    lines: int  # of what is exported


@contextmanager
def workplace(kept: Path | None) -> Iterator[Path]:
    """The folder that stays for the next run, or one that goes with this run."""
    if kept is None:
        with tempfile.TemporaryDirectory() as made:
            yield Path(made)
        return
    kept.mkdir(parents=True, exist_ok=True)
    yield kept.resolve()


def prepared(folder: Path) -> list[Prepared]:
    """Every command, ready to be tried, as it was prepared in this folder before."""
    models_faked()
    known = folder / "prepared.pickle"
    if known.exists():
        found: list[Prepared] = pickle.loads(known.read_bytes())
        return found
    rooms = Rooms(folder)
    shutil.copy(rooms.after((*FULL, EXPORT)) / "memory.jsonl", folder)
    found = [_prepare(command, rooms) for command in COMMANDS]
    known.write_bytes(pickle.dumps(found))
    return found


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms as commands leave them; all are made in the one place where trials are, since `sync` knows its folder."""

    folder: Path
    made: dict[tuple[tuple[str, ...], ...], Path] = field(default_factory=dict)

    @property
    def trial(self) -> Path:
        """Where commands run."""
        return self.folder / TRIAL

    def after(self, commands: tuple[tuple[str, ...], ...]) -> Path:
        """The room that these commands leave, one after the other."""
        if commands not in self.made:
            earlier = self.after(commands[:-1]) if commands else None
            room = self.folder / f"room-{len(self.made)}"
            if earlier:
                copied(earlier, self.trial)
                _well(done(commands[-1], self.trial), commands[-1])
                shutil.copytree(self.trial, room)
            else:
                _furnish(room)
            self.made[commands] = room
        return self.made[commands]


def _prepare(command: Command, rooms: Rooms) -> Prepared:
    room, trial = rooms.folder / command.name, rooms.trial
    shutil.copytree(rooms.after(command.before), room)
    if command.name == "import":
        shutil.copy(rooms.folder / "memory.jsonl", room)
    command = replace(command, arguments=named_in(room, command.arguments))
    copied(room, trial)
    start = time.monotonic()
    _well(done(command.arguments, trial), command.arguments)
    seconds = time.monotonic() - start
    largest = max(path.stat().st_size for path in trial.rglob("*") if path.is_file())
    out = trial / "out.jsonl"
    lines = len(out.read_text(encoding="utf-8").splitlines()) if out.exists() else 0
    return Prepared(command, room, state(room), state(trial), seconds, largest, lines)


def named_in(room: Path, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Arguments with the id of the first fact where FACT stands for it."""
    if FACT not in arguments:
        return arguments
    rows = map(json.loads, state(room)["rows"])
    first = min(str(row["id"]) for row in rows if row["type"] == "fact")
    return tuple(first if each == FACT else each for each in arguments)


def _furnish(room: Path) -> None:
    (room / "chats").mkdir(parents=True)
    (room / "shared").mkdir()
    for chat in CHATS:
        shutil.copy(SAMPLE / chat, room / "chats")
    for key in KEYS:
        write_new(room / key)


def _well(found: Ended, arguments: tuple[str, ...]) -> None:
    if found.code:
        raise RuntimeError(f"{arguments}: {found}")


def verdict(each: Prepared, room: Path) -> list[str]:
    """What is wrong with a room in which a command has ended too early, now and after it was done once more."""
    command = each.command
    try:
        now = state(room)
        wrong = _half(each, now) + ([] if whole(each, room) else [f"half: {command.target}"])
        if command.target:
            (room / command.target).unlink(missing_ok=True)
        if now != each.after or each.before == each.after:
            again = done(command.arguments, room)
            wrong += [f"stuck: {again}"] if again.code else []
        else:
            ended(forked(partial(_written, str(now["key"] or "")), room), room)  # takes away what was left
        after = state(room)
    except RuntimeError as error:
        return [f"unreadable: {error}"]
    if after != each.after:
        wrong.append(f"other: {unlike(after, each.after)[:3]} {unlike(each.after, after)[:3]}")
    return wrong + [f"left: {name}" for name in hidden(room)]


def _half(each: Prepared, now: dict[str, Any]) -> list[str]:
    """What is half there, or lost; a topic that grows is another, and what the model made of it is made anew."""
    wrong = [f"half: {now['loose']}"] if now.get("loose") else []
    if not each.command.steps and now not in (each.before, each.after):
        wrong.append("half: neither as before nor as after")
    lost = [row for row in unlike(each.before, now) if '"type": "message"' in row or '"type": "conversation"' in row]
    if each.command.adds and {_named(row) for row in lost} - {_named(row) for row in now.get("rows", ())}:
        wrong.append(f"lost: {lost[:3]}")
    return wrong


def _named(row: str) -> str:
    return str(json.loads(row).get("id"))


def whole(each: Prepared, room: Path) -> bool:
    """Whether the file that a command is to make is not there, or all of it is."""
    target = room / each.command.target
    if not each.command.target or not target.exists():
        return True
    if target.suffix == ".html":
        return target.read_text(encoding="utf-8").rstrip().endswith("</html>")
    if target.suffix == ".jsonl":
        return len(target.read_text(encoding="utf-8").splitlines()) == each.lines
    return state(room, each.command.target) == each.after


def unlike(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The rows of one state that another lacks."""
    return sorted(set(one.get("rows", ())) - set(other.get("rows", ())))


def copied(room: Path, trial: Path) -> None:
    """A fresh copy of a room."""
    shutil.rmtree(trial, ignore_errors=True)
    shutil.copytree(room, trial)


def tell(tried: int, done: int, wrong: Counter[str]) -> None:
    """Says on stderr how far a benchmark is, every so many trials and at the end."""
    if done and (done % TOLD_EVERY == 0 or done == tried):
        print(f"{done} of {tried} tried, {wrong.total()} wrong", file=sys.stderr, flush=True)


def in_turn(count: int, all_prepared: list[Prepared], seed: int) -> list[tuple[Prepared, random.Random]]:
    """So many trials, of each command as many, each with its own chance."""
    chosen = [all_prepared[trial % len(all_prepared)] for trial in range(count)]
    return [(each, random.Random(f"{seed}-{trial}")) for trial, each in enumerate(chosen)]
