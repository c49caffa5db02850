"""What profiles and foresights show of short chats by a blind hand: `python -m tests.benchmarks.chat_classes [--show]`.

Each line of `chat_classes/*.jsonl` is a chat of one of six classes: periods of several statements, offers declined,
days moved, values confirmed, ends, and forms of address. `a.jsonl` is to develop with, and `--show` prints what it
misses; of `b.jsonl` nobody looks at the items. Each chat is ingested without a language model. "shown" are the values
of `now` that a profile or the foresights show after the last message; "begin" those of them that begin as the hand
says, with the message itself where it says nothing; "wrong" are the words of `not` that are shown.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evermem_cli.annotate import Annotation
from evermem_cli.config import CONDITION_DAYS, Settings
from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.engines import Embedder
from evermem_cli.enrich import Enrichment
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Assertion, Filter, Time, Whose, wall
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reading.statements.labels import KINDS
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.people.histories import Histories, histories_of
from evermem_cli.recollection.people.others import is_meant
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.benchmarks.answers import silent
from tests.benchmarks.claims import Record
from tests.training.linear import chosen_embedder

FOLDER = Path(__file__).with_name("chat_classes")
MORNING, MINUTE, DAY = timedelta(hours=9), timedelta(minutes=1), timedelta(days=1)
MOST = 1000  # statements about other people
PLAN = "plan"  # the kind of what foresights show
MOVED = "c"  # the class whose words must not be foreseen either; foresights else say what was said, and of whom
_OF = "'s "


class Current(Record):
    """A value that stands, and the day, month or year of its beginning; None where the chat does not tell it."""

    person: str
    kind: str
    value: str
    begin: str | None


class Other(Record):
    """A value that does not stand for a person."""

    person: str
    value: str


class Case(Record):
    """A chat of times, speakers and texts; `wrong` is "not" in the files."""

    cls: str
    me: str
    m: tuple[tuple[str, str, str], ...]
    now: tuple[Current, ...]
    wrong: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A value that a profile or a foresight shows, when it begins, and when it was said."""

    value: str
    begin: Time | None
    said: datetime

    def begins(self, day: str | None) -> bool:
        """Whether it begins on that day, in that month or year; with the message, where none is told."""
        if self.begin is None or day is None:
            return self.begin is None if day else self.begin is None or wall(self.begin).date() == self.said.date()
        return wall(self.begin).date().isoformat().startswith(day)


def cases(path: Path) -> list[Case]:
    """The chats of a file."""
    names = {"class": "cls", "not": "wrong"}
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [Case.model_validate({names.get(key, key): value for key, value in row.items()}) for row in rows]


