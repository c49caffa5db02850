"""Every memory, of whichever kind, has what a memory is to have."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.support.lives import cell_of, conversation, live, messages
from tests.support.tables import execute

CHAT = conversation("chat")
SAID = messages(CHAT, "I take antibiotics for my sinus", "My cat is called Miso")
NAME = cell_of(SAID).event_id.removeprefix("cell-")
FIELDS = {
    "id", "kind", "content", "context", "valid_at", "valid_grain", "invalid_at", "invalid_grain", "created_at",
    "strength", "last_accessed", "access_count", "archived", "sources", "confidence", "contradictions", "privacy_tier",
}  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Store(tmp_path / "memory.duckdb", timeout=2)
    live(made, CHAT, SAID)
    with made.read() as reader:
        (sinus, _) = [fact.id for fact in reader.topics.facts()]
    made.note_access([sinus, f"rule-{NAME}"])
    return Shell(made.path)


def written(store: Store, at: datetime) -> None:
    """Has all be written then that is not written when it is stored."""
    with store.write() as writer:
        for table in ("digests", "interactions", "rules"):
            execute(writer, f"update {table} set created_at = $at", at=at.replace(tzinfo=None))


def shown(shell: Shell, memory_id: str) -> dict[str, object]:
    found: dict[str, object] = shell.json("show", memory_id)["memory"]
    return found


@pytest.mark.parametrize(
    ("prefix", "kind", "context", "tier"),
    [
        ("msg", "message", "health", "private"),
        ("episode", "episode", "I take antibiotics for my sinus My cat is called Miso", "private"),
        ("fact", "fact", "health", "private"),
        ("foresight", "foresight", "health", "private"),
        ("cell", "memcell", "I take antibiotics for my sinus My cat is called Miso", "private"),
        ("scene", "scene", "I take antibiotics for my sinus My cat is called Miso", "private"),
        ("digest", "digest", "I take antibiotics for my sinus My cat is called Miso", "private"),
        ("act", "interaction", "general", "private"),
        ("rule", "rule", "general", "private"),
    ],
)
def test_every_kind_has_every_field(shell: Shell, prefix: str, kind: str, context: str, tier: str) -> None:
    with Store(shell.db, 2).read() as reader:
        sinus = {"msg": SAID[0].id, "fact": reader.topics.facts()[0].id, "foresight": reader.topics.foresights()[0].id}
        known = sinus | {"episode": reader.topics.episodes()[0].id}
    found = shown(shell, known.get(prefix, f"{prefix}-{NAME}"))
    assert found.keys() == FIELDS
    assert (found["kind"], found["context"], found["privacy_tier"]) == (kind, context, tier)
    assert [name for name in ("content", "valid_at", "created_at", "sources", "confidence") if not found[name]] == []
    assert 0.9 < float(str(found["strength"])) <= 1.5


def test_a_memcell_and_its_scene_are_as_strong_as_the_strongest_in_them(shell: Shell) -> None:
    for prefix in ("cell", "scene"):
        found = shown(shell, f"{prefix}-{NAME}")
        assert (found["strength"], found["access_count"]) == (pytest.approx(1.2, abs=1e-3), 1)


def test_a_rule_is_stronger_for_being_shown_and_validated(shell: Shell) -> None:
    assert shown(shell, f"rule-{NAME}")["strength"] == pytest.approx(1.2, abs=1e-3)
    assert shell("rules", "validate", f"rule-{NAME}").returncode == 0
    found = shown(shell, f"rule-{NAME}")
    assert (found["strength"], found["access_count"]) == (pytest.approx(1.7, abs=1e-3), 1)
    assert found["sources"] == [f"act-{NAME}"]


def test_a_rule_and_an_interaction_fade_are_archived_and_come_back(shell: Shell) -> None:
    store = Store(shell.db, 2)
    store.journal.path.unlink()
    written(store, datetime(2020, 1, 1, tzinfo=UTC))
    gone = shell("rules")
    assert (gone.stdout, gone.stderr) == ("no rules\n", "1 memory is archived; --archived has them\n")
    assert shown(shell, f"rule-{NAME}")["archived"] is True
    assert f"rule-{NAME}" in shell("list", "rules").stdout
    store.journal.path.unlink()  # being listed is an access, too
    for name in ("rule", "act"):
        assert shell("restore", f"{name}-{NAME}").returncode == 0
        assert shown(shell, f"{name}-{NAME}")["strength"] == pytest.approx(1, abs=1e-3)
    assert f"rule-{NAME}" in shell("rules").stdout


def test_a_conversation_is_no_memory_and_shows_what_it_holds(shell: Shell) -> None:
    found = shell.json("show", CHAT.id)
    assert (found["memory"], len(found["memcells"])) == (None, 1)


def test_a_conversation_is_shown_with_its_name_participants_and_days(shell: Shell) -> None:
    heading, about, whom, empty, *_ = shell("show", CHAT.id).stdout.splitlines()
    assert heading == SAID[0].text  # as it has no title of its own
    assert about.endswith(f"2 messages · {CHAT.id}")
    assert whom.strip() == ", ".join(dict.fromkeys(message.speaker for message in SAID))
    assert empty == ""
    assert SAID[0].text not in shell("show", CHAT.id, "--as", "travel").stdout


def test_the_screen_says_it_in_words(shell: Shell) -> None:
    told = shell("show", f"rule-{NAME}").stdout
    assert "general, private; true from " in told
    assert "strength 1.20, shown 1×" in told


def test_an_assertion_is_shown_with_the_message_behind_it(shell: Shell) -> None:
    [listed] = shell.json("list", "assertions")["assertions"]
    found = shell.json("show", listed["id"])
    assert (found["memory"], found["memcells"], found["assertion"] | listed) == (None, [], found["assertion"])
    [said] = found["assertion"]["original_data"]
    assert found["assertion"]["message_ids"] == [said["id"]]
    assert said["speaker"] == "Ann"
    screen = shell("show", listed["id"]).stdout
    assert all(text in screen for text in (listed["id"], listed["attribute"], "holds", said["id"], said["text"]))


def test_an_assertion_tells_until_when_it_held_once_its_end_was_told(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    chat = """[2024-03-02 09:00] Ann: I work at Marlow Foods.
[2024-04-02 09:00] Ann: I've got a cat called Pixel.
[2024-04-03 09:00] Ann: My birthday is 12 May.
[2025-04-02 09:00] Ann: I work at Tidewater now.
[2025-06-02 09:00] Ann: I no longer work at Tidewater.
"""
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    listed = shell.json("list", "assertions")["assertions"]
    ends = {one["value"]: one["invalid_at"] and one["invalid_at"][:10] for one in listed if one["stance"] == "holds"}
    held = {"Marlow Foods": "2025-04-02", "Pixel (cat)": None, "12 May": None, "Tidewater": "2025-06-02"}
    assert held.items() <= ends.items()
    screen = shell("list", "assertions").stdout
    assert "held until 2 Apr 2025, said 2 Mar 2024" in screen
    assert "held until 2 Jun 2025, said 2 Apr 2025" in screen
    assert screen.count("held until") == 2

    [end] = [one["id"] for one in listed if one["stance"] == "ended"]
    [message] = shell.json("show", end)["assertion"]["message_ids"]
    assert shell("privacy", message, "private").returncode == 0
    [shown] = [one for one in shell.json("list", "assertions", "--as", "bob")["assertions"] if "Tide" in one["value"]]
    assert (shown["stance"], shown["invalid_at"]) == ("holds", None)
    assert "held until 2 Apr 2025" in shell("list", "assertions", "--as", "bob").stdout
    assert "Jun 2025" not in shell("list", "assertions", "--as", "bob").stdout


def test_an_assertion_too_doubtful_for_profiles_says_so(shell: Shell) -> None:
    [listed] = shell.json("list", "assertions")["assertions"]
    assert (listed["sure"], "profiles" in shell("list", "assertions").stdout) == (True, False)
    with Store(shell.db, 2).write() as writer:
        execute(writer, "update assertions set sure = false")
    [listed] = shell.json("list", "assertions")["assertions"]
    assert listed["sure"] is False
    assert "holds (not in profiles), said " in shell("list", "assertions").stdout


def test_an_assertion_is_as_private_as_its_message(shell: Shell) -> None:
    [listed] = shell.json("list", "assertions")["assertions"]
    hidden = shell.json("show", listed["id"], "--as", "travel")
    assert (hidden["assertion"], hidden["withheld"]) == (None, 1)
    assert "antibiotics" not in shell("show", listed["id"], "--as", "travel").stdout


def test_the_owner_is_told_which_memory_withholds_a_message_from_assistants(tmp_path: Path) -> None:
    store, chat = Store(tmp_path / "memory.duckdb", timeout=2), conversation("chat")
    said = messages(chat, "We got the flat in Halle!", "It rains")
    live(store, chat, said)
    shell, message = Shell(store.path), said[0].id
    assert shell.json("show", message)["withheld_because"] is None
    with store.write() as writer:
        execute(writer, "update event_logs set domain = 'finance' where atomic_fact like '%Halle%'")
    with store.read() as reader:
        fact, episode = reader.topics.facts()[0].id, reader.topics.episodes()[0].id
    because = {"id": fact, "domain": "finance", "privacy_tier": "sensitive"}
    for memory_id in (message, fact, episode):
        found = shell.json("show", memory_id)
        assert found["withheld_because"] == because
        assert shell.json("show", memory_id, "--as", "bob")["memory"] is None
    line = f"an assistant is shown it only with a reason, since {fact} is sensitive (finance)"
    assert line in shell("show", message).stdout
    assert "since it is sensitive (finance)" in shell("show", fact).stdout
    assert "withheld_because" in shell.json("show", message, "--as", "bob")
    assert shell("privacy", message, "private").returncode == 0
    assert "no assistant is shown it, since it is private (general)" in shell("show", message).stdout


def test_what_cannot_be_done_to_an_assertion_names_what_can(shell: Shell) -> None:
    [listed] = shell.json("list", "assertions")["assertions"]
    for command in (("forget", "--yes"), ("privacy",), ("restore",)):
        done = shell(*command, listed["id"])
        assert done.returncode == 2
        assert "evermem show" in done.stderr
        assert "evermem correct" in done.stderr


COMMANDS_WITH_ID = (
    ("show",), ("correct",), ("forget", "--yes"), ("restore",), ("privacy",), ("scenes",), ("digest",),
    ("rules", "retire"), ("rules", "validate"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS_WITH_ID, ids=" ".join)
def test_an_id_that_is_empty_or_of_nothing_is_refused_in_one_line_that_says_what_to_do(
    shell: Shell, command: tuple[str, ...]
) -> None:
    rest = ("It rains.",) * (command == ("correct",))
    for memory_id, problem in {" ": "the id is empty", "fact-zz": "fact-zz is not "}.items():
        done = shell(*command, memory_id, *rest)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(rf"evermem: {problem}.* \(`evermem .*` shows? ids\)\n", done.stderr)


def test_the_beginning_of_several_ids_is_refused_with_two_of_them(shell: Shell) -> None:
    with Store(shell.db, 2).read() as reader:
        first, second = sorted(fact.id for fact in reader.topics.facts())
    for command in (("show", "fact-"), ("correct", "fact-", "It rains."), ("forget", "--yes", "fact-")):
        done = shell(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("evermem: fact- matches several memories (write more of the id: ")
        assert first in done.stderr and second in done.stderr
    assert "msg- matches several memories" in shell("correct", "msg-", "It rains.").stderr
    assert f"{SAID[0].id} cannot be corrected (facts, " in shell("correct", SAID[0].id, "It rains.").stderr
