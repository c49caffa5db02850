"""evermem without the engine of language models, which is an extra: what it does, and what it says it does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evermem_cli.extras import Extra, requirement
from tests.cli.test_main import CHAT, Shell
from tests.support.served import Served, serving

# Runs the command line in a process that finds neither the engine nor what constrains its replies.
WITHOUT_ENGINE = """
import sys
from importlib.machinery import PathFinder
lacking, real = ("llama_cpp", "llguidance"), PathFinder.find_spec
PathFinder.find_spec = classmethod(lambda cls, name, *rest: None if name in lacking else real(name, *rest))
from evermem_cli.__main__ import run
run()
"""
ADD = Extra.LLM.command


class BareShell(Shell):
    """Runs evermem as it is installed without extras."""

    def __call__(self, *arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", WITHOUT_ENGINE, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=os.environ | {"EVERMEM_DB": str(self.db), "NO_COLOR": "1"} | environment,
        )


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chats") / "moving.txt"
    path.write_text(CHAT)
    return path


@pytest.fixture(scope="module")
def taken_in(tmp_path_factory: pytest.TempPathFactory, chat: Path, minilm: Path) -> BareShell:
    shell = BareShell(tmp_path_factory.mktemp("bare") / "memory.duckdb")
    done = shell("ingest", str(chat), "--me", "User", "--json")
    assert done.returncode == 0, done.stderr
    assert ADD not in done.stderr
    totals = json.loads(done.stdout)["totals"]
    assert (totals["messages"], totals["episodes"], totals["llm_calls"]) == (4, 2, 0)
    return shell


def test_a_model_that_has_a_task_and_no_engine_is_told_of_once(tmp_path: Path, chat: Path, minilm: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[tasks]\ntitles = "model"\n')
    shell = BareShell(tmp_path / "memory.duckdb")
    done = shell("ingest", str(chat), "--me", "User", EVERMEM_CONFIG=str(config))
    assert [line for line in done.stderr.splitlines() if ADD in line] == [
        f"no language model runs here: llama.cpp is not installed, so code alone forms memories; add it with `{ADD}`"
    ]
    assert "`evermem enrich` has the language model do its part" in done.stdout
    enriched = shell("enrich", EVERMEM_CONFIG=str(config))
    assert enriched.returncode == 3
    assert enriched.stderr.splitlines()[-1].startswith(
        "evermem: no language model runs here: llama.cpp is not installed"
    )
    assert ADD in enriched.stderr


def test_the_command_adds_the_extra_to_the_environment_that_evermem_runs_in() -> None:
    assert ADD.startswith(f"{sys.executable} -m pip install ")
    assert ADD.endswith('[llm]"')


def test_what_was_installed_of_a_folder_is_installed_of_that_folder_again(tmp_path: Path) -> None:
    clone, wheel = tmp_path / "my clone", "https://example.org/evermem_cli-0.1.0-py3-none-any.whl"
    clone.mkdir()

    def installed(url: str, **of: object) -> str:
        return requirement(json.dumps({"url": url, **of}), Extra.LLM)

    assert installed(clone.as_uri(), dir_info={}) == f'"{clone}[llm]"'
    assert installed(clone.as_uri(), dir_info={"editable": True}) == f'-e "{clone}[llm]"'
    gone = installed((tmp_path / "gone").as_uri(), dir_info={"editable": True})
    assert {gone, installed(wheel, archive_info={}), requirement(None, Extra.LLM)} == {'"evermem-cli[llm]"'}


def test_profile_and_search_need_no_engine(taken_in: BareShell) -> None:
    assert "Leeds" in taken_in("profile").stdout
    assert taken_in.json("search", "flat near the station")["results"]


def test_what_code_can_answer_is_answered_without_a_word_about_the_engine(taken_in: BareShell) -> None:
    done = taken_in("ask", "Where do I live?")
    assert (done.returncode, done.stdout.splitlines()[0][:5], done.stderr) == (0, "Leeds", "")


def test_what_only_a_model_could_write_is_answered_by_the_evidence_and_a_line_says_so_once(taken_in: BareShell) -> None:
    question = "How many rooms does the new flat have?"
    done = taken_in("ask", "-", stdin=f"{question}\n{question}\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [(answer["mode"], answer["model"], answer["answer"]) for answer in answers] == [("light", None, "")] * 2
    assert any("Two rooms" in citation["text"] for citation in answers[0]["citations"])
    assert done.stderr.count("\n") == 1
    assert "only the evidence is shown" in done.stderr
    assert ADD in done.stderr


def test_enrich_does_without_where_a_model_has_no_task(taken_in: BareShell) -> None:
    done = taken_in("enrich")
    assert (done.returncode, done.stderr) == (0, "")


def test_doctor_and_models_name_what_is_missing_and_what_adds_it(taken_in: BareShell) -> None:
    doctor = taken_in("doctor")
    assert doctor.returncode == 0, doctor.stdout
    assert "engine: no language model runs here: llama.cpp is not installed" in doctor.stdout
    said = " ".join(doctor.stdout.split())
    assert ADD in said
    assert "qwen" not in doctor.stdout
    listed = taken_in("models", "list")
    assert listed.returncode == 0
    assert ADD in listed.stderr


def test_an_endpoint_does_the_engines_work(taken_in: BareShell) -> None:
    with serving(Served(reply="Two rooms.")) as server:
        done = taken_in("ask", "How many rooms does the new flat have?", "--llm", f"{server.url}#small")
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, "Two rooms.", "")