@dataclass(frozen=True, slots=True)
class Bench:
    """The models that read all chats."""

    embedder: Embedder
    tagger: Tagger
    highlighter: Highlighter
    settings: Settings

    def memory(self, case: Case, folder: Path) -> MemoryView:
        """The memory of a chat, as of the last message."""
        store, times = Store(folder / "memory.duckdb", 5), [*_times([time for time, _, _ in case.m])]
        rows = [
            {"speaker": speaker, "text": text, "timestamp": time.isoformat()}
            for time, (_, speaker, text) in zip(times, case.m, strict=True)
        ]
        (folder / "chat.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        options = ReadOptions(tz=UTC, me=case.me)
        Ingestion(store, self.embedder, self.settings, silent).run([folder / "chat.jsonl"], options)
        Annotation(store, self.tagger, silent).run()
        Enrichment(store, self.embedder, None, self.settings, silent, highlighter=self.highlighter).run()
        return MemoryView(store, Filter(user_id=self.settings.user, as_of=times[-1]), times[-1])


def _times(days: Sequence[str]) -> Iterator[datetime]:
    for place, day in enumerate(days):
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
        yield moment if moment.hour else moment + MORNING + place * MINUTE


def shown_of(person: str, memory: MemoryView) -> list[Shown]:
    """The values that the profile of somebody shows on the day after the last message."""
    with memory.store.read() as reader:
        ids = reader.names.speaker_ids(memory.user_id or "", assistants=False)
    known = (
        histories_of(memory.store, memory.user_id or "", ids[person], None)
        if person in ids
        else histories(_asserted(person, ids, memory))
    )
    return [*_standing(known, memory.now + DAY)]


def _standing(known: Histories, at: datetime) -> Iterator[Shown]:
    for facts in known.values():
        for fact in facts:
            if fact.invalid_at is None or fact.invalid_at > at:
                yield Shown(fact.value, fact.valid_at, fact.said_at)


def _asserted(person: str, ids: dict[str, str], memory: MemoryView) -> Iterator[Assertion]:
    """What is said about somebody who does not speak; "Ann's mum" is what Ann calls "my mum"."""
    owner, _, role = person.rpartition(_OF)
    asked = replace(memory, where=replace(memory.where, user_id=ids.get(owner, memory.user_id)))
    with memory.store.read() as reader:
        statements = reader.statements.of_others(KINDS, memory.known_by, memory.user_id or "", MOST)
        said = reader.messages.by_id(statement.message_id for statement in statements)
    for statement in statements:
        message = said[statement.message_id]
        if is_meant(f"my {role}" if owner else person, statement, message, asked):
            yield from assert_statements(message, [replace(statement, whose=Whose.ME)], CONDITION_DAYS)


def foreseen(person: str, memory: MemoryView) -> list[Shown]:
    """What the foresights show that somebody said, or for everybody where `person` is empty."""
    with memory.store.read() as reader:
        said_by = reader.names.speaker_ids(memory.user_id or "", assistants=False).get(person)
        expected = reader.topics.foresights(reader.topics.memcell_ids(memory.user_id or ""))
    return [
        Shown(one.foresight, one.start_time, one.said_at)
        for one in expected
        if (not person or one.user_id == said_by) and (one.end_time is None or one.end_time >= memory.now)
    ]


def measure(case: Case, memory: MemoryView) -> tuple[Counter[str], list[str]]:
    """The counts of one chat, and a line for each miss."""
    counts, misses = Counter({"chats": 1}), []
    for current in case.now:
        whose = "" if current.person == case.me else current.person
        values = foreseen(whose, memory) if current.kind == PLAN else shown_of(current.person, memory)
        hits = [one for one in values if current.value.casefold() in one.value.casefold()]
        is_right = any(one.begins(current.begin) for one in hits)
        counts.update({"now": 1, "shown": bool(hits), "begin": is_right})
        if not is_right:
            misses.append(f"now {current.person} {current.kind} {current.value} {current.begin}: {values}")
    for other in case.wrong:
        values = shown_of(other.person, memory) + (foreseen(other.person, memory) if case.cls == MOVED else [])
        hits = [one for one in values if other.value.casefold() in one.value.casefold()]
        counts.update({"not": 1, "wrong": bool(hits)})
        misses += [f"not {other.person} {other.value}: {hits}"] if hits else []
    return counts, misses


def main() -> None:
    """Prints a row for each class of each file."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--show", action="store_true", help="print what the chats to develop with miss")
    options.add_argument("--only", choices=["a", "b"], help="one of the two files")
    chosen = options.parse_args()
    bench = Bench(chosen_embedder(), Tagger(), Highlighter(), Settings.load())
    for path in sorted(FOLDER.glob("*.jsonl")):
        if chosen.only in (None, path.stem):
            rows = _rows(path, bench, show=chosen.show and path.stem == "a")
            for name, counts in sorted(rows.items()):
                print(
                    f"{path.stem} {name}: {counts['chats']} chats, {counts['shown']} of {counts['now']} shown, "
                    f"{counts['begin']} with the right begin, {counts['wrong']} of {counts['not']} wrong"
                )
            print(json.dumps({"benchmark": "chat_classes", "file": path.stem, "classes": rows}), flush=True)


def _rows(path: Path, bench: Bench, *, show: bool) -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = {}
    for case in cases(path):
        with tempfile.TemporaryDirectory() as folder:
            counts, misses = measure(case, bench.memory(case, Path(folder)))
        for name in (case.cls, "all"):
            rows.setdefault(name, Counter()).update(counts)
        if show and misses:
            print(case.cls, *case.m, *misses, sep="\n    ", flush=True)
    return rows


if __name__ == "__main__":
    main()
