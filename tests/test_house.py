"""The house rules of the whole package that no linter knows: how big rooms are, and that what is named is there."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
import typer

from evermem_cli.cli.commands import GROUPS
from tests.benchmarks import patterns
from tests.support.manual import PAGES, ROOT

PACKAGE = ROOT / "evermem_cli"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_FILES, MOST_LINES = 16, 300
MOST_PATTERNS, MOST_WORDS = 191, 598  # outside of transcripts and time phrases; these only fall
DOCUMENTS = (ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *PAGES)
RIDDLES = {"each", "found", "told", "taken", "picture", "portraits", "keeping", "standing", "knowing", "lessons"}
OF_CODE = {"CONTRIBUTING.md", "how-it-works.md"}  # other pages name files of the user


def test_no_module_and_no_folder_of_the_package_is_too_big() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}
    assert {folder: n for folder, n in Counter(path.parent for path in MODULES).items() if n > MOST_FILES} == {}


def test_patterns_and_words_of_lists_only_become_fewer() -> None:
    found, listed = patterns.count()
    assert found.total() > 100
    assert found.total() <= MOST_PATTERNS
    assert listed.total() <= MOST_WORDS


def nodes(path: Path) -> list[ast.AST]:
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def test_no_class_has_the_name_of_another() -> None:
    names = Counter(node.name for path in MODULES for node in nodes(path) if isinstance(node, ast.ClassDef))
    assert len(names) > 400
    assert [name for name, count in names.items() if count > 1] == []


def test_no_function_has_the_name_of_its_package() -> None:
    functions = [(path, node.name) for path in MODULES for node in nodes(path) if isinstance(node, ast.FunctionDef)]
    assert len(functions) > 2000
    assert [(path, name) for path, name in functions if name == path.parent.name] == []


def test_a_variable_is_named_after_what_it_holds() -> None:
    names = {node.id for path in MODULES for node in nodes(path) if isinstance(node, ast.Name)}
    names |= {node.arg for path in MODULES for node in nodes(path) if isinstance(node, ast.arg)}
    assert len(names) > 3000
    assert names & RIDDLES == set()


def test_no_test_uses_a_private_name_of_the_package() -> None:
    uses = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.attr}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr) and not _is_own(node)
    ]
    assert uses == []


def _is_own(node: ast.Attribute) -> bool:
    """Of the test's own class, or of the standard library."""
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os", "sys")


def test_each_folder_of_tests_has_the_name_of_what_it_tests() -> None:
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    assert Path("cli") in tested
    assert [folder for folder in tested if not (PACKAGE / folder).is_dir()] == []


def test_each_command_stands_in_a_file_of_its_name() -> None:
    folder = PACKAGE / "cli" / "commands"
    files = Counter(path.stem.strip("_") for path in folder.glob("*/*.py") if path.stem != "__init__")
    commands = [command for group in GROUPS.values() for command in group]
    names = [each.info.name if isinstance(each, typer.Typer) else each.__name__ for each in commands]
    assert files == Counter(str(name).strip("_") for name in names)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_every_file_and_folder_of_the_code_that_a_page_names_is_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    paths = re.findall(r"`([\w./-]+\.(?:py|sql)|(?:evermem_cli|tests)/[\w./-]+)`", text)
    if document.name in OF_CODE:
        paths += re.findall(r"`([\w/]+/)`", text)
        assert paths
    assert [path for path in paths if not any((place / path).exists() for place in (ROOT, PACKAGE))] == []


def test_every_program_of_the_repository_that_a_page_names_is_there() -> None:
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    programs = set(re.findall(r"python -m (tests\.[\w.]+)", text))
    assert len(programs) > 10
    assert [name for name in programs if not (ROOT / name.replace(".", "/")).with_suffix(".py").exists()] == []
