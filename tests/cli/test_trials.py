"""`models try`, `models recommend`, and what follows from a trial elsewhere."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.trial.trial import Trial, keep, shipped
from tests.support.served import Served, serving

ROOT = Path(__file__).parents[2]


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(Served(reply="Not mentioned.")) as server:
        yield server


def evermem(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    given = os.environ | {"EVERMEM_DB": str(folder / "memory.duckdb"), "NO_COLOR": "1", "COLUMNS": "80"} | environment
    return subprocess.run(
        [sys.executable, "-m", "evermem_cli", *arguments], capture_output=True, text=True, env=given, cwd=ROOT
    )


def beside(folder: Path, minilm: Path) -> dict[str, str]:
    """A folder of models with the embedder alone, so that no trial of this test is kept for others."""
    models = folder / "models"
    models.mkdir(exist_ok=True)
    if not (models / minilm.name).exists():
        (models / minilm.name).symlink_to(minilm)
    return {"EVERMEM_MODELS_DIR": str(models)}


def test_a_trial_is_kept_and_doctor_and_ask_go_by_it(served: Served, tmp_path: Path, minilm: Path) -> None:
    llm, models = f"{served.url}#small", beside(tmp_path, minilm)
    done = evermem(tmp_path, "models", "try", llm, **models)
    assert done.returncode == 0, done.stderr
    table = [line.split() for line in done.stdout.splitlines()]
    default = shipped()
    assert f"{default.model} (measured elsewhere)" in " ".join(done.stdout.split())
    assert ["answers", "0", "of", "8", str(default.passed["answers"]), "of", "8"] in table
    assert ["refusals", "6", "of", "6", str(default.passed["refusals"]), "of", "6"] in table
    assert ["statements", "0", "of", "16", str(default.passed["statements"]), "of", "16"] in table
    assert ["narratives", "0", "of", "8", str(default.passed["narratives"]), "of", "8"] in table
    assert "titles by code, statements by code, answers by code" in " ".join(done.stdout.split())

    doctor = evermem(tmp_path, "doctor", "--json", "--llm", llm, **models)
    checks = {check["name"]: check["found"] for check in json.loads(doctor.stdout)["checks"]}
    assert checks["answers"] == "done by code (0 of 8 answers passed, 6 of 6 refusals passed)"
    assert checks["narratives"] == "done by code (0 of 8 narratives passed)"

    chat = tmp_path / "chat.txt"
    chat.write_text(
        "[2025-03-03 18:00] Ann: Where does the ferry land?\n[2025-03-03 18:01] Bob: In Gothenburg, I heard.\n"
    )
    assert evermem(tmp_path, "ingest", str(chat), "--me", "Ann", "--llm", llm, **models).returncode == 0
    asked = len(served.chats())
    answer = evermem(tmp_path, "ask", "Which town has the ferry landing?", "--llm", llm, **models)
    assert "failed its trial of answers, so only the evidence is shown" in answer.stderr
    assert "Gothenburg" in answer.stdout
    assert len(served.chats()) == asked

    overruled = evermem(tmp_path, "ask", "Which town has the ferry landing?", "--llm", llm, **models, **tasks(tmp_path))
    assert "failed its trial" not in overruled.stderr
    assert len(served.chats()) > asked


def test_the_defaults_own_trial_stands_beside_another_in_place_of_the_shipped_one(
    served: Served, tmp_path: Path, minilm: Path
) -> None:
    models = beside(tmp_path, minilm)
    own = Trial(shipped().model, {"answers": 1}, {"answers": 8}, seconds=9)
    keep(own, tmp_path / "models")
    done = evermem(tmp_path, "models", "try", f"{served.url}#small", "--json", **models)
    assert json.loads(done.stdout)["trials"][1]["passed"] == {"answers": 1}
    assert json.loads(done.stdout)["trials"][1]["elsewhere"] is False


def tasks(folder: Path) -> dict[str, str]:
    """A config file that gives answers to the model."""
    (folder / "config.toml").write_text('[tasks]\nanswers = "model"\n')
    return {"EVERMEM_CONFIG": str(folder / "config.toml")}


def test_a_trial_of_a_server_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = evermem(tmp_path, "models", "try", "http://127.0.0.1:9/v1#small", EVERMEM_MODELS_DIR=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "trials.json").exists()


def test_an_embedder_is_no_language_model_to_try(tmp_path: Path) -> None:
    done = evermem(tmp_path, "models", "try", "all-minilm-l6-v2")
    assert done.returncode == 2
    assert "unknown model: all-minilm-l6-v2" in done.stderr


def test_the_recommendation_goes_by_kept_trials(tmp_path: Path) -> None:
    everything = {"titles": 16, "statements": 16, "answers": 8, "refusals": 6, "foresights": 6, "narratives": 8}
    keep(Trial("qwen3-4b", everything, everything, seconds=100, written_tokens=9000), tmp_path)
    done = evermem(tmp_path, "models", "recommend", EVERMEM_MODELS_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "qwen3-4b: it passed 100% of the items here" in " ".join(done.stdout.split())
    document: dict[str, Any] = json.loads(
        evermem(tmp_path, "models", "recommend", "--json", EVERMEM_MODELS_DIR=str(tmp_path)).stdout
    )
    assert document["chosen"] == "qwen3-4b"
    assert {model["name"] for model in document["models"]} >= {"qwen2.5-coder-1.5b", "gemma-4-e2b"}
