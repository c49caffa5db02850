"""The cap of a result holds by the project's own estimate and by the tokenizers of real models."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from evermem_cli.config import Settings
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.mcp.arguments import LEAST_TOKENS
from evermem_cli.mcp.budget import rendered, tokens
from evermem_cli.mcp.host import MemoryHost
from evermem_cli.mcp.tools import TOOLS
from tests.cli.test_main import Shell
from tests.mcp.test_mcp import CHAT, REASON

CAPS = (LEAST_TOKENS, 700, 1_000)
GIVEN: dict[str, dict[str, Any]] = {
    "search": {"query": "Where does the user live, and what of the cat?", "k": 50},
    "ask": {"question": "What is my cat called?", "mode": "light"},
    "profile": {"history": True},
    "timeline": {},
    "examples": {"situation": "find a flat in Leeds", "k": 50},
    "status": {},
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Callable[..., dict[str, Any]]:
    """Calls a tool on a small memory."""
    folder = tmp_path_factory.mktemp("capped")
    (folder / "moving.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    assert shell("ingest", "--no-llm", str(folder / "moving.txt")).returncode == 0
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    named = {offered.name: offered for offered in TOOLS}

    def result(name: str, reason: str, **given: Any) -> dict[str, Any]:
        return named[name](host.call("tester", reason, name), given)

    return result


@pytest.fixture(scope="module")
def results(call: Callable[..., dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """What every reading tool returns at several caps, and `fetch` for every id that tools name."""
    return [
        (most, call(name, reason, **given, max_tokens=most))
        for reason in ("", REASON)
        for name, given in [*GIVEN.items(), *(("fetch", {"id": known}) for known in sorted(_ids(call, reason)))]
        for most in CAPS
    ]


def _ids(call: Callable[..., dict[str, Any]], reason: str) -> set[str]:
    documents = [call(name, reason, **GIVEN[name], max_tokens=20_000) for name in ("search", "timeline", "profile")]
    return {known for document in documents for known in _named(document)}


def _named(value: Any, key: str = "") -> Iterator[str]:
    """The ids in a document."""
    if isinstance(value, str) and key in ("id", "message_ids"):
        yield value
    for name, item in value.items() if isinstance(value, dict) else ():
        yield from _named(item, name)
    for item in value if isinstance(value, list) else ():
        yield from _named(item, key)


def test_every_result_keeps_to_every_cap(results: list[tuple[int, dict[str, Any]]]) -> None:
    assert len(results) > len(CAPS) * 2 * 15
    assert [rendered(document) for most, document in results if tokens(document) > most] == []


def test_the_embedders_tokenizer_counts_no_more(results: list[tuple[int, dict[str, Any]]], minilm: Path) -> None:
    tokenizer = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    counts = [len(tokenizer.encode(rendered(document), add_special_tokens=False)) for _, document in results]
    assert [count for count, (most, _) in zip(counts, results, strict=True) if count > most] == []


@pytest.mark.model
def test_a_language_models_tokenizer_counts_no_more(results: list[tuple[int, dict[str, Any]]], smollm: Path) -> None:
    with LlamaCpp(smollm, name="smollm2", context_tokens=512, batch=1, threads=1) as llm:
        assert [most for most, document in results if llm.count_tokens(rendered(document)) > most] == []
