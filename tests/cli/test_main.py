"""The command line as a script sees it: exit code, stdout and stderr of real processes, with the real embedder."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Timer
from typing import Any

import duckdb
import pytest

from evermem_cli.cli.main import main
from evermem_cli.errors import ExitCode, ModelError, OutOfMemory
from tests.support.manual import manual

CHAT = """[2025-03-01 09:00] User: I moved to Leeds with my cat Miso.
[2025-03-01 09:01] Assistant: How is the new flat?
[2025-03-01 09:02] User: Two rooms near the station, and I am pescatarian now.
[2025-05-01 10:00] User: I have been vegan since yesterday.
"""
COMMANDS = (
    "ingest", "watch", "enrich", "ask", "search", "foresights", "list", "show", "status", "doctor", "when",
    "formats", "config", "models", "forget", "export", "import",
    "backup", "privacy", "access-log", "restore", "digest", "mcp", "connect", "schedule", "help", "encrypt", "decrypt",
    "rekey", "sync", "me", "correct", "remember", "undo", "view",
)  # fmt: skip


@dataclass
class Shell:
    """Runs evermem against one memory file."""

    db: Path

    def __call__(self, *arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "evermem_cli", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=os.environ | {"EVERMEM_DB": str(self.db), "NO_COLOR": "1"} | environment,
        )

    def json(self, *arguments: str, stdin: str = "") -> Any:
        done = self(*arguments, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    folder = tmp_path_factory.mktemp("filled")
    (folder / "moving.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    done = shell("ingest", "--no-llm", str(folder / "moving.txt"))
    assert done.returncode == 0, done.stderr
    return shell


@pytest.mark.model
def test_a_query_that_the_reranker_cannot_read_is_noted(filled: Shell, reranker: Path) -> None:
    assert "does not read the language" in filled("search", "玛雅住在哪里", "--rerank").stderr
    assert filled("search", "Leeds", "--rerank").stderr == ""


@pytest.fixture
def shell(tmp_path: Path, minilm: Path) -> Shell:
    return Shell(tmp_path / "memory.duckdb")


@pytest.mark.parametrize(
    "command",
    ["encrypt --new-key KEY", "embed --model bge-small-en", "export --salvage -o OUT", "search x", "examples x"],
)
def test_where_there_is_no_memory_yet_every_command_says_how_to_make_one(tmp_path: Path, command: str) -> None:
    done = Shell(tmp_path / "memory.duckdb")(*command.split(), EVERMEM_MODELS_DIR=str(tmp_path), EVERMEM_OFFLINE="1")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.endswith("no memory here yet (run `evermem ingest PATH`, or name another file with --db)\n")


def test_a_memory_below_a_file_is_refused_in_one_line(tmp_path: Path, minilm: Path) -> None:
    (tmp_path / "notes.txt").write_text("Buy bread.")
    done = Shell(tmp_path / "notes.txt" / "memory.duckdb")("ingest", "--no-llm", str(tmp_path / "notes.txt"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "notes.txt: File exists (choose a place that can be written" in done.stderr


@pytest.mark.parametrize("command", ["list", "connect"])
def test_the_choices_of_an_argument_are_told_in_one_readable_line(filled: Shell, command: str) -> None:
    done = filled(*command.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "\\" not in done.stderr
    assert "Choose from: " in done.stderr


def test_what_is_not_formed_yet_is_told_where_nothing_is_there(filled: Shell) -> None:
    with duckdb.connect(str(filled.db)) as connection:  # as an interruption leaves it
        connection.execute("update memcells set extraction = 'pending', model = null")
    expected = filled("foresights")
    assert (expected.returncode, expected.stdout) == (
        0,
        "nothing is expected yet, with 2 topics left for `evermem enrich`\n",
    )
    assert filled("enrich").returncode == 0
    assert filled("foresights").stdout == "nothing is expected\n"


def test_a_theme_without_scenes_and_one_that_is_none(filled: Shell) -> None:
    unknown = filled("timeline", "--theme", "wrok")
    assert (unknown.returncode, unknown.stdout, unknown.stderr.count("\n")) == (2, "", 1)
    assert "no such theme: wrok (--theme is one of health, sport" in unknown.stderr
    themed = filled("timeline", "--theme", "work")
    assert (themed.returncode, themed.stdout) == (0, "nothing of this theme\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("command", ["search Leeds", "search Leeds --json", "export --include-private", "--help"])
def test_a_full_disk_behind_stdout_is_one_line(filled: Shell, command: str) -> None:
    environment = os.environ | {"EVERMEM_DB": str(filled.db)}
    with Path("/dev/full").open("w") as full:
        arguments = [sys.executable, "-m", "evermem_cli", *command.split()]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    expected = (1, "evermem: cannot write: No space left on device (free some space)\n")
    assert (done.returncode, done.stderr) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
@pytest.mark.parametrize("command", ["ingest --no-llm -", "forget --matching Leeds --yes"])
def test_too_little_memory_is_one_line(command: str, filled: Shell, tmp_path: Path) -> None:
    import resource

    db, limit = shutil.copy(filled.db, tmp_path), 145 << 20
    done = subprocess.run(
        [sys.executable, "-m", "evermem_cli", *command.split(), "--db", db],
        input=CHAT + " more",
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    told = [line for line in done.stderr.splitlines() if line.startswith("evermem:")]
    assert (done.returncode, told) == (
        1,
        ["evermem: not enough memory (close something else, or ask for less at once)"],
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (RuntimeError("[ONNXRuntimeError] : 6 : Exception during initialization: std::bad_alloc"), True),
        (ImportError("libscipy_openblas64.so: failed to map segment from shared object"), True),
        (ImportError("No module named 'duckdb'"), False),
        (ValueError("memory"), False),
    ],
)
def test_a_lack_of_memory_is_told_from_other_errors_also_behind_them(error: Exception, is_memory: bool) -> None:
    behind = ModelError("the model cannot be loaded")
    behind.__cause__ = error
    assert (OutOfMemory.explains(error), OutOfMemory.explains(behind)) == (is_memory, is_memory)


def test_help_names_every_command_and_loads_no_model_library(filled: Shell) -> None:
    done = filled("--help")
    assert done.returncode == 0
    assert [name for name in COMMANDS if not re.search(rf"^  {name} ", done.stdout, re.MULTILINE)] == []
    heavy = {"llama_cpp", "fastembed", "duckdb", "numpy", "pydantic"}
    code = f"import sys, evermem_cli.cli.main; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_a_search_for_a_script_loads_nothing_slow_that_it_does_not_need(filled: Shell) -> None:
    code = """
