"""The prompts: one text file for each step and language, found in the wheel and in a checkout alike."""

from functools import cache
from pathlib import Path
from string import Template

_SEPARATOR = "\n===\n"  # between what stays the same for every request and what is filled in


def prompt_dir() -> Path:
    """Where the prompt files are: inside the package (wheel), else beside it (checkout, editable install)."""
    inside = Path(__file__).parent / "prompts"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "prompts"


@cache
def _parts(name: str) -> tuple[str, Template]:
    system, _, user = (prompt_dir() / f"{name}.txt").read_text(encoding="utf-8").rpartition(_SEPARATOR)
    return system, Template(user.rstrip("\n"))


def fill(step: str, language: str, **values: str) -> tuple[str, str]:
    """System and user text of a step's prompt in a language ("en", "zh"), its placeholders filled.

    The system text is "" for a step that goes on with what another one has the model read.
    Raises KeyError for a placeholder without a value: that is a bug, never a user's doing.
    """
    system, user = _parts(f"{step}.{language}")
    return system, user.substitute(values)
