"""Comments and docstrings name only files that are there."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.support.manual import ROOT

PACKAGE = ROOT / "evermem_cli"
CITED = re.compile(r"(?<![\w./~-])(?:(?:evermem_cli|tests|prompts)/[\w./*-]*[\w*]|[\w/-]+\.(?:py|sql|toml))(?![\w/])")
OF_OTHERS = {"config.toml", "task_eval/evaluation.py"}  # files of the user, and of LoCoMo's authors


def prose(path: Path) -> Iterator[str]:
    """The docstrings and comments of a module."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def is_there(cited: str, module: Path) -> bool:
    """Whether a file or folder of this name lies in the repository, the package, or beside the module."""
    places = (ROOT, PACKAGE, module.parent)
    return any(any(place.glob(f"{cited.rstrip('*')}*")) for place in places) or any(PACKAGE.rglob(cited))


def test_every_file_that_a_comment_names_is_there() -> None:
    modules = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    cited = {(path, name) for path in modules for text in prose(path) for name in CITED.findall(text)}
    assert len(cited) > 40
    assert [(path, name) for path, name in sorted(cited) if name not in OF_OTHERS and not is_there(name, path)] == []
