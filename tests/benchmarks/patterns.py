"""Hand-written patterns and words of the package: `python -m tests.benchmarks.patterns`.

A pattern is a regular expression in the code, or one in a table of a TOML file; a word is an entry of a list of words.
A list of nothing but kinds of statements is none: these are names of the tagger's outputs, and no text is compared with
them.
Transcripts and time phrases are not counted: what they read has a form of its own; nor is `languages/lexicon.json`,
which a program makes of a published lexicon. `tests/test_house.py` holds the most that there may be, so that the number
can only fall.
"""

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from evermem_cli.consolidation.statements import ATTRIBUTES
from evermem_cli.reading.statements.labels import KINDS

PACKAGE = Path(__file__).parents[2] / "evermem_cli"
APART = ("transcripts", "timespan", "trial")  # formats, times, and the texts of a trial of models
OF_RE = frozenset("compile search match fullmatch findall finditer split sub subn".split())
# In TOML files: tables of parts that patterns are made of, and keys and tables of whole patterns.
PARTS = ("parts",)
KEYS = ("says", "asks")
TABLES = ("questions", "guards", "reactions")
NAMES_OF_KINDS = {*KINDS, *ATTRIBUTES.values()}
TEXTS = ("labels", "told", "value", "stance", "type", "opposite")


def count() -> tuple[Counter[str], Counter[str]]:
    """The patterns and the words of each file, by its path within the package."""
    patterns: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(APART):
            continue
        text = path.read_text(encoding="utf-8")
        found, listed = _of_code(ast.parse(text)) if path.suffix == ".py" else _of_tables(tomllib.loads(text))
        if found:
            patterns[name] = found
        if listed:
            words[name] = listed
    return patterns, words


def _of_code(module: ast.Module) -> tuple[int, int]:
    """Regular expressions and words: given to `re` or split, or to a function of the module that does so."""
    helpers = {
        function.name
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        and any(_of_re(call) and not _texts(call.args[0]) for call in ast.walk(function) if isinstance(call, ast.Call))
    }
    splitters = {
        function.name
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        and any(_of_split(call) and not _texts(call.func) for call in ast.walk(function))
    }
    patterns = words = 0
    for node in ast.walk(module):
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.DictComp | ast.SetComp):
            given = any(_of_re(call) and not _texts(call.args[0]) for call in ast.walk(node))
            patterns += sum(_listed(part.iter, module) for part in node.generators) if given else 0
        if not isinstance(node, ast.Call):
            continue
        if _of_re(node):
            patterns += bool(_texts(node.args[0]))
        elif isinstance(node.func, ast.Name) and node.func.id in helpers:
            patterns += sum(bool(_texts(argument)) for argument in node.args)
        elif isinstance(node.func, ast.Name) and node.func.id in splitters:
            words += sum(map(_words_in, node.args))
        elif _of_split(node):
            words += _words_in(node.func)
    return patterns, words


def _listed(several: ast.expr, module: ast.Module) -> int:
    """How many patterns a comprehension goes through: the strings of it, or the values of a table of the module."""
    names = {node.id for node in ast.walk(several) if isinstance(node, ast.Name)}
    tables = [
        statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign) and any(ast.unparse(target) in names for target in statement.targets)
    ]
    values = [value for table in tables if isinstance(table, ast.Dict) for value in table.values]
    return len(_texts(several)) or len(values)


def _of_re(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in OF_RE
    )


def _words_in(node: ast.AST) -> int:
    listed = [text.split() for text in _texts(node)]
    return sum(len(several) for several in listed if not NAMES_OF_KINDS.issuperset(several))


def _of_split(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"


def _texts(node: ast.AST) -> list[str]:
    """The string literals of an expression that are no names of groups; one that is formatted counts once."""
    return [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value
    ]


def _of_tables(tables: dict[str, Any]) -> tuple[int, int]:
    patterns = words = 0
    for path, text in _leaves(tables):
        if path[-1] in KEYS or path[0] in (*PARTS, *TABLES):
            patterns += 1
        elif not set(path) & set(TEXTS):
            words += len(re.findall(r"[^\s;=]+", text))
    return patterns, words


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif isinstance(value, str):
        yield path, value


def main() -> None:
    """Prints a row for each package, with its files that have the most."""
    patterns, words = count()
    packages: Counter[str] = Counter()
    for name, number in patterns.items():
        packages[name.split("/")[0]] += number
    for package, number in packages.most_common():
        own = {name: each for name, each in patterns.items() if name.split("/")[0] == package}
        listed = sum(each for name, each in words.items() if name.split("/")[0] == package)
        print(f"{package:16} {number:5} patterns {listed:6} words")
        for name, each in Counter(own).most_common():
            print(f"    {name.partition('/')[2] or name:44} {each:4}")
    print(f"{'all':16} {patterns.total():5} patterns {words.total():6} words")
    print(json.dumps({"benchmark": "patterns", "patterns": patterns.total(), "words": words.total()}))


if __name__ == "__main__":
    main()
