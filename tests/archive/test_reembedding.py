"""A memory that is embedded anew: old vectors serve until the new ones are whole, and nothing else changes."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from rich.console import Console

from evermem_cli.archive.reembedding import Reembedding
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.config import Settings
from evermem_cli.engines import Vectors, calibration
from evermem_cli.errors import ModelError, StoreError, UsageError
from evermem_cli.memory import Access, Filter, Scale
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Keys, Store
from evermem_cli.store.file import keys
from evermem_cli.store.transfer.reembedding import TEXTS, Target, adopt, reembedding
from tests.support.fakes import WordEmbedder
from tests.support.lives import EMBEDDER, conversation, live, messages

WHERE = Filter(user_id="default")
CHAT, OTHER = conversation("music"), conversation("noise")
SAID = messages(CHAT, "I bought a red xylophone.", "It is loud.", "My xylophone is not for sale.")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "memory.duckdb", timeout=2.0)
    live(made, CHAT, SAID[:2], SAID[2:])
    return made


def reembed(store: Store, embedder: WordEmbedder) -> int:
    return Reembedding(store, embedder, lambda *_: None).run().texts


def found(store: Store, embedder: WordEmbedder, text: str = "red xylophone") -> list[str]:
    return [hit.id for hit in look_up(text, store, embedder, WHERE, 5).items]


def rows(store: Store, query: str) -> list[dict[str, Any]]:
    with store.read() as reader:
        cursor = reader.connection.execute(query)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]


@pytest.mark.parametrize("dimension", [256, 384, 512, 768, 1024])
def test_every_length_of_vectors_serves(store: Store, dimension: int) -> None:
    other = WordEmbedder("others", dimension)
    before = found(store, EMBEDDER)
    entries = rows(store, "select * exclude (embedding) from documents order by number")
    assert reembed(store, other) == len(rows(store, f"select * from ({TEXTS})"))
    assert store.embedder == "others"
    assert found(store, other) == before
    after = rows(store, "select * exclude (embedding) from documents order by number")
    kept = [{name: value for name, value in row.items() if "sketch" not in name} for row in entries]
    assert [{name: value for name, value in row.items() if "sketch" not in name} for row in after] == kept
    [shape] = rows(store, "select distinct len(embedding::float[]) as n from documents")
    assert shape["n"] == dimension


def test_the_new_vectors_are_those_of_the_texts(store: Store) -> None:
    other = WordEmbedder("others", 512)
    reembed(store, other)
    texts = {row["id"]: str(row["text"]) for row in rows(store, TEXTS)}
    made = rows(store, "select memory_id, embedding from documents union all from situations")
    assert len(made) == 13
    for row in made:
        expected = other.embed([texts[row["memory_id"]]])[0]
        assert np.allclose(np.array(row["embedding"], dtype=np.float32), expected, atol=1e-6)


def test_all_tables_but_those_of_vectors_stay_as_they_were(store: Store) -> None:
    tables = [row["table_name"] for row in rows(store, "select table_name from duckdb_tables()")]
    same = [name for name in tables if name not in ("documents", "situations", "scenes", "meta")]
    before = {name: rows(store, f"select count(*) n, bit_xor(hash(t)) h from {name} t") for name in same}
    reembed(store, WordEmbedder("others", 512))
    assert {name: rows(store, f"select count(*) n, bit_xor(hash(t)) h from {name} t") for name in same} == before


class Stopping(WordEmbedder):
    """Is interrupted when it has embedded so many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__("others", 512)
        self.left = batches

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_a_stopped_run_is_continued_and_searches_use_the_old_vectors_meanwhile(
    store: Store,
) -> None:
    before = found(store, EMBEDDER)
    stopped = Stopping(4)  # two for the scale
    with pytest.raises(KeyboardInterrupt):
        Reembedding(store, stopped, lambda *_: None, together=1).run()
    assert store.embedder == EMBEDDER.name
    assert found(store, EMBEDDER) == before
    with reembedding(store, write=False) as opened:
        left = opened.missing()
        assert 0 < left == opened.total() - 2
    rest = WordEmbedder("others", 512)
    done = Reembedding(store, rest, lambda *_: None).run()
    assert done.resumed == 2
    assert len(rest.embedded) == done.texts - 2


