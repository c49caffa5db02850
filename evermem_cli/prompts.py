"""Prompts: one text file per step and language, found in the wheel and in a checkout."""

from functools import cache
from pathlib import Path
from string import Template

_SEPARATOR = "\n===\n"  # separates the part shared by all requests from the part with placeholders


def prompt_dir() -> Path:
    """The directory of the prompt files: inside the package (wheel), else beside it (checkout, editable install)."""
    inside = Path(__file__).parent / "prompts"
    return inside if inside.is_dir() else Path(__file__).parents[1] / "prompts"


@cache
def _parts(name: str) -> tuple[str, Template]:
    system, _, user = (prompt_dir() / f"{name}.txt").read_text(encoding="utf-8").rpartition(_SEPARATOR)
    return system, Template(user.rstrip("\n"))


def fill(step: str, language: str, **values: str) -> tuple[str, str]:
    """System and user text of a step's prompt in a language ("en", "zh"), with placeholders filled in.

    The system text is "" for a step that continues the conversation of another one. Raises KeyError for a placeholder
    without a value, which is a bug.
    """
    system, user = _parts(f"{step}.{language}")
    return system, user.substitute(values)
