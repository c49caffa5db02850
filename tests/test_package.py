import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from evermem_cli import __version__
from evermem_cli.reading.shipped import WEIGHTS

ROOT = Path(__file__).parents[1]
MOST_BYTES = 100_000_000  # that an index of packages takes of one file without being asked


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is published: built from the source distribution, which was built from the checkout."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "-o", str(out), str(ROOT)], check=True, capture_output=True)
    [source] = out.glob("evermem_cli-*.tar.gz")
    with tarfile.open(source) as packed:
        assert any(name.endswith("/tests/test_package.py") for name in packed.getnames())
    [built] = out.glob("evermem_cli-*.whl")
    return built


def test_the_wheel_holds_prompts_schema_and_weights_of_the_boundary_model(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"evermem_cli/prompts/{path.name}" for path in (ROOT / "prompts").iterdir()} <= names
    assert {
        "evermem_cli/store/schema/schema.sql",
        "evermem_cli/formation/boundary_weights.json",
        "evermem_cli/trial/default.json",
        "evermem_cli/languages/lexicon.json",
        "evermem_cli/languages/NOTICE",
        "evermem_cli/naming/weights.npz",
        "evermem_cli/consolidation/themes.npz",
        "evermem_cli/experience/agent_types.npz",
        "evermem_cli/experience/requests.npz",
        "evermem_cli/experience/wishes.npz",
        *(f"evermem_cli/reading/weights/{path.name}" for path in WEIGHTS.iterdir()),
    } <= names
    assert wheel.stat().st_size < MOST_BYTES
    assert {f"evermem_cli/help/{path.name}" for path in (ROOT / "evermem_cli" / "help").iterdir()} <= names
    assert {"evermem_cli/view/templates/page.html", "evermem_cli/view/assets/page.css"} <= names
    assert not [name for name in names if name.startswith(("tests/", "sample_transcripts/"))]


def test_the_wheel_asks_for_no_package_that_is_compiled(wheel: Path) -> None:
    packed = zipfile.ZipFile(wheel)
    [metadata] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
    needed = [line for line in packed.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: ")]
    assert [line for line in needed if "llama" in line and "extra ==" not in line] == []
    assert [line for line in needed if "llama" in line and line.endswith("extra == 'llm'")]


def test_the_installed_wheel_remembers_and_finds(wheel: Path, minilm: Path, tmp_path: Path) -> None:
    """In an environment of its own, with the packages of the one that the tests run in."""
    venv.create(tmp_path / "venv", with_pip=False)
    programs = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    there, here = (_packages(str(programs / "python")), _packages(sys.executable))
    install = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "-q", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    Path(there, "others.pth").write_text(here)
    told = {"EVERMEM_DB": str(tmp_path / "memory.duckdb")}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | told

    def evermem(*arguments: str, code: int = 0) -> str:
        command = [str(programs / "evermem"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr * bool(code)

    assert evermem("--version").strip() == __version__
    assert evermem(code=2).splitlines()[0] == "Usage: evermem [OPTIONS] COMMAND [ARGS]..."
    assert len(evermem(code=2).splitlines()) > 40
    evermem("ingest", "--no-llm", "--me", "Maya", str(ROOT / "sample_transcripts" / "maya-priya.txt"))
    assert "Biscuit" in evermem("search", "what is the cat called")
    refused = evermem("profile", "--user", "Uma", code=2)
    assert refused.endswith("holds the memory of the user default, not of Uma (ask with --user default)\n")


def _packages(python: str) -> str:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_the_readme_has_its_two_commands_and_nothing_left_to_fill_in() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for marker in ("<!-- run -->", "<!-- test -->"):
        assert re.search(rf"{marker}\n```sh\n.+?\n```", readme, re.DOTALL)
    assert "@@" not in readme


def test_the_version_stands_in_the_changelog() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_command_is_looked_at_for_sockets() -> None:
    from tests.benchmarks.sockets import untried

    assert untried() == set()
