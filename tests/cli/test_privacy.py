"""The promise that an agent sees nothing of what is private: no memory, nothing it came from or that came of it."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from typer.main import get_command

from evermem_cli import visibility
from evermem_cli.archive import export
from evermem_cli.ask import Asking
from evermem_cli.cli.main import app
from evermem_cli.config import PRIVACY
from evermem_cli.errors import StoreError, UsageError
from evermem_cli.memory import Access, Filter, Kind, Mode, Scale, Selection, Tier
from evermem_cli.reading.domain import domain
from evermem_cli.store import Store
from evermem_cli.store.file import connection, database
from evermem_cli.store.lifecycle import forget
from evermem_cli.store.privacy.withheld import hide_withheld
from tests.cli.test_main import Shell
from tests.recollection.searching import search
from tests.support.lives import EMBEDDER, START, conversation, live, messages
from tests.support.scripted import ScriptedLlm
from tests.support.tables import execute, rows

CHAT = conversation("chat")
REASON = "planning the trip to Bohinj in June"
HEALTH, MONEY = "I take antibiotics for my sinus", "My salary is 40k"
CAT = "My cat is called Miso"
TEXTS = (HEALTH, "It rains in Leeds today", MONEY, CAT)


def as_agent(store: Store, reason: str = "", tiers: dict[str, Tier] = PRIVACY) -> Store:
    return Store(store.path, store.timeout, Access(agent="travel", reason=reason, command="search", tiers=tiers))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two topics: one that is private in part, one that is sensitive in part."""
    made = Store(tmp_path / "memory.duckdb", timeout=2)
    said = messages(CHAT, *TEXTS)
    live(made, CHAT, said[:2], said[2:])
    return made


def every_value(store: Store) -> Iterator[str]:
    """All that any query of a reader could bring up."""
    with store.read() as reader:
        for table in forget.KEYS:
            for row in rows(reader, f"select * from {table}"):
                yield from map(str, row.values())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (HEALTH, "health"),
        (MONEY, "finance"),
        ("I was diagnosed on Monday, right after the meeting at work.", "health"),
        ("I can't come climbing tomorrow, I have a cold", "health"),
        ("Sam has a fever", "health"),
        ("What a sick beat, he is killing it", "general"),
        ("We got £300 back", "finance"),
        ("Sam and I broke up", "relationships"),
        ("My boss wants me to apply for the post", "work"),
        ("My flight lands at nine", "travel"),
        ("My cat is called Miso", "general"),
        ("A painting of a silly billboard", "general"),
        ("医生给我开了药", "health"),
        ("我的工资涨了", "finance"),
        ("我们分手了", "relationships"),
        ("今天下雨", "general"),
    ],
)
def test_a_text_has_a_domain_the_most_private_first(text: str, name: str) -> None:
    assert domain(text) == name


def test_no_table_holds_anything_of_what_is_private(store: Store) -> None:
    assert any("antibiotics" in value for value in every_value(store))
    for reason, hidden in (("", ("antibiotics", "salary")), (REASON, ("antibiotics",))):
        seen = list(every_value(as_agent(store, reason)))
        for word in hidden:
            assert [value for value in seen if word in value] == [], (reason, word)
    assert any("salary" in value for value in seen)
    assert any("It rains" in value for value in seen)


def test_every_table_is_behind_the_veil(store: Store) -> None:
    """Also one that nobody has made a rule for: it is empty."""
    with store.write() as writer:
        execute(writer, "create table diary as select 'antibiotics' as entry")
    with as_agent(store).read() as reader:
        shadowed = rows(reader, "select view_name from duckdb_views() where temporary and not internal")
        assert {row["view_name"] for row in shadowed} == {*forget.KEYS, "diary"}
        assert rows(reader, "select * from diary") == []


