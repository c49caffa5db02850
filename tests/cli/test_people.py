"""People, entities and relationships on the command line, as a script meets them."""

import re
from pathlib import Path

import pytest

from evermem_cli.errors import ExitCode
from evermem_cli.memory import name_given
from tests.cli.test_main import Shell
from tests.consolidation.test_relations import GROUP
from tests.support.manual import manual
from tests.test_ingest import Memory

ENTITY = {
    "id", "name", "type", "aliases", "user_id", "mention_count", "first_seen", "last_mentioned", "messages",
}  # fmt: skip
RELATIONSHIP = {
    "id", "from", "type", "to", "from_id", "to_id", "role", "valid_at", "valid_grain", "invalid_at", "invalid_grain",
    "said_at", "confidence", "messages",
}  # fmt: skip


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    memory = Memory(tmp_path_factory.mktemp("relating"), me="Ann")
    memory.ingest(memory.file(GROUP))
    memory.enrich()
    return Shell(memory.store.path)


def test_people_are_listed_with_stable_keys_and_how_one_stands_to_them(shell: Shell) -> None:
    ann, bo, kim = shell.json("people")["people"]
    assert set(ann) == ENTITY | {"said", "is_user", "relationship"}
    assert (ann["name"], ann["user_id"], ann["is_user"], ann["said"]) == ("Ann", "default", True, 2)
    assert (bo["name"], bo["relationship"]["type"], bo["messages"]) == ("Bo", "KNOWS", ["1"])
    assert (kim["name"], kim["said"], kim["mention_count"], kim["relationship"]["role"]) == ("Kim", 0, 2, "cousin")
    assert set(kim["relationship"]) == RELATIONSHIP
    assert "cousin" in shell("people").stdout


def test_the_profile_of_somebody_only_spoken_of_says_where_to_look(shell: Shell) -> None:
    done = shell("profile", "kim")
    assert done.returncode == ExitCode.USAGE
    assert "Kim speaks in none of these chats (`evermem related Kim` shows what is known)" in done.stderr
    assert "(search for Kim: that finds what others say)" in shell("profile", "Kim", "--as", "bob").stderr
    assert "known names: " in shell("profile", "Zed").stderr


def test_spaces_around_a_name_and_between_its_words_do_not_matter(shell: Shell) -> None:
    day = ("--as-of", "2025-06-01")
    assert shell.json("profile", " bo ", *day) == shell.json("profile", "bo", *day)
    assert shell.json("related", "Bo\t")["entity"] == shell.json("related", "Bo")["entity"]
    assert shell.json("people", "--user", " default ") == shell.json("people")
    assert name_given(" Nora \t Lindqvist\n") == "Nora Lindqvist"


@pytest.mark.parametrize(
    "command",
    [
        ["profile", ""],
        ["search", "--person", " ", "Leeds"],
        ["search", "--as", "", "Leeds"],
        ["timeline", "--person", ""],
        ["list", "facts", "--person", ""],
        ["list", "assertions", "--person", " "],
        ["related", ""],
        ["related", "Bo", "--to", ""],
        ["people", "split", ""],
        ["me", ""],
        ["people", "--user", " "],
    ],
)
def test_an_empty_name_is_refused(shell: Shell, command: list[str]) -> None:
    done = shell(*command)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert "the name is empty (give a name, or leave it out)" in done.stderr


def test_entities_are_of_a_type(shell: Shell) -> None:
    [leeds] = shell.json("entities", "--type", "place")["entities"]
    assert set(leeds) == ENTITY
    assert (leeds["name"], leeds["messages"]) == ("Leeds", ["4"])
    assert len(shell.json("entities")["entities"]) == 5
    assert shell("entities", "--type", "dream").returncode == 2


def test_what_is_related_as_of_a_day_and_the_way_to_another(shell: Shell) -> None:
    found = shell.json("related", "Bo", "--as-of", "2025-06-01")
    assert set(found) == {"entity", "as_of", "relationships"}
    assert [each["type"] for each in found["relationships"]] == ["WORKS_AT", "LIVES_IN", "KNOWS"]
    assert all(set(each) == RELATIONSHIP for each in found["relationships"])
    assert shell.json("related", "Bo", "--as-of", "2025-01-01")["relationships"] == []
    ways = shell.json("related", "kim", "--to", "Larkfield")
    assert set(ways) == {"entity", "to", "as_of", "paths"}
    assert [each["type"] for each in ways["paths"][0]] == ["FAMILY_OF", "KNOWS", "WORKS_AT"]
    way = shell("related", "kim", "--to", "Larkfield").stdout
    assert "is family of" in way and "works at Larkfield" in way
    unknown = shell("related", "Zed")
    assert (unknown.returncode, len(unknown.stderr.strip().splitlines())) == (2, 1)


APART = """[2025-03-01 09:00] Ann Smith: Hi, how is it going?
[2025-03-01 09:01] Bo Lee: Fine, thanks. It rains.
[2025-03-01 09:02] Cal Lee: Here too.
[2025-03-01 09:03] Cal Ray: Not here.
"""


@pytest.fixture
def apart(tmp_path: Path, minilm: Path) -> Shell:
    """A chat of people with whole names, and one in which nobody else speaks."""
    shell = Shell(tmp_path / "memory.duckdb")
    for text in (APART, "[2025-03-02 09:00] Eve Orr: Nobody here?"):
        assert shell("ingest", "-", "--no-llm", "--me", "Ann Smith", stdin=text).returncode == 0
    return shell