def test_what_comes_meanwhile_is_embedded_too(store: Store) -> None:
    class Growing(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            if texts and not rows(store, f"select * from conversations where id = '{OTHER.id}'"):
                live(store, OTHER, messages(OTHER, "The theremin is louder."))
            return super().embed(texts)

    grown = Growing("others", 512)
    reembed(store, grown)
    assert "The theremin is louder." in grown.embedded
    assert not rows(store, "select * from messages where id not in (select memory_id from documents)")


def test_a_text_that_changed_since_it_was_embedded_is_embedded_again(store: Store) -> None:
    target = Target(embedder="others", dimension=512)
    with reembedding(store, write=True) as opened:
        opened.begin(target)
        waiting = opened.unembedded(100)
        opened.put(waiting, [1] * len(waiting), np.ones((len(waiting), 512), dtype=np.float32))
        assert opened.missing() == 0
    with store.write() as writer:
        writer.connection.execute(
            "update messages set text = 'I bought a blue one.' where id = $id", {"id": SAID[0].id}
        )
    assert adopt(store, target) is None
    assert store.embedder == EMBEDDER.name
    with reembedding(store, write=False) as opened:
        assert [text.memory_id for text in opened.unembedded(100)] == [SAID[0].id]


def test_a_message_may_have_more_or_fewer_pieces_than_before(store: Store) -> None:
    target = Target(embedder="others", dimension=512)
    with reembedding(store, write=True) as opened:
        opened.begin(target)
        waiting = opened.unembedded(100)
        counts = [3 if text.memory_id == SAID[0].id else 1 for text in waiting]
        opened.put(waiting, counts, np.eye(sum(counts), 512, dtype=np.float32))
    assert adopt(store, target) == len(waiting)
    pieces = rows(store, f"select * from documents where memory_id = '{SAID[0].id}' order by number")
    assert len(pieces) == 3
    assert len({row["head"] for row in pieces}) == 1
    assert [bool(row["body"]) for row in pieces] == [True, False, False]
    assert SAID[0].id in found(store, WordEmbedder("others", 512))


def test_the_texts_are_those_that_an_ingest_embeds(store: Store) -> None:
    texts = {row["id"]: row["text"] for row in rows(store, TEXTS)}
    with store.read() as reader:
        memories: list[Any] = [
            *reader.topics.episodes(None),
            *reader.topics.facts(None),
            *reader.topics.foresights(None),
        ]
    assert memories
    assert all(texts[memory.id] == memory.search_text for memory in memories)


def test_an_encrypted_memory_stays_encrypted(store: Store, tmp_path: Path) -> None:
    store.encrypt(keys.write_new(tmp_path / "key"))
    sealed = replace(store, keys=Keys(tmp_path / "key"))
    reembed(sealed, WordEmbedder("others", 512))
    assert sealed.is_encrypted
    assert found(sealed, WordEmbedder("others", 512))
    assert b"xylophone" not in store.path.read_bytes()


def test_an_agent_may_not(store: Store) -> None:
    agent = replace(store, access=Access(agent="helper", reason="", command="embed", tiers={}))
    with pytest.raises(UsageError, match="may only read"):
        reembed(agent, WordEmbedder("others", 512))


def test_an_embedder_that_does_not_fit_says_what_to_do(store: Store) -> None:
    with pytest.raises(StoreError) as caught:
        found(store, WordEmbedder("others", 512))
    assert "evermem embed --model others" in caught.value.hint


def test_the_embedder_of_the_memory_is_used_unless_another_is_named() -> None:
    def engines(named: str, made_by: str | None) -> str:
        settings = replace(Settings(), embedder=named)
        return Engines(settings, console=_no_console, note=lambda line: None, made_by=lambda: made_by).embedder_name

    assert engines("all-minilm-l6-v2", "bge-small-zh") == "bge-small-zh"
    assert engines("all-minilm-l6-v2", None) == "all-minilm-l6-v2"
    assert engines("bge-small-en", "bge-small-zh") == "bge-small-en"


def test_an_embedder_that_is_not_there_says_how_to_get_on(tmp_path: Path) -> None:
    settings = replace(Settings(), models_dir=tmp_path, offline=True)
    unseen = Console(file=io.StringIO())
    engines = Engines(settings, lambda: unseen, note=lambda line: None, made_by=lambda: "bge-small-zh")
    with pytest.raises(ModelError) as caught:
        _ = engines.question_embedder
    assert "evermem models pull bge-small-zh" in caught.value.hint
    assert "evermem embed --model all-minilm-l6-v2" in caught.value.hint


def _no_console() -> Console:
    raise AssertionError("nothing is downloaded")


def test_the_cosines_of_another_embedder_are_put_on_the_scale_of_the_default(store: Store) -> None:
    class Narrow(WordEmbedder):
        """What belongs together is at 0.9, what does not at 0.7."""

        def embed(self, texts: Sequence[str]) -> Vectors:
            vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
            sides = {text: n for n, pair in enumerate(calibration.PAIRS) for text in pair}
            for row, text in enumerate(texts):
                vectors[row, 0] = np.sqrt(0.7)
                vectors[row, 1 + sides.get(text, 100 + crc32(text.encode()) % 100)] = np.sqrt(0.2)
                vectors[row, 201 + crc32(text.encode()) % 300] = np.sqrt(0.1)
            return vectors

    narrow = Narrow("narrow", 512)
    scale = calibration.scale_of(narrow)
    assert scale.slope * 0.9 + scale.shift == pytest.approx(calibration.RELATED, abs=0.02)
    assert scale.slope * 0.7 + scale.shift == pytest.approx(calibration.UNRELATED, abs=0.02)
    assert scale.own(calibration.RELATED) == pytest.approx(0.9, abs=0.01)
    assert calibration.scale_of(WordEmbedder()) == Scale()  # knows words only
    reembed(store, narrow)
    with store.read() as reader:
        assert reader.meta.scale == scale
    assert all(each.cosine < 0.3 for each in look_up("red xylophone", store, narrow, WHERE, 5).items if each.cosine)


KILLED = """
import sys, time
from pathlib import Path
from evermem_cli.archive.reembedding import Reembedding
from evermem_cli.store import Store
from tests.support.fakes import WordEmbedder

class Slow(WordEmbedder):
    def embed(self, texts):
        print(len(self.embedded), flush=True)
        time.sleep(0.02)
        return super().embed(texts)

Reembedding(Store(Path(sys.argv[1]), 5.0), Slow("others", 512), lambda *_: None, together=1).run()
"""


def test_a_killed_run_loses_nothing_and_is_continued(store: Store) -> None:
    before = found(store, EMBEDDER)
    for lines in (3, 4):
        with subprocess.Popen(
            (sys.executable, "-c", KILLED, str(store.path)), stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        ) as running:
            assert running.stdout
            for _ in range(lines):
                running.stdout.readline()
            os.kill(running.pid, signal.SIGKILL)
        assert found(store, EMBEDDER) == before
    done = Reembedding(store, WordEmbedder("others", 512), lambda *_: None).run()
    assert done.resumed >= 1
    assert found(store, WordEmbedder("others", 512)) == before
