import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_prompts_schema_and_weights_of_the_boundary_model(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("evermem-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"evermem_cli/prompts/{path.name}" for path in (ROOT / "prompts").iterdir()} <= names
    assert {"evermem_cli/store/schema/schema.sql", "evermem_cli/formation/boundary_weights.json"} <= names
    assert {f"evermem_cli/help/{path.name}" for path in (ROOT / "evermem_cli" / "help").iterdir()} <= names
    assert {"evermem_cli/view/templates/page.html", "evermem_cli/view/assets/page.css"} <= names
    assert not [name for name in names if name.startswith(("tests/", "sample_transcripts/"))]


def test_the_readme_has_its_two_commands_and_nothing_left_to_fill_in() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for marker in ("<!-- run -->", "<!-- test -->"):
        assert re.search(rf"{marker}\n```sh\n.+?\n```", readme, re.DOTALL)
    assert "@@" not in readme


def test_the_version_stands_in_the_changelog() -> None:
    from evermem_cli import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
