"""The real embedder: unit vectors that depend on nothing but the text, made without a network."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from evermem_cli.engines.embedder import CatalogEmbed, QuickEmbed
from evermem_cli.engines.hosted import FastEmbed
from evermem_cli.engines.onnx import MAX_CHARACTERS
from evermem_cli.errors import ModelError, UsageError

NAME = "all-minilm-l6-v2"
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder(minilm: Path) -> CatalogEmbed:
    return CatalogEmbed(minilm, NAME, threads=1)


def test_vectors_are_float32_rows_of_length_one(embedder: CatalogEmbed) -> None:
    vectors = embedder.embed(["Alice moved to Berlin.", "", "ok", "明天见"])
    assert vectors.shape == (4, embedder.dimension) == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(embedder: CatalogEmbed) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_text_has_the_same_vector_alone_and_among_others_in_any_order(embedder: CatalogEmbed) -> None:
    texts = [f"{'We talked about the garden. ' * (n * 7 % 12)}Message {n}." for n in range(20)]
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.allclose(embedder.embed(texts), alone, atol=1e-5)
    assert np.allclose(embedder.embed(texts[::-1]), alone[::-1], atol=1e-5)


def test_what_means_the_same_is_nearer_than_what_does_not(embedder: CatalogEmbed) -> None:
    hike, trek, shares = embedder.embed(
        ["I love hiking in the mountains", "Trekking in the hills is my favourite", "The stock market fell"]
    )
    assert hike @ trek > 0.5 > 0.2 > hike @ shares


def test_a_text_of_a_megabyte_is_read_as_far_as_the_model_reads(embedder: CatalogEmbed) -> None:
    long = "The quick brown fox jumps over the lazy dog. " * 25_000
    long_vector, cut_vector = embedder.embed([long, long[: MAX_CHARACTERS // 4]])
    assert np.allclose(long_vector, cut_vector, atol=1e-5)


def test_half_a_character_does_no_harm(embedder: CatalogEmbed) -> None:
    broken, clean = embedder.embed(["a smile \ud83d today", "a smile ? today"])
    assert np.allclose(broken, clean, atol=1e-5)


def test_it_can_be_loaded_twice(embedder: CatalogEmbed, minilm: Path) -> None:
    again = CatalogEmbed(minilm, NAME)
    assert again.name == embedder.name == NAME
    assert np.allclose(again.embed(["hello"]), embedder.embed(["hello"]), atol=1e-5)


QUESTIONS = [
    "When did Caroline go to the museum?",
    "小雨什么时候到？",
    "",
    "a smile \ud83d today",
    "who " * 1000,
    "x" * (MAX_CHARACTERS + 1),
]


def test_a_question_has_the_vector_that_a_passage_has(embedder: CatalogEmbed, minilm: Path) -> None:
    quick = QuickEmbed(minilm, NAME, threads=1)
    assert (quick.name, quick.dimension) == (embedder.name, embedder.dimension)
    alone = np.concatenate([quick.embed([question]) for question in QUESTIONS])
    assert np.abs(alone - embedder.embed(QUESTIONS)).max() < 1e-6
    assert np.abs(quick.embed(QUESTIONS) - alone).max() < 1e-6
    assert quick.embed([]).shape == (0, 384)


def test_equal_questions_go_through_the_model_once_and_each_has_its_row(minilm: Path) -> None:
    first, second, third = QuickEmbed(minilm, NAME, threads=1).embed(["who", "where", "who"])
    assert (first == third).all()
    assert not np.allclose(first, second)


@pytest.mark.parametrize("engine", [CatalogEmbed, QuickEmbed])
def test_damaged_weights_are_a_model_error_that_says_how_to_mend_them(
    engine: type[CatalogEmbed] | type[QuickEmbed], minilm: Path, tmp_path: Path
) -> None:
    for path in minilm.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        engine(tmp_path, NAME).embed(["hello"])
    assert "evermem models pull all-minilm-l6-v2" in caught.value.hint


def test_a_name_that_fastembed_does_not_know_is_a_usage_error_that_lists_those_it_does(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown embedder: BAAI/bge-huge") as caught:
        FastEmbed(tmp_path, "BAAI/bge-huge")
    assert "BAAI/bge-small-en-v1.5" in caught.value.hint


def test_offline_a_model_of_fastembeds_that_is_not_there_is_a_model_error_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ModelError, match=r"BAAI/bge-small-en-v1\.5 cannot be loaded"):
        FastEmbed(tmp_path, "BAAI/bge-small-en-v1.5", offline=True)
    assert capfd.readouterr() == ("", "")


GUARD = """
import sys
from pathlib import Path

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise AssertionError(f"{event} {arguments}")

sys.addaudithook(refuse)
"""


def run_python(program: str, argument: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs `program` in a new process with nothing in its home, where every attempt of Python's to connect fails."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"}  # onnxruntime behaves there
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", GUARD + program, str(argument)],
        env=environment | {"HOME": str(home), "TMPDIR": str(home), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("engine", ["CatalogEmbed", "QuickEmbed"])
def test_a_new_process_needs_no_network_prints_nothing_and_leaves_no_telemetry_to_send(
    engine: str, minilm: Path, tmp_path: Path
) -> None:
    program = f"""
from evermem_cli.engines.embedder import {engine}
assert {engine}(Path(sys.argv[1]), "all-minilm-l6-v2").embed(["hello"]).shape == (1, 384)
"""
    done = run_python(program, minilm, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir()), "a device id, or events that onnxruntime means to send"


@pytest.mark.parametrize("engine", ["CatalogEmbed", "QuickEmbed"])
def test_texts_are_embedded_without_the_slow_libraries(engine: str, minilm: Path, tmp_path: Path) -> None:
    program = f"""
from evermem_cli.engines.embedder import {engine}
{engine}(Path(sys.argv[1]), "all-minilm-l6-v2").embed(["hello"])
heavy = {{"fastembed", "huggingface_hub", "httpx", "loguru"}}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    done = run_python(program, minilm, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_engines_loads_no_model_library(tmp_path: Path) -> None:
    program = """
from evermem_cli.engines import embedder, hosted, weights
heavy = {"fastembed", "onnxruntime", "huggingface_hub", "tokenizers", "httpx", "filelock"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    done = run_python(program, tmp_path, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_fastembed_is_imported_without_opening_a_socket() -> None:
    program = """
import sys
opened = []
sys.addaudithook(lambda event, told: opened.append(told) if event == "socket.__new__" else None)
from evermem_cli.engines.hosted import FastEmbed
from pathlib import Path
try:
    FastEmbed(Path(), "no/such")
except Exception as error:
    assert "unknown embedder" in str(error), error
assert "urllib3" in sys.modules
sys.exit(len(opened))
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_vectors_are_those_of_fastembed(embedder: CatalogEmbed, minilm: Path) -> None:
    """Memories whose vectors fastembed made stay comparable."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(
        model="as-fastembed-has-it",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="as-fastembed-has-it"),
        dim=384,
        model_file="model.onnx",
    )
    theirs = TextEmbedding("as-fastembed-has-it", specific_model_path=str(minilm), threads=1)
    texts = [f"{'We talked about the garden. ' * (n * 7 % 12)}Message {n}." for n in range(20)]
    assert np.abs(embedder.embed(texts) - np.array(list(theirs.embed(texts)))).max() < 1e-5