@pytest.mark.parametrize("name", ["Bo Lee", "bo lee", "Bo", "bo"])
def test_how_a_speaker_stands_to_others_is_found_by_the_first_name(apart: Shell, name: str) -> None:
    done = apart("related", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ann Smith knows Bo Lee" in done.stdout
    assert re.search(r"^Bo Lee +known to you +1 message ", apart("people").stdout, re.MULTILINE)
    assert apart.json("related", name, "--to", "Ann")["paths"][0][0]["type"] == "KNOWS"


def test_a_first_name_of_several_people_is_refused_with_their_names(apart: Shell) -> None:
    done = apart("related", "Cal")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "evermem: Cal may be any of several people (give the whole name: Cal Lee, Cal Ray)\n"


def test_a_speaker_of_whom_no_relationship_is_known_is_told_of_in_one_line_with_what_to_try(apart: Shell) -> None:
    profile = "`evermem profile 'Eve Orr'` shows what is known"
    search = "`evermem search 'Eve Orr'` finds what was said"
    assert apart("related", "Eve").stdout == f"no relationships of Eve Orr are known; {search}\n"
    assert apart("search", "Eve Orr").stdout
    assert apart("profile", "Eve").stdout == f"nothing known of Eve Orr; {search}\n"
    assert apart("ingest", "-", "--no-llm", stdin="[2025-03-03 09:00] Eve Orr: I am vegan.").returncode == 0
    assert apart("related", "Eve").stdout == f"no relationships of Eve Orr are known; {profile}\n"
    earlier = apart("related", "Bo", "--as-of", "2025-01-01")
    assert earlier.stdout == "no relationships of Bo Lee are known at that time; --as-of names another day\n"


def test_hints_about_people_only_spoken_of_name_what_shows_something(apart: Shell) -> None:
    told = "[2025-03-03 09:00] Ann Smith: My aunt Lena Hart is a nurse. I met Bram yesterday."
    assert apart("ingest", "-", "--no-llm", "--me", "Ann Smith", stdin=told).returncode == 0
    assert "(`evermem search Bram` finds what was said)" in apart("profile", "bram").stderr
    lena = "`evermem related 'Lena Hart'` shows what is known"
    assert f"nobody called hart speaks in these chats (perhaps Lena Hart: {lena})" in apart("profile", "hart").stderr
    assert "no person or thing called Hart is known (perhaps Lena Hart)" in apart("related", "Hart").stderr


def test_an_agent_is_told_how_much_is_withheld(shell: Shell) -> None:
    assert shell.json("people", "--as", "bot")["withheld"] == 0
    assert shell.json("entities", "--as", "bot")["withheld"] == 0
    assert shell.json("related", "Kim", "--as", "bot")["withheld"] == 0


def test_people_are_merged_and_split_without_a_model(shell: Shell, tmp_path: Path) -> None:
    before, nowhere = shell.json("people"), {"EVERMEM_MODELS_DIR": str(tmp_path), "EVERMEM_OFFLINE": "1"}
    assert shell("people", "merge", "Bo", "Kim", "--yes", **nowhere).returncode == 0
    assert shell.json("people") != before
    assert shell("people", "split", "Bo", **nowhere).returncode == 0
    assert shell.json("people") == before


def test_people_are_not_merged_without_a_yes(shell: Shell) -> None:
    before = shell.json("people")
    done = shell("people", "merge", "Bo", "Kim")
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert done.stderr == "evermem: there is no terminal to ask on (add --yes; `people split` takes it back)\n"
    assert shell.json("people") == before
    assert "no person or thing called Zed is known" in shell("people", "merge", "Bo", "Zed").stderr


@pytest.mark.parametrize("kind", ["facts", "assertions"])
def test_what_a_person_said_is_listed_by_any_name_of_theirs(shell: Shell, kind: str) -> None:
    everybodys = shell.json("list", kind)[kind]
    ofs = [entry for entry in everybodys if entry["messages"][-1] in ("2", "4")]
    assert 0 < len(ofs) < len(everybodys)
    assert shell.json("list", kind, "--person", "bo")[kind] == ofs
    assert shell("people", "merge", "Bo", "Kim", "--yes").returncode == 0
    assert shell.json("list", kind, "--person", "Kim")[kind] == ofs
    assert shell("people", "split", "Bo").returncode == 0


def test_topics_are_listed_in_which_a_person_spoke(apart: Shell) -> None:
    for kind, text in (("episodes", "summary"), ("memcells", "summary")):
        assert len(apart.json("list", kind)[kind]) == 2
        [eves] = apart.json("list", kind, "--person", "Eve")[kind]
        assert "Nobody here?" in eves[text]


def test_what_nobody_said_is_not_listed_by_person(shell: Shell) -> None:
    done = shell("list", "scenes", "--person", "Bo")
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert "evermem: --person is for what somebody said (memcells, episodes, facts, " in done.stderr
    assert "nobody called Zed speaks in these chats" in shell("list", "facts", "--person", "Zed").stderr


@pytest.mark.parametrize("command", ["people", "entities", "related"])
def test_each_command_has_help_and_stands_in_the_manual(command: str, tmp_path: Path) -> None:
    assert Shell(tmp_path / "none.duckdb")(command, "--help").returncode == 0
    assert f"evermem {command}" in manual()
