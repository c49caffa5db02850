"""Statements that the tagger is unsure of, from the question to the language model to the profile."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from evermem_cli.archive import Import, export
from evermem_cli.consolidate import Consolidation
from evermem_cli.engines import Request
from evermem_cli.memory import Message, Selection, Stance, Statement, Whose
from evermem_cli.store import Store
from tests.support.chats import NINE
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm
from tests.support.tables import rows
from tests.test_ingest import Memory, a_narrator

CHAT = "[2025-03-01 09:00] User: Twelve years at the dye works, and still no pension.\n"
MODEL = {"titles": "model", "statements": "model"}


def replying(verdict: str) -> ScriptedLlm:
    """A model that gives this verdict on every statement."""
    return ScriptedLlm(lambda request: verdict if is_doubt(request) else a_narrator(request))


def is_doubt(request: Request) -> bool:
    return request.pattern == "yes|no"


def remembered(folder: Path, verdict: str, probability: float = 0.4, doer: str = "model") -> Memory:
    """A memory of the chat, in which the tagger read the employer with this probability."""
    memory = Memory(folder, replying(verdict), tasks=MODEL | {"statements": doer})
    memory.reads = False
    memory.ingest(memory.file(CHAT))
    read(memory.store, probability)
    return memory


def read(store: Store, probability: float, tagger: str = "t") -> None:
    with store.read() as reader:
        [(message_id, text, _)] = reader.statements.passages(reader.statements.unread_ids("none"))
    start = text.index("the dye works")
    statement = Statement(
        message_id=message_id,
        start=start,
        stop=start + 13,
        kind="employer",
        value="the dye works",
        whose=Whose.ME,
        person="",
        stance=Stance.HOLDS,
        probability=probability,
    )
    with store.write() as writer:
        writer.consolidation.put_statements(tagger, [message_id], [statement])


def employer(store: Store) -> list[tuple[str, bool]]:
    """The asserted employers, and whether a profile may rest on each."""
    with store.read() as reader:
        found = rows(reader, "select value, sure from assertions where attribute = 'employer'")
    return [(row["value"], row["sure"]) for row in found]


def verdicts(store: Store) -> list[bool]:
    with store.read() as reader:
        return [row["holds"] for row in rows(reader, "select holds from verdicts")]


def questions(memory: Memory) -> int:
    assert isinstance(memory.llm, ScriptedLlm)
    return sum(map(is_doubt, memory.llm.history))


def test_a_yes_makes_a_statement_sure_and_a_no_drops_it(tmp_path: Path) -> None:
    asserted = {}
    for verdict in ("yes", "no"):
        (folder := tmp_path / verdict).mkdir()
        memory = remembered(folder, verdict, probability=0.52)
        report = memory.enrich()
        assert (report.verdicts, report.failed, questions(memory)) == (1, {}, 1)
        asserted[verdict] = employer(memory.store)
    assert asserted == {"yes": [("dye works", True)], "no": []}


def test_nothing_is_asked_where_code_does_it(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "yes", probability=0.52, doer="code")
    assert memory.enrich().verdicts == 0
    assert questions(memory) == 0
    assert [value for value, _ in employer(memory.store)] == ["dye works"]


def test_a_verdict_outlives_enrich_again_a_new_tagger_and_an_export(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "yes")
    memory.enrich()
    Consolidation(memory.store, memory.settings).again()
    assert employer(memory.store) == [("dye works", True)]
    read(memory.store, 0.45, "newer")
    memory.enrich()
    assert employer(memory.store) == [("dye works", True)]

    other = Store(tmp_path / "other.duckdb", 1.0)
    lines = [line.encode() for line in export(memory.store)]
    Import(other, WordEmbedder(memory.embedder.name), lambda *_: None).run(lines)
    read(other, 0.4)
    Consolidation(other, memory.settings).run()
    assert employer(other) == [("dye works", True)]
    assert questions(memory) == 1


def test_an_unusable_reply_is_no_verdict_and_is_asked_again(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "perhaps")
    [reason] = memory.enrich().failed.values()
    assert "no usable reply about a statement" in reason
    assert verdicts(memory.store) == []
    with memory.store.read() as reader:
        assert reader.overview.status().failed == 1
    memory.llm = replying("yes")
    report = memory.enrich()
    assert (report.memcells, report.verdicts, report.failed) == (1, 1, {})
    assert employer(memory.store) == [("dye works", True)]


def test_topics_that_were_formed_before_the_model_had_the_task_are_judged_too(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "yes", doer="code")
    memory.enrich()
    memory.settings = replace(memory.settings, tasks={"titles": "model", "statements": "model"})
    report = memory.enrich()
    assert (report.memcells, report.verdicts) == (0, 1)
    assert employer(memory.store) == [("dye works", True)]
    memory.loaded = 0
    memory.enrich()
    assert memory.loaded == 0


def test_a_verdict_goes_with_its_message(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "yes")
    memory.enrich()
    memory.store.forget(Selection(user_id="default", words=("pension",)))
    assert verdicts(memory.store) == []
    assert b"dye works" not in memory.store.path.read_bytes()


def test_an_edited_message_is_judged_anew(tmp_path: Path) -> None:
    memory = remembered(tmp_path, "yes")
    memory.enrich()
    with memory.store.write() as writer:
        [message] = memory_messages(memory)
        edited = replace(message, text="She works at the dye works.")
        writer.chats.edit([edited], [1], memory.embedder.embed([edited.text]))
    assert verdicts(memory.store) == []


def memory_messages(memory: Memory) -> list[Message]:
    with memory.store.read() as reader:
        [cell] = reader.topics.memcells([row["event_id"] for row in rows(reader, "select event_id from memcells")])
        return list(cell.messages)


@pytest.mark.parametrize(("known_by", "expected"), [(timedelta(days=-60), []), (timedelta(), ["the dye works"])])
def test_what_is_confirmed_was_known_when_the_message_was_written(
    tmp_path: Path, known_by: timedelta, expected: list[str]
) -> None:
    memory = remembered(tmp_path, "yes")
    memory.enrich()
    with memory.store.read() as reader:
        own = reader.statements.own(["User"], ["employer"], NINE + known_by, 5)
    assert [one.value for one in own if one.is_asserted] == expected