import sys
from evermem_cli.cli.main import main
sys.argv[1:] = ["search", "cat", "--json"]
try:
    main()
finally:
    slow = ("fastembed", "huggingface_hub", "pydantic", "rich", "asyncio", "llama_cpp", "dateparser")
    print([name for name in slow if name in sys.modules], file=sys.stderr)
"""
    environment = os.environ | {"EVERMEM_DB": str(filled.db)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_stands_in_the_manual(command: str, filled: Shell) -> None:
    done = filled(command, "--help")
    assert done.returncode == 0
    assert f" {command} " in done.stdout.splitlines()[0]
    assert re.findall(r"<(?:str|path|int|float)[^>]*>", done.stdout) == []  # values are named as people name them
    assert f"evermem {command}" in manual()


def test_ingest_reports_each_input(shell: Shell, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.json"
    good.write_text(CHAT)
    bad.write_text('{"version": "1.0.0", "conversation_list": [{"message_id": ')
    done = shell("ingest", "--no-llm", str(good), str(bad), "--json")
    assert done.returncode == 6
    report = json.loads(done.stdout)
    assert [entry["status"] for entry in report["inputs"]] == ["ok", "failed"]
    assert report["totals"]["messages"] == 4
    assert "bad.json:1" in done.stderr


def test_of_many_files_those_in_which_something_is_new_are_listed(shell: Shell, tmp_path: Path) -> None:
    for name in range(25):
        (tmp_path / f"known{name}.txt").write_text(CHAT.replace("2025", str(1990 + name)))
    rows = shell("ingest", "--no-llm", str(tmp_path)).stdout.splitlines()
    assert rows[21].split() == ["5", "more", "files", "5", "20", "20", "10"]
    (tmp_path / "grown.txt").write_text(CHAT)
    rows = shell("ingest", "--no-llm", str(tmp_path)).stdout.splitlines()
    assert [row.split() for row in rows[1:3]] == [
        ["grown.txt", "text", "1", "4", "4", "2"],
        ["25", "more", "files", "25", "100", "0", "0"],
    ]


def test_a_dry_run_shows_each_chat_and_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "moving.txt").write_text(CHAT)
    (tmp_path / "bad.txt").write_text("")
    found = shell(
        "ingest", "--dry-run", "--since", "2025-04-01", str(tmp_path / "moving.txt"), str(tmp_path / "bad.txt")
    )
    assert (found.returncode, shell.db.exists()) == (6, False)
    assert "\n1 message (since 1 April 2025) would be read, 1 of them new; nothing was written" in found.stdout
    assert "left out 3 messages outside of the chosen time" in found.stderr
    document = shell.json("ingest", "--dry-run", "--until", "2025-12-31T00:00Z", str(tmp_path / "moving.txt"))
    assert (document["since"], document["until"]) == (None, "2025-12-31T00:00:00Z")
    assert document["inputs"][0]["chats"] == [
        {
            "title": "moving", "participants": ["User", "Assistant"], "messages": 4, "new_messages": 4,
            "edited_messages": 0, "removed_messages": 0,
            "first": "2025-03-01T09:00:00Z", "last": "2025-05-01T10:00:00Z",
        }
    ]  # fmt: skip


def test_the_report_says_what_was_new_and_what_was_known(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "moving.txt").write_text(CHAT)
    chosen = ("--only", "MOVING", "--until", "2025-04-01")
    assert shell("ingest", "--no-llm", *chosen, str(tmp_path)).returncode == 0
    done = shell("ingest", "--no-llm", str(tmp_path))
    assert "4 messages read: 1 new, 3 unchanged" in done.stdout
    note = tmp_path / "note.md"
    note.write_text("---\ntitle: Flat\n---\nThe rent is 1,100.\n")
    assert "\n1 message would be read, 1 of them new;" in shell("ingest", "--dry-run", str(note)).stdout
    assert "\n1 message read: 1 new" in shell("ingest", "--no-llm", str(note)).stdout
    assert shell("ingest", "--no-llm", "--exclude", "moving", str(tmp_path)).returncode == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.txt", b""),
        ("binary.txt", bytes(range(256)) * 10),
        ("cut.json", b'[{"role": "user", "content": "hel'),
        ("prose.txt", b"Just a paragraph without any speaker.\nAnd another line.\n"),
    ],
)
def test_a_bad_input_is_one_line_and_exit_1(name: str, content: bytes, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    done = shell("ingest", "--no-llm", str(tmp_path / name))
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert name in done.stderr


def test_a_directory_without_chats_is_an_error(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    done = shell("ingest", "--no-llm", str(tmp_path / "photos"))
    assert done.returncode == 1
    assert "no chats" in done.stderr


def test_files_of_a_directory_that_are_not_read_are_told(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    (folder / "moving.txt").write_text(CHAT)
    for name in ("a.jpg", "b.JPG", "plan.pdf", "README.md", ".hidden"):
        (folder / name).write_bytes(b"x")
    (folder / "up").symlink_to(tmp_path)
    (tmp_path / "other.txt").write_text(CHAT)
    (folder / "z.txt").symlink_to(tmp_path / "other.txt")
    (folder / ".old").mkdir()
    (folder / ".old" / "chat.txt").write_text(CHAT)
    done = shell("ingest", str(folder), "--no-llm")
    assert done.returncode == 0
    assert f"hidden folders are not read: {folder / '.old'}; name one to have it read" in done.stderr
    links = f"{folder / 'up'}, {folder / 'z.txt'}"
    assert f"links out of the folder are not followed: {links}; name one to have it read" in done.stderr
    assert "not read: 2 .jpg files, plan.pdf; `evermem formats` lists what is read" in done.stderr


def test_control_characters_and_a_megabyte_in_one_message_are_taken(shell: Shell, tmp_path: Path) -> None:
    long = tmp_path / "long.jsonl"
    messages = [{"role": "user", "content": "x\x00\x07 bell"}, {"role": "assistant", "content": "word " * 200_000}]
    long.write_text("\n".join(json.dumps(message) for message in messages))
    assert shell.json("ingest", "--no-llm", str(long))["totals"]["messages"] == 2
    (first, _) = shell.json("search", "bell", "-k", "2")["results"]
    assert first["text"] == "x bell"


def test_a_chat_is_read_from_stdin(shell: Shell) -> None:
    assert shell.json("ingest", "--no-llm", "-", stdin=CHAT)["inputs"][0]["path"] == "-"


@pytest.mark.parametrize(
    ("command", "first", "last"),
    [
        (["search", "cat"], "--since", "--until"),
        (["timeline"], "--since", "--until"),
        (["ingest", "--dry-run", "chat.txt"], "--since", "--until"),
        (["forget", "--dry-run"], "--after", "--before"),
    ],
)
def test_a_time_that_ends_before_it_begins_is_refused(filled: Shell, command: list[str], first: str, last: str) -> None:
    done = filled(*command, first, "2025-10-20", last, "2025-10-01")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{first[2:]} 2025-10-20 is later than {last[2:]} 2025-10-01 (give the earlier time first)" in done.stderr
    assert "is later than" not in filled(*command, first, "2025-10-20", last, "2025-10-20").stderr


def test_search_results_carry_the_contracts_keys(filled: Shell) -> None:
    found = filled.json("search", "Where is the cat?", "-k", "2")
    assert set(found) == {"query", "as_of", "by_meaning_only", "results", "archived"}
    assert [set(result) for result in found["results"]] == [
        {
            "rank", "id", "kind", "text", "score", "speaker", "said_at", "valid_at", "valid_grain",
            "invalid_at", "invalid_grain", "conversation", "scene", "messages", "message_ids",
        }
    ] * 2  # fmt: skip
    assert found["results"][0]["messages"] == ["1"]
    assert found["results"][0]["said_at"] == "2025-03-01T09:00:00Z"


def test_a_query_that_is_too_long_is_refused_with_its_line(filled: Shell) -> None:
    long = "who am I " * 1000
    done = filled("search", "-", stdin=f"cat\n{long}\n")
    assert (done.returncode, done.stdout.count("\n")) == (2, 1)
    assert "stdin:2: the query has 8,999 characters (write at most 5,000)" in done.stderr


def test_search_reads_queries_from_stdin_one_document_each_in_order(filled: Shell) -> None:
    done = filled("search", "-", stdin='cat\n\n{"query": "vegan", "k": 1}\n')
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["query"], second["query"], len(second["results"])) == ("cat", "vegan", 1)


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize("query", ["", "  ", "?!", "-"])
def test_a_question_without_words_is_a_usage_error(query: str, command: str, filled: Shell) -> None:
    done = filled(command, query, stdin='\n  \n{"query": "…"}\n')
    [told] = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert told.startswith("evermem: stdin:3: the " if query == "-" else "evermem: the ")


@pytest.mark.parametrize("line", ['{"query": null}', '{"query": "cat", "k": "many"}', '{"query": "cat", "k": 0}',
                                  '{"query": "cat", "as_of": 5}', '{"k": 3}', "{cat"])  # fmt: skip
def test_a_line_of_json_that_is_no_query_is_a_usage_error_of_one_line(line: str, filled: Shell) -> None:
    done = filled("search", "-", stdin=line)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_who_has_no_chats_in_the_file_is_told_who_has(filled: Shell) -> None:
    done = filled("search", "cat", "--user", "nobody")
    assert (done.returncode, done.stdout) == (0, "nothing found\n")
    assert done.stderr == "this file holds the memory of the user default: look with --user default\n"


@pytest.mark.parametrize(
    "command",
    ["ask Where?", "profile", "list conversations", "people", "timeline", "scenes", "digest", "rules",
     "examples dinner", "forget --matching cat --dry-run"],
)  # fmt: skip
def test_the_memory_of_somebody_else_is_not_asked_in_vain(filled: Shell, command: str) -> None:
    done = filled(*command.split(), "--user", "nobody")
    expected = "evermem: this file holds the memory of the user default, not of nobody (ask with --user default)\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def test_search_can_be_bounded_in_time(filled: Shell) -> None:
    texts = [result["text"] for result in filled.json("search", "vegan", "--until", "2025-03-31")["results"]]
    assert not any("vegan" in text for text in texts)
    assert texts


def test_ask_without_a_model_answers_what_code_can_answer(filled: Shell) -> None:
    said = filled.json("ask", "--no-llm", "What is my cat called?")
    assert (said["answer"], said["model"], said["known"]) == ("Miso (cat) (since 1 March 2025)", None, True)
    assert "Miso" in said["citations"][0]["text"]
    lines = filled("ask", "--no-llm", "What is my cat called?").stdout.splitlines()
    assert (lines[0], lines[1][:3]) == ("Miso (cat) (since 1 March 2025)", "[1]")


def test_ask_without_a_model_prints_the_evidence_for_anything_else(filled: Shell) -> None:
    for question, mode in (("What colour is my door?", "--no-llm"), ("What is my cat called?", "--mode=light")):
        said = filled.json("ask", mode, question)
        assert (said["mode"], said["model"], said["answer"]) == ("light", None, "")
        assert len(said["citations"]) >= 4
        assert said["known"] is None
        assert "[1]" in filled("ask", mode, question).stdout


def test_ask_prints_only_the_best_of_much_evidence(shell: Shell) -> None:
    chat = "".join(f"[2025-03-{day:02} 09:00] Ann: The baker sold {day} loaves.\n" for day in range(1, 29))
    shell.json("ingest", "--no-llm", "-", stdin=chat)
    asked = ("ask", "--no-llm", "Which colour has the baker's door?")
    best, more = shell.json(*asked)["citations"], shell.json(*asked, "-k", "12")["citations"]
    assert (len(best), len(more)) == (8, 12)
    assert [result["rank"] for result in best] == [*range(1, 9)]
    assert "[8]" in (screen := shell(*asked).stdout) and "[9]" not in screen
    [line] = shell(
        "ask", "--no-llm", "-", stdin='{"question": "Which colour has the baker\'s door?", "k": 3}'
    ).stdout.splitlines()
    assert len(json.loads(line)["citations"]) == 3


def test_lists_and_show_go_down_to_the_messages(filled: Shell) -> None:
    cells = filled.json("list", "memcells")["memcells"]
    assert [cell["messages"] for cell in cells] == [["1", "2", "3"], ["4"]]
    assert [cell["boundary_reason"] for cell in cells] == ["time_gap", "end"]
    shown = filled.json("show", cells[0]["event_id"][:9])["memcells"][0]
    assert shown["original_data"][0]["text"] == "I moved to Leeds with my cat Miso."
    assert filled("show", "nonsense").returncode == 2
    for kind in ("episodes", "facts", "foresights", "conversations"):
        assert kind in filled.json("list", kind)
    assert filled.json("list", "topics")["memcells"] == cells


@pytest.mark.parametrize(("doer", "waiting"), [("code", 0), ("model", 1)])
def test_memories_are_formed_without_a_model_and_wait_for_one_that_has_a_task(
    doer: str, waiting: int, tmp_path: Path, minilm: Path
) -> None:
    shell, config = Shell(tmp_path / "memory.duckdb"), tmp_path / "config.toml"
    config.write_text(f'[tasks]\ntitles = "{doer}"\n')
    told = "[2025-03-01 09:00] Ann: I moved to Leeds with my cat Miso.\n"
    done = shell("ingest", "--no-llm", "--json", "-", stdin=told, EVERMEM_CONFIG=str(config))
    assert json.loads(done.stdout)["totals"]["facts"] > 0
    assert shell.json("list", "facts")["facts"]
    assert shell.json("status")["pending"] == waiting
    assert ("evermem enrich" in shell("doctor").stdout) == bool(waiting)
    assert shell("enrich").returncode == 0
    assert shell.json("status")["pending"] == 0, "no model has a task any more"


def test_topics_that_an_interruption_left_unformed_are_not_said_to_wait_for_the_language_model(
    tmp_path: Path, minilm: Path
) -> None:
    shell, config = Shell(tmp_path / "memory.duckdb"), tmp_path / "config.toml"
    config.write_text('[tasks]\ntitles = "model"\n')
    named = {"EVERMEM_CONFIG": str(config), "EVERMEM_MODELS_DIR": "/nonexistent"}
    chats = [f"[2025-0{month}-01 09:00] Ann: I moved to Leeds with my cat Miso.\n" for month in (3, 4, 5)]
    assert shell("ingest", "--no-llm", "-", stdin="".join(chats), EVERMEM_CONFIG=str(config)).returncode == 0
    with duckdb.connect(str(shell.db)) as connection:  # as an interruption leaves two of them
        connection.execute("update memcells set model = null, summary = '' where start_at >= '2025-04-01'")
    said = {command: shell(command, **named).stdout for command in ("status", "doctor")}
    for command, text in said.items():
        [line] = [line for line in text.splitlines() if "left for the language model" in line]
        assert "2 topics not formed yet, 1 topic left for the language model" in line, command
    assert [shell.json("status")[name] for name in ("pending", "unformed", "failed")] == [3, 2, 0]
    listed = shell("list", "memcells").stdout
    assert (listed.count("not formed yet"), listed.count("left for the language model")) == (2, 1)
    assert shell("enrich").returncode == 0
    assert "not formed yet" not in shell("status").stdout + shell("list", "memcells").stdout


def test_code_alone_forms_what_is_left_where_no_model_has_a_task(tmp_path: Path, minilm: Path) -> None:
    memory = Shell(tmp_path / "memory.duckdb")
    assert memory("ingest", "--no-llm", "-", stdin=CHAT).returncode == 0
    with duckdb.connect(str(memory.db)) as connection:
        connection.execute("update memcells set model = null, extraction = 'pending'")
    [check] = [
        check for check in json.loads(memory("doctor", "--json").stdout)["checks"] if check["name"] == "enrichment"
    ]
    assert (check["found"], check["advice"]) == ("2 topics not formed yet", "evermem enrich")


def test_status_and_doctor_say_what_is_left_to_do(filled: Shell) -> None:
    status = filled.json("status")
    assert status["counts"]["messages"] == 4
    done = filled("doctor", "--llm", "qwen2.5-coder-0.5b", EVERMEM_MODELS_DIR="/nonexistent")
    assert done.returncode == 3
    assert "evermem models pull qwen2.5-coder-0.5b" in done.stdout


@pytest.mark.parametrize("command", ["ingest", "sync", "watch", "schedule"])
def test_an_empty_path_is_not_the_current_directory(shell: Shell, command: str) -> None:
    done = shell(command, "")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "evermem: a path is empty (name a file or a folder; . is the current directory)\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("when", ""), 2, "the phrase has no words"),
        (("search", "Leeds", "--reason", "a reason of many letters"), 2, "--reason is for an assistant"),
        (("search", "Leeds", "--as", "travel", "--reason", "short"), 0, "20 characters or less unlocks nothing"),
    ],
)
def test_what_would_have_no_effect_is_said(filled: Shell, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = filled(*arguments)
    assert done.returncode == code
    assert said in done.stderr


def test_nothing_known_is_not_of_somebody_called_default(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("[2025-03-01 09:00] Ann: Hi.\n[2025-03-01 09:01] Bob: Hi.\n")
    shell("ingest", "--no-llm", str(tmp_path / "chat.txt"))
    assert shell("profile").stdout.startswith("nothing known of you;")


def test_when_shows_how_a_phrase_is_understood(shell: Shell) -> None:
    meant = shell.json("when", "next Wednesday", "--at", "2024-03-06T09:14")
    assert (meant["start"], meant["end"], meant["resolved"]) == ("2024-03-13T00:00:00Z", "2024-03-14T00:00:00Z", True)
    done = shell("when", "-", stdin='{"phrase": "tomorrow", "at": "2024-03-06T09:14", "tz": "Asia/Tokyo"}\nsoonish\n')
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["start"], second["resolved"]) == ("2024-03-06T15:00:00Z", False)
    assert first["at"] == "2024-03-06T00:14:00Z"


def test_what_is_told_as_archived_as_of_a_past_day_is_archived(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("[2025-01-10 09:00] Ann: my dentist is on 14 January at 3\n")
    assert shell("ingest", "--no-llm", "--me", "Ann", str(tmp_path / "old.txt")).returncode == 0
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    listed = shell.json("list", "facts", "--as-of", yesterday)
    assert (len(listed["facts"]), listed["archived"]) == (1, 0)
    assert shell.json("list", "facts", "--archived")["facts"] == []


def test_another_embedder_is_refused_with_exit_4(filled: Shell) -> None:
    done = filled("search", "cat", "--embedder", "BAAI/bge-small-en-v1.5", EVERMEM_OFFLINE="1")
    assert done.returncode in (3, 4)
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_missing_model_offline_is_exit_3_with_the_command_that_fetches_it(filled: Shell, tmp_path: Path) -> None:
    done = filled("ask", "x", "--llm", "qwen2.5-coder-0.5b", EVERMEM_OFFLINE="1", EVERMEM_MODELS_DIR=str(tmp_path))
    assert done.returncode == 3
    assert "evermem models pull" in done.stderr


def test_a_path_that_is_no_model_is_exit_3(filled: Shell, tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF but not really")
    question = "Why did I go to Leeds?"  # that neither a statement nor a refusal answers
    assert filled("ask", question, "--llm", str(tmp_path / "broken.gguf")).returncode == 3
    assert filled("ask", question, "--llm", str(tmp_path / "none.gguf")).returncode == 3


def test_no_memory_yet_is_exit_4_and_creates_no_file(shell: Shell) -> None:
    done = shell("search", "x", "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["error"]["kind"] == "store"
    assert not shell.db.exists()


def test_a_wrong_command_line_is_exit_2_and_one_line(filled: Shell) -> None:
    for arguments in (["search", "--bogus"], ["ask"], ["search", "x", "--as-of", "someday"], ["list", "dreams"]):
        done = filled(*arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_wrong_setting_is_exit_2_and_names_it(filled: Shell) -> None:
    done = filled("status", EVERMEM_BATCH="none")
    assert done.returncode == 2
    assert "batch" in done.stderr


def test_the_memory_file_is_private(filled: Shell) -> None:
    assert filled.db.stat().st_mode & 0o077 == 0


def test_models_are_listed_with_their_digests(filled: Shell) -> None:
    known = {model["name"]: model for model in filled.json("models", "list")["models"]}
    assert known["all-minilm-l6-v2"]["present"] is True
    assert all(len(file["sha256"]) == 64 for model in known.values() for file in model["files"])
    assert filled("models", "path", "all-minilm-l6-v2").stdout.strip().endswith("all-minilm-l6-v2")
    assert filled("models", "verify", "all-minilm-l6-v2").returncode == 0
    assert filled("models", "path", "unknown").returncode == 2


def test_what_a_killed_process_left_beside_the_file_goes_with_the_next_writing(shell: Shell, tmp_path: Path) -> None:
    chat = tmp_path / "moving.txt"
    chat.write_text(CHAT)
    assert shell("ingest", "--no-llm", str(chat)).returncode == 0
    spilled = shell.db.with_name(f".{shell.db.name}.spill")
    spilled.mkdir()
    (spilled / "duckdb_temp_storage-0.tmp").write_text(CHAT)
    assert shell("search", "Leeds").returncode == 0
    assert shell("forget", "--matching", "Miso", "--yes").returncode == 0
    assert not spilled.exists()


def test_ctrl_c_while_duckdb_works_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(command: object) -> None:
        Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        duckdb.sql("select count(*) from range(100_000) a, range(100_000) b where a.range * b.range % 7 = 3").fetchall()

    monkeypatch.setattr("evermem_cli.cli.main.give_key_file", work)
    monkeypatch.setattr("sys.argv", ["evermem", "status"])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(SystemExit) as left:
            main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert left.value.code == ExitCode.INTERRUPTED


def test_a_command_ends_with_a_number_so_that_no_model_is_cleaned_up_beneath_its_thread(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a number makes the process skip Python's clean-up, during which a thread of a model or of DuckDB aborts."""
    monkeypatch.setattr(sys, "argv", ["evermem", "formats"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert capsys.readouterr().out
    assert ended.value.code == 0


@pytest.mark.parametrize("kind", ["interactions", "rules", "assertions", "corrections", "scenes"])
@pytest.mark.parametrize("option", [("--archived",), ("--as-of", "2025-04-01")])
def test_an_option_that_a_kind_cannot_follow_is_refused(filled: Shell, kind: str, option: tuple[str, ...]) -> None:
    done = filled("list", kind, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert "memories that fade" in done.stderr
