"""The adapter that ships, by the real default model: what it changes, and that it changes nothing else."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evermem_cli.engines import Request
from evermem_cli.engines.adapters import ANSWERS, Adapter, adapter_of
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.errors import ModelError
from tests.training.excerpts import request_of
from tests.training.pairs import Item, items

MODEL = "qwen2.5-coder-1.5b"


@pytest.fixture(scope="module")
def adapter() -> Adapter:
    found = adapter_of(MODEL)
    assert found
    return found


@pytest.fixture(scope="module")
def llm(default_llm: Path, adapter: Adapter) -> Iterator[LlamaCpp]:
    with LlamaCpp(default_llm, name=MODEL, context_tokens=1024, batch=2, threads=2, adapter=adapter) as model:
        yield model


def left_out(*, answered: bool) -> list[Item]:
    """A few questions of hands that the adapter has not learned from."""
    return [each for each in items() if each.part == "report" and bool(each.answers) is answered][:12]


def reply(llm: LlamaCpp, request: Request) -> str:
    return llm.complete([request])[0].text


def test_a_model_without_an_adapter_has_none() -> None:
    assert adapter_of("qwen3-4b") is None
    assert adapter_of("http://127.0.0.1:11434/v1#qwen2.5-coder-1.5b") is None


def test_the_adapter_refuses_what_no_excerpt_tells_and_the_model_alone_does_not(
    llm: LlamaCpp, adapter: Adapter
) -> None:
    asked = left_out(answered=False)

    def refused(used: Adapter | None) -> int:
        return sum("does not say" in reply(llm, request_of(each, used)) for each in asked)

    assert refused(adapter) > refused(None)


def test_the_model_is_itself_again_once_the_adapter_is_switched_off(llm: LlamaCpp, adapter: Adapter) -> None:
    asked = left_out(answered=True)[:3]
    before = [reply(llm, request_of(each, None)) for each in asked]
    adapted = [reply(llm, request_of(each, adapter)) for each in asked]
    assert [reply(llm, request_of(each, None)) for each in asked] == before
    assert [reply(llm, request_of(each, adapter)) for each in asked] == adapted
    assert adapted != before


def test_a_request_for_an_adapter_that_is_not_there_is_an_error(default_llm: Path, adapter: Adapter) -> None:
    request = request_of(left_out(answered=True)[0], adapter)
    with (
        LlamaCpp(default_llm, name=MODEL, context_tokens=512, batch=1, threads=1) as plain,
        pytest.raises(ValueError, match="no such adapter"),
    ):
        plain.complete([request])


def test_a_damaged_adapter_is_refused(tmp_path: Path, default_llm: Path, adapter: Adapter) -> None:
    for suffix in ("gguf", "json"):
        shutil.copy(adapter.folder / f"{ANSWERS}.{suffix}", tmp_path)
    with (tmp_path / f"{ANSWERS}.gguf").open("r+b") as file:
        file.seek(-100, 2)
        file.write(b"\0" * 50)
    with pytest.raises(ModelError, match="damaged"):
        LlamaCpp(default_llm, name=MODEL, context_tokens=512, batch=1, threads=1, adapter=Adapter(ANSWERS, tmp_path))
