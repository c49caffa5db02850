"""Keyword search in Japanese, Korean and Thai: each query of unspaced.tsv finds its sentence among thirty, first.

The sentences and queries were written before the code that cuts words was read.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evermem_cli.engines import Vectors
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Filter
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from tests.support.lives import conversation, messages

SENTENCES = Path(__file__).with_name("unspaced.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [line.split("\t") for line in SENTENCES if not line.startswith("#")]


class Deaf:
    """An embedder that hears no difference, so that words alone decide."""

    name, dimension = "deaf", 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(np.eye(1, self.dimension, dtype=np.float32), (len(texts), 1))


def _store_apart(store: Store, sentences: Sequence[str]) -> None:
    """Stores each sentence as a chat of its own."""
    store.create(Deaf.name, Deaf.dimension)
    with store.write() as writer:
        for place, sentence in enumerate(sentences):
            chat = conversation(str(place))
            writer.chats.add_conversation(chat)
            writer.chats.add_messages(messages(chat, sentence), [1], Deaf().embed([sentence]))


@pytest.mark.parametrize("language", ["ja", "ko", "th"])
def test_a_keyword_finds_its_sentence_among_thirty_first(language: str, tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "memory.duckdb", timeout=2.0), Deaf()
    pairs = [(sentence, query) for tongue, sentence, query in ROWS if tongue == language]
    assert len(pairs) == 30
    _store_apart(store, [sentence for sentence, _ in pairs])
    for sentence, query in pairs:
        best = look_up(query, store, embedder, Filter(user_id="default"), 1).items[0]
        assert best.why is not None
        assert best.why.parts["words"] > 0, query
        assert best.text == sentence


@pytest.mark.parametrize(
    ("sentence", "query"), [("我养了一只猫，叫豆包。", "猫"), ("パンが好き", "好"), ("빵집에 가요", "빵")]
)
def test_a_single_character_is_found_in_longer_words(sentence: str, query: str, tmp_path: Path) -> None:
    store, embedder = Store(tmp_path / "memory.duckdb", timeout=2.0), Deaf()
    _store_apart(store, ["See you at noon.", sentence])
    with store.at_once() as opened:
        opened.load_entries(None, None)
        for memory in (store, replace(store, opened=opened)):  # from the file, and from memory
            results = look_up(query, memory, embedder, Filter(user_id="default"), 1)
            assert ([item.text for item in results.items], results.by_meaning_only) == ([sentence], False)
            assert look_up("龙", memory, embedder, Filter(user_id="default"), 1).by_meaning_only


def test_a_particle_does_not_hide_a_korean_word() -> None:
    assert set(words_of("도서관")) <= set(words_of("도서관에서 만나요"))
    assert words_of("빵") == ["빵"]
