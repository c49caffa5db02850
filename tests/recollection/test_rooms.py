"""The house rules of recollection that no linter knows: who has the raw text, how big rooms are, what lists hold."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import evermem_cli
from evermem_cli.recollection.refusals import PRECAUTIONS, REFUSALS
from evermem_cli.recollection.responders import RESPONDERS

PACKAGE = Path(evermem_cli.__file__).parent
ROOM = PACKAGE / "recollection"
MODULES = sorted(ROOM.rglob("*.py"))
MOST_FILES, MOST_LINES = 16, 300
# The workflow that reads it, search's own index, the closer look, the prompts, and the records of answers and rounds.
WITH_TEXT = {"ask.py", "find.py", "rerank.py", "requests.py", "answers.py", "recollection.py"}
PAGE = PACKAGE / "help" / "how-it-works.md"
RAW = re.compile(r"\b(?:question|query)\.(?:text|asked)\b|\bquestion: str, hits\b|\btext: str, (?:store|where)\b")


def test_few_modules_outside_of_questions_have_the_raw_question() -> None:
    modules = [path for path in (*MODULES, PACKAGE / "ask.py") if "questions" not in path.parts]
    assert {path.name for path in modules if RAW.search(path.read_text(encoding="utf-8"))} == WITH_TEXT


def test_no_module_and_no_folder_is_too_big() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path.name: count for path, count in lines.items() if count > MOST_LINES} == {}
    rooms = Counter(path.parent.name for path in MODULES)
    assert {name: count for name, count in rooms.items() if count > MOST_FILES} == {}


def test_each_responder_and_refusal_is_the_one_public_function_of_the_file_of_its_name() -> None:
    for room, entries in (("responders", RESPONDERS), ("refusals", [*REFUSALS, *PRECAUTIONS])):
        files = {path.stem: path for path in (ROOM / room).glob("*.py") if path.stem != "__init__"}
        assert len(files) == len(entries)
        for name, path in files.items():
            functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
            assert functions[0].name == name


def test_the_page_on_how_it_works_is_short_and_names_files_that_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    names = set(re.findall(r"`([\w/]+\.(?:py|sql))`", text))
    known = [f"/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*.*")]
    assert {name for name in names if not any(path.endswith(f"/{name}") for path in known)} == set()


@pytest.mark.parametrize("room", ["responders", "refusals"])
def test_the_page_names_both_lists(room: str) -> None:
    assert room.upper() in PAGE.read_text(encoding="utf-8")