def test_tables_are_looked_through_row_by_row_as_by_conditions(store: Store) -> None:
    """However many rows they have, and whichever of the two is the faster then."""
    kept = []
    for large in (0, 10**9):
        with connection.connected(store.path, write=False, timeout=2) as opened:
            hide_withheld(opened, [Tier.PRIVATE], PRIVACY, large)
            tables = {table: opened.execute(f"select * from {table}").fetchall() for table in forget.KEYS}
            every = b"\xff" * 1024
            last = opened.execute("select max(number) from evermem.main.documents").fetchall()[0][0]
            chosen = opened.execute(
                "select number from chosen_documents($numbers::blob::bit) order by number",
                {"numbers": every[: (last + 8) // 8]},
            ).fetchall()
            numbers = opened.execute("select number from documents order by number").fetchall()
            assert chosen == numbers
        kept.append({table: sorted(map(str, rows)) for table, rows in tables.items()})
    assert kept[0] == kept[1]
    with store.read() as reader:
        assert len(kept[0]["documents"]) < len(rows(reader, "select number from documents"))


def test_while_the_file_is_open_each_sees_what_they_would_see_alone(store: Store) -> None:
    agent = as_agent(store, REASON)
    with agent.at_once() as sitting:
        once = replace(agent, opened=sitting)
        for _ in range(2):
            for seen, alone in ((once, agent), (replace(once, access=None), store)):
                assert sorted(map(str, every_value(seen))) == sorted(map(str, every_value(alone)))
        with once.read_withheld() as reader, store.read() as whole:
            ids = {fact.id for fact in whole.topics.facts()}
            with agent.read() as told:
                assert reader.count(ids) == len(ids - {fact.id for fact in told.topics.facts()}) > 0
        with pytest.raises(UsageError), replace(as_agent(store), opened=sitting).read():
            pass


def kept_veils() -> list[database.Connection]:
    return [cursor for held in database.idle[False] for cursor in held.cursors.values()]


def test_what_is_withheld_is_found_out_once_and_anew_when_the_file_has_changed(store: Store) -> None:
    database.let_go()  # what is kept of other tests' files
    first = sorted(every_value(as_agent(store, REASON)))
    veils = kept_veils()
    assert veils
    assert sorted(every_value(as_agent(store, REASON))) == first
    assert kept_veils() == veils
    assert any("salary" in value for value in first)
    keep_salary_private(store)
    again = list(every_value(as_agent(store, REASON)))
    assert [value for value in again if "salary" in value] == []
    assert not set(veils) & set(kept_veils())


def keep_salary_private(store: Store) -> None:
    with store.read() as reader:
        [row] = rows(reader, "select id from messages where text = $text", text=MONEY)
    with store.privacy(write=True) as opened:
        opened.set_tier(row["id"], Tier.PRIVATE)


def test_two_agents_by_turns_see_each_what_is_theirs(store: Store) -> None:
    """One has a reason and one has none; the owner, whose reading has no veil, is between them."""
    for _ in range(2):
        assert any("salary" in value for value in every_value(as_agent(store, REASON)))
        assert any("antibiotics" in value for value in every_value(store))
        assert [value for value in every_value(as_agent(store)) if "salary" in value] == []


def test_a_file_in_the_place_of_another_is_another(store: Store, tmp_path: Path) -> None:
    """Also where it is as long and as old as the one before."""
    assert any("salary" in value for value in every_value(as_agent(store, REASON)))
    before = store.path.stat()
    other = tmp_path / "other.duckdb"
    shutil.copy(store.path, other)
    keep_salary_private(Store(other, timeout=2))
    other.replace(store.path)
    os.utime(store.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [value for value in every_value(as_agent(store, REASON)) if "salary" in value] == []


@dataclass(frozen=True)
class Seen:
    """A memory as its store opens it."""

    store: Store

    def as_owner(self) -> "Seen":
        return Seen(replace(self.store, access=None))


def test_what_the_owner_would_be_told_is_looked_for_where_something_is_withheld(store: Store, tmp_path: Path) -> None:
    plain = Store(tmp_path / "plain.duckdb", timeout=2)
    live(plain, CHAT, messages(CHAT, "It rains in Leeds today"))
    asked = []

    def ids_of_answer(side: Seen) -> list[str]:
        asked.append(side.store.path)
        with side.store.read() as reader:
            return [fact.id for fact in reader.topics.facts()]

    assert visibility.withheld(Seen(as_agent(plain)), ids_of_answer) == 0
    assert visibility.withheld(Seen(as_agent(store)), ids_of_answer) == 2
    assert asked == [store.path]


def test_who_reads_is_noted_beside_the_file_and_comes_into_it_once(store: Store) -> None:
    before = store.path.stat().st_mtime_ns
    with as_agent(store, REASON).read():
        pass
    assert store.path.stat().st_mtime_ns == before
    for _ in range(2):
        with store.privacy(write=False) as opened:
            assert [(entry.agent, entry.reason) for entry in opened.accesses("travel")] == [("travel", REASON)]
        with store.write():
            pass
        assert store.journal.read() == b""


def test_a_reading_that_cannot_be_noted_is_refused(store: Store) -> None:
    store.journal.path.mkdir()
    with pytest.raises(StoreError), as_agent(store).read():
        pass


def test_what_the_user_said_of_a_memory_decides(store: Store) -> None:
    with store.read() as reader:
        (cat,) = [fact for fact in reader.topics.facts() if "Miso" in fact.atomic_fact]
        (sinus,) = [fact for fact in reader.topics.facts() if "sinus" in fact.atomic_fact]
    with store.privacy(write=True) as opened:
        assert opened.tier(cat.id, PRIVACY) == (Tier.PUBLIC, "general")
        opened.set_tier(cat.id, Tier.PRIVATE)
        opened.set_tier(sinus.id, Tier.PUBLIC)
        assert opened.tier(cat.id, PRIVACY) == (Tier.PRIVATE, "general")
    seen = list(every_value(as_agent(store)))
    assert not any("Miso" in value for value in seen)
    assert any("antibiotics" in value for value in seen)
    with store.privacy(write=True) as opened:
        opened.set_tier(cat.id, None)
    assert any("Miso" in value for value in every_value(as_agent(store)))


def state(store: Store, attribute: str, text: str) -> str:
    """Has what somebody said be a statement of this attribute; returns the message's id."""
    with store.write() as writer:
        (said,) = (fact for fact in writer.reader.topics.facts() if text in fact.atomic_fact)
        (message_id,) = said.message_ids
        execute(
            writer,
            """insert into assertions by name select $id as id, memcell_id, user_id, $attribute as attribute,
               'yes' as value, 'holds' as stance, said_at, 1.0 as confidence, [] as fact_ids, created_at
               from messages where id = $message""",
            id=f"stated-{attribute}",
            attribute=attribute,
            message=message_id,
        )
        execute(writer, "insert into sources values ($id, 0, $message)", id=f"stated-{attribute}", message=message_id)
    return message_id


def test_a_statement_is_as_private_as_its_attribute_whatever_its_words(store: Store) -> None:
    rain = state(store, "salary", "It rains")
    assert [value for value in every_value(as_agent(store)) if "rains" in value] == []
    assert any("rains" in value for value in every_value(as_agent(store, REASON)))
    state(store, "medication", "Miso")
    assert not {CAT, f"Ann said: {CAT}"} & {*every_value(as_agent(store, REASON))}
    with store.privacy(write=True) as opened:
        opened.set_tier(rain, Tier.PUBLIC)
    assert any("rains" in value for value in every_value(as_agent(store)))


def test_a_conversation_can_be_private_as_a_whole(store: Store) -> None:
    with store.privacy(write=True) as opened:
        opened.set_tier(CHAT.id, Tier.PRIVATE)
    with as_agent(store, REASON).read() as reader:
        counts = reader.overview.status().counts
    assert counts and not any(counts.values())


def test_a_domain_without_a_tier_is_withheld(store: Store) -> None:
    assert any("Miso" in value for value in every_value(store))
    assert not any("Miso" in value for value in every_value(as_agent(store, tiers={"travel": Tier.PUBLIC})))


def test_neighbours_and_citations_of_an_answer_are_withheld_too(store: Store) -> None:
    """The private message stands right before the rain, and would be quoted with it."""
    agent = as_agent(store)
    found = search("rains in Leeds sinus", agent, EMBEDDER, Filter(), 10)
    assert found
    asking = Asking(
        store=agent,
        embedder=EMBEDDER,
        llm="scripted",
        load_llm=ScriptedLlm,
        budget=600,
        mode=Mode.LIGHT,
        on_text=print,
        on_round=print,
    )
    said = asking.ask("Why rain?", Filter(as_of=START.replace(year=2026)), START.replace(year=2026))
    quoted = [line.text for line in said.recollection.lines] + [each.text for each in said.citations]
    assert quoted
    assert not any("antibiotics" in text for text in quoted)


@pytest.mark.parametrize(
    ("said", "hidden", "shown"),
    [
        (("I live in Leeds.", "I moved to York."), "York", {}),
        (("I live in Leeds.", "I live in York.", "I moved to Hull."), "York", {"location": "Hull"}),
        (("I live in Leeds.", "Rain again.", "I live in Leeds still."), "still", {"location": "Leeds"}),
        (("My cat is called Miso.", "My dog is called Rex."), "Rex", {"pets": "Miso (cat)"}),
    ],
)
def test_where_what_holds_is_withheld_an_agent_gets_no_value_in_its_place(
    tmp_path: Path, minilm: Path, said: tuple[str, ...], hidden: str, shown: dict[str, str]
) -> None:
    chat = "".join(f"[2025-0{month}-01 09:00] Ann: {text}\n" for month, text in enumerate(said, 1))
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    [hit] = [each for each in shell.json("search", hidden)["results"] if hidden in each["text"]][:1]
    assert shell("privacy", hit["message_ids"][0], "private").returncode == 0
    known = shell.json("profile", "--as", "travel")["explicit_facts"]
    assert {attribute: fact["value"] for attribute, fact in known.items()} == shown
    brief = shell("hook", "session-start", "--as", "travel", stdin="{}").stdout
    held = [line for line in brief.splitlines() if line.startswith(("- location: ", "- pets: "))]
    assert [line.partition(" (")[0] for line in held] == [
        f"- {name}: {value.partition(' (')[0]}" for name, value in shown.items()
    ]


def test_every_access_is_logged_and_an_agent_may_do_nothing_else(store: Store, tmp_path: Path) -> None:
    agent = as_agent(store, REASON)
    for _ in range(2):
        with agent.read() as reader:
            reader.overview.status()
    with as_agent(store, "because").read() as reader:
        reader.overview.status()
    with store.privacy(write=False) as opened:
        logged = [(entry.agent, entry.reason, entry.sensitive) for entry in opened.accesses("travel")]
    assert logged == [("travel", REASON, True), ("travel", "because", False)]
    for forbidden in (
        lambda: agent.write().__enter__(),
        lambda: agent.write_import().__enter__(),
        lambda: agent.read_for_export().__enter__(),
        lambda: agent.privacy(write=False).__enter__(),
        lambda: agent.new_file("words", 384, Scale()).__enter__(),
        lambda: agent.forget(Selection(user_id="default", person="Ann")),
        lambda: agent.would_forget(Selection(user_id="default", person="Ann")),
        lambda: agent.backup(tmp_path / "copy.duckdb", force=False),
    ):
        with pytest.raises(UsageError, match="travel may only read"):
            forbidden()


def test_an_end_that_something_withheld_gave_a_fact_is_not_told(store: Store) -> None:
    """What is withheld took the rain's place: whoever may not see it is told of the rain as if it had not been said."""
    with store.read() as reader:
        (rain,) = [fact for fact in reader.topics.facts() if "rains" in fact.atomic_fact]
        (cat,) = [fact for fact in reader.topics.facts() if "Miso" in fact.atomic_fact]
    with store.write() as writer:
        writer.consolidation.end_facts([rain.id], {rain.id: (cat.said_at, cat.said_at)})
    with as_agent(store, REASON).read() as reader:
        assert [fact.invalid_at for fact in reader.topics.facts() if fact.id == rain.id] == [cat.said_at]
    with store.privacy(write=True) as opened:
        opened.set_tier(cat.message_ids[0], Tier.PRIVATE)
    later = Filter(as_of=START.replace(year=2026), kinds=(Kind.FACT,), ended=False)
    for seen in (as_agent(store), replace(store, public=PRIVACY)):
        with seen.read() as reader:
            assert [fact.invalid_at for fact in reader.topics.facts() if fact.id == rain.id] == [None]
            ended = rows(reader, "select superseded_at, superseded_grain, superseded_told_at from event_logs")
            assert not any(value for row in ended for value in row.values())
        (found,) = [each for each in search("rains in Leeds", seen, EMBEDDER, later, 10) if each.id == rain.id]
        assert found.invalid_at is None
    assert rain.id not in {each.id for each in search("rains in Leeds", store, EMBEDDER, later, 10)}


def test_an_export_leaves_private_out_unless_asked(store: Store) -> None:
    left_out: list[int] = []
    lines = list(export(store, PRIVACY, left_out.append))
    assert left_out == [1]
    assert not any("antibiotics" in line for line in lines)
    assert any("salary" in line for line in lines)
    assert any("antibiotics" in line for line in export(store))


def test_what_is_withheld_stays_so_when_its_memcell_is_formed_anew(store: Store) -> None:
    with store.read() as reader:
        (cat,) = [fact for fact in reader.topics.facts() if "Miso" in fact.atomic_fact]
    with store.privacy(write=True) as opened:
        opened.set_tier(cat.id, Tier.PRIVATE)
    with store.write() as writer:
        execute(writer, "delete from event_logs where id = $id", id=cat.id)
        execute(writer, "delete from sources where memory_id = $id", id=cat.id)
    assert any("Miso" in value for value in every_value(store))
    assert not any("Miso" in value for value in every_value(as_agent(store)))


def private_memory(folder: Path) -> Shell:
    """A memory with something private in every table, embedded by the real model, so that every command can run."""
    made = Store(folder / "memory.duckdb", timeout=2)
    said = messages(CHAT, *TEXTS)
    live(made, CHAT, said[:2], said[2:])
    lines = "".join(export(made)).replace('"embedder": "words"', '"embedder": "all-minilm-l6-v2"')
    done = Shell(folder / "real.duckdb")
    assert done("import", "-", stdin=lines).returncode == 0
    return done


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    return private_memory(tmp_path_factory.mktemp("private"))


READING = (
    ["search", "What do I take for my sinus?"],
    ["search", "-"],
    ["ask", "--no-llm", "What do I take for my sinus?"],
    ["foresights", "--as-of", "2025-04-01"],
    ["list", "memcells"],
    ["list", "episodes"],
    ["list", "facts"],
    ["list", "foresights"],
    ["list", "digests"],
    ["list", "interactions"],
    ["list", "rules"],
    ["rules"],
    ["examples", "What do I take for my sinus?"],
    ["list", "conversations"],
    ["list", "scenes"],
    ["list", "facts", "--as-of", "2040-01-01", "--archived"],
    ["list", "facts", "--person", "Ann"],
    ["show", "conv-chat"],
    ["scenes"],
    ["profile", "--as-of", "2025-03-01T09:03:00Z"],
    ["profile", "--history"],
    ["conflicts"],
    ["timeline"],
    ["people"],
    ["entities"],
    ["related", "Ann"],
    ["status"],
)
# What is withheld of these is no whole thing of its own.
IN_PART = ("conversations", "people", "entities", "Ann", "status")
# Commands that read nothing of memory, or refuse an agent.
NOT_READING = {
    *(
        "connect",
        "help",
        "hook",
        "mcp",
        "view",
    ),  # an agent by its own means: the tests in tests/mcp and tests/view
    *("ingest", "watch", "enrich", "forget", "restore", "export", "import", "backup", "privacy", "access-log"),
    *("embed", "digest", "encrypt", "decrypt", "rekey", "correct", "me", "remember", "schedule", "sync", "undo"),
    *("doctor", "when", "models", "formats", "config"),
}


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_every_reading_command_withholds_and_counts(shell: Shell, arguments: list[str]) -> None:
    stdin = "What do I take for my sinus?\n"
    assert "antibiotics" in shell(*arguments, "--json", stdin=stdin).stdout or arguments[-1] in IN_PART
    for asked in (("--as", "travel"), ("--as", "travel", "--reason", REASON, "--json")):
        done = shell(*arguments, *asked, stdin=stdin)
        assert done.returncode == 0, done.stderr
        assert "antibiotics" not in done.stdout + done.stderr
        assert "sinus" not in done.stdout.replace("What do I take for my sinus?", "")
        if arguments[-1] in IN_PART:
            continue
        if "--json" in asked:
            assert json.loads(done.stdout)["withheld"] > 0
        elif arguments[-1] != "-":
            assert "withheld" in done.stderr


def test_an_agent_is_told_what_opens_withheld_memories(shell: Shell) -> None:
    for command in (["search", "salary"], ["ask", "What is my salary?", "--no-llm"], ["profile"]):
        done = shell(*command, "--as", "travel")
        assert (
            "withheld: sensitive memories (finance, relationships) are shown if you ask again with --reason"
            in done.stderr
        )
        assert "finance, relationships" in shell.json(*command, "--as", "travel")["withheld_hint"]
    explained = shell.json("search", HEALTH, "--as", "travel", "--reason", REASON)
    assert explained["withheld_hint"].startswith("private memories (health) are shown to the user alone")
    assert "withheld_hint" not in shell.json("search", "salary")


def test_each_command_is_tried_here_or_refuses_agents() -> None:
    commands = {command.name for command in get_command(app).commands.values()}  # type: ignore[attr-defined]
    assert commands - NOT_READING == {arguments[0] for arguments in READING}


def test_a_message_and_what_was_drawn_from_it_are_withheld_once(shell: Shell) -> None:
    found = shell.json("search", HEALTH, "-k", "20", "--as", "travel", "--reason", REASON)
    assert found["withheld"] == 1


def test_an_agent_is_shown_nothing_of_a_withheld_memory_by_its_id(shell: Shell) -> None:
    (sinus,) = [each for each in shell.json("list", "facts")["facts"] if "sinus" in each["atomic_fact"]]
    assert shell.json("show", sinus["id"])["memory"]["privacy_tier"] == "private"
    shown = shell.json("show", sinus["id"], "--as", "travel", "--reason", REASON)
    assert (shown["memory"], "sinus" in str(shown)) == (None, False)


def test_a_reason_that_has_the_forgotten_words_is_blanked(store: Store) -> None:
    with as_agent(store, "because the antibiotics ran out, I think").read():
        pass
    with as_agent(store, REASON).read():
        pass
    store.forget(Selection(user_id="default", words=("antibiotics",)))
    with store.privacy(write=False) as opened:
        assert [entry.reason for entry in opened.accesses(None)] == ["", REASON]
    assert b"antibiotics" not in store.path.read_bytes() + store.journal.read()


def test_the_environment_can_bind_every_command_to_an_agent(shell: Shell) -> None:
    assert "antibiotics" not in shell("search", "sinus", EVERMEM_AGENT="travel").stdout
    for arguments in (
        ["export"],
        ["forget", "--person", "Ann", "--yes"],
        ["privacy", "conv-chat"],
        ["privacy"],
        ["access-log"],
        ["digest", "--dry-run"],
        ["correct", "conv-chat", "It was sunny"],
        ["me", "Ann"],
        ["remember", "It rains"],
        ["undo", "--yes"],
    ):
        done = shell(*arguments, EVERMEM_AGENT="travel")
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "travel may only read" in done.stderr


def test_tiers_are_set_and_accesses_shown(shell: Shell) -> None:
    fact = next(each for each in shell.json("list", "facts")["facts"] if "Miso" in each["atomic_fact"])
    assert shell.json("privacy", fact["id"])["privacy_tier"] == "public"
    assert shell.json("privacy", fact["id"], "private")["memories_set"] == 3
    assert "Miso" not in shell("search", "Miso", "--as", "shop").stdout
    assert "private" in shell("privacy", fact["id"]).stdout
    assert shell.json("privacy", fact["id"], "default")["privacy_tier"] == "public"
    (entry,) = shell.json("access-log", "--as", "shop")["accesses"]
    assert (entry["agent"], entry["command"], entry["sensitive"]) == ("shop", "search", False)
    assert "shop" in shell("access-log").stdout
    assert shell("privacy", fact["id"], "secret").returncode == 2


def test_the_tiers_of_areas_tell_what_they_withhold(shell: Shell) -> None:
    before = shell.json("access-log")
    document = shell.json("privacy")
    areas = {use.pop("area"): use for use in document["areas"]}
    assert {area: use["privacy_tier"] for area, use in areas.items()} == dict(PRIVACY)
    assert [areas[area]["messages"] for area in ("health", "finance", "work", "general")] == [1, 1, 0, 2]
    assert document["messages"] == 4
    assert document["withheld_messages"] == {"without_reason": 2, "with_reason": 1}
    closed = shell("privacy", EVERMEM_PRIVACY='{"general": "private"}')
    assert re.search(r"^general +private +2 +\d+$", closed.stdout, re.MULTILINE)
    assert "Of 4 messages, an assistant is not shown 4, or 3 if it gives a reason." in closed.stdout
    assert shell.json("access-log") == before, "its owner looked"


def test_the_name_of_an_area_in_place_of_an_id_is_told_where_its_tier_is_set(shell: Shell) -> None:
    done = shell("privacy", "work", "private")
    assert (done.returncode, done.stdout) == (2, "")
    assert "work is an area, not an id" in done.stderr
    assert 'a line [privacy], and below it work = "private"' in done.stderr


def test_the_schema_of_the_reader_and_the_veil_agree(store: Store) -> None:
    """A view that lacks a column of its table would break a command for agents alone."""
    with as_agent(store).read() as reader:
        for table in forget.KEYS:
            veiled = reader.connection.execute(f"select * from {table} limit 0").description
            bare = reader.connection.execute(f"select * from evermem.main.{table} limit 0").description
            assert [column[0] for column in veiled or ()] == [column[0] for column in bare or ()]
    assert connection.SCHEMA_VERSION >= 3
