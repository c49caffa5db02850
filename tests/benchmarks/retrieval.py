"""What the retrieval benchmarks share: a small index of one memory, the peers it is compared with, learning of weights.

The index is the store's in small: a row for each piece of a message in DuckDB, keyword counts from the tables of the
FTS extension, cosines from a vector column. No language model.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_fts
import numpy as np
from numpy.typing import NDArray

from evermem_cli import timespan
from evermem_cli.engines import Embedder, Vectors
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.formation.pieces import spoken_pieces
from evermem_cli.languages.word_forms import forms
from evermem_cli.memory import Message
from evermem_cli.memory.pool import Floats, Ints, Pool, inverse_document_frequency
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.questions.query import Query, read_query
from evermem_cli.recollection.search import ranking
from evermem_cli.recollection.search.find import as_one
from evermem_cli.recollection.search.ranking import WEIGHTS
from evermem_cli.recollection.search.sittings import REACH
from evermem_cli.store.index.postings import numbered_stems
from tests.benchmarks.ranking_fit import Example

CANDIDATES = 300  # of each view
APART = 1000  # between the places of two conversations
CREATE = """
    create table messages(place bigint, said_at timestamp, speaker varchar, text varchar);
    create table documents(number bigint, place bigint, body varchar, embedding float[384]);"""
BUILD_INDEX = r"""
    pragma create_fts_index('documents', 'number', 'body', stemmer = 'porter', stopwords = 'none',
                            ignore = '(\.|[^\p{L}\p{N}])+')"""
# How often each message has the question's words; the forms of a word, and words with one stem, are one.
COUNTS = """
    create or replace temp table found as
    select place, asked.word as termid, count(*) as n from fts_main_documents.terms
    join fts_main_documents.dict using (termid)
    join (select unnest($stems::varchar[]) as term, unnest($words::bigint[]) as word) as asked using (term)
    join fts_main_documents.docs using (docid) join documents on number = name
    group by all"""
KNOWN = "select termid, count(*) as containing from found group by termid order by termid"
BY_WORDS = """
    select place from found join lengths using (place)
    join (select unnest($terms) as termid, unnest($idf) as idf) using (termid)
    group by place order by sum(idf * n * 2.2 / (n + 1.2 * (0.5 + 0.5 * length / $mean))) desc, place limit $limit"""
BY_VECTOR = """
    select place from documents group by place
    order by max(array_inner_product(embedding, $vector::float[384])) desc, place limit $limit"""
POOL = """
    select place, said_at, speaker, text, length, cosine from messages join lengths using (place) join (
      select place, max(array_inner_product(embedding, $vector::float[384])) as cosine
      from documents where place in (from wanted) group by place) using (place)
    order by place"""

PREFERENCE = "single-session-preference"  # LongMemEval's requests for advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question of a benchmark: when it is asked, by whom, and the places of the messages that answer it."""

    text: str
    at: datetime
    gold: frozenset[int]
    kind: str
    asker: str | None = None


def arguments(description: str | None) -> argparse.Namespace:
    """The options of the retrieval benchmarks."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--models", type=Path, required=True, help="folder with the embedder's files")
    parser.add_argument("--vectors", type=Path, help="folder to keep vectors in between runs")
    return parser.parse_args()


def as_text(vector: NDArray[np.float32]) -> str:
    """The vector as DuckDB reads it from text: a list parameter costs 90 microseconds for each of its numbers."""
    return str(vector.tolist())


def connect() -> duckdb.DuckDBPyConnection:
    """An in-memory database with keyword search, on one thread: these memories are small."""
    connection = duckdb.connect(config={"threads": 1})
    [extension] = Path(duckdb_extension_fts.__file__).parent.rglob("fts.duckdb_extension")
    connection.execute(f"load '{extension}'")
    return connection


class CachedEmbedder:
    """The default embedder with a file of what it has embedded before, where a folder for it is given."""

    name, dimension = "all-minilm-l6-v2", 384

    def __init__(self, models: Path, folder: Path | None) -> None:
        self._models = models
        self._file = folder / "retrieval_vectors.npz" if folder else None
        self._known: dict[str, NDArray[np.float32]] = {}
        if self._file and self._file.exists():
            with np.load(self._file) as saved:
                self._known = dict(zip(saved["texts"].tolist(), saved["vectors"], strict=True))

    @cached_property
    def _engine(self) -> Embedder:
        return CatalogEmbed(self._models, self.name)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 384)."""
        return self.embed(texts)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The same, as an `Embedder`."""
        new = list({text for text in texts if text not in self._known})
        if new:
            self._known |= zip(new, self._engine.embed(new), strict=True)
        return np.stack([self._known[text] for text in texts])

    def save(self) -> None:
        """Keeps what was embedded."""
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, texts=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))


def embedded(question: Query, embed: Callable[[Sequence[str]], Vectors]) -> NDArray[np.float32]:
    """The vector that the search compares messages with."""
    spoken, stated = embed([question.spoken, question.stated])
    return as_one(spoken, stated)


class Index:
    """Messages of some conversations, each conversation in the order it was held."""

    def __init__(self, conversations: Sequence[Sequence[Message]], embed: CachedEmbedder) -> None:
        self._embedder = embed
        self._connection = connect()
        self._connection.execute(CREATE)
        self.messages = {
            APART * number + place: message
            for number, conversation in enumerate(conversations)
            for place, message in enumerate(conversation)
        }
        self.speakers = sorted({message.speaker for message in self.messages.values()})
        self._fill(embed)

    def _fill(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        rows = [(place, m.local_time.replace(tzinfo=None), m.speaker, m.text) for place, m in self.messages.items()]
        spoken = [
            (place, number, piece)
            for place, message in self.messages.items()
            for number, piece in enumerate(spoken_pieces(message, self.messages.get(place - 1)))
        ]
        vectors = embed([piece for _, _, piece in spoken])
        self._insert(
            "messages",
            place=[row[0] for row in rows],
            said_at=[np.datetime64(row[1]) for row in rows],
            speaker=[row[2] for row in rows],
            text=[row[3] for row in rows],
        )
        self._insert(
            "documents",
            number=list(range(len(spoken))),
            place=[place for place, _, _ in spoken],
            body=["" if number else self.messages[place].text.casefold() for place, number, _ in spoken],
            embedding=[as_text(vector) for vector in vectors],
        )
        self._connection.execute(BUILD_INDEX)
        self._connection.execute(
            "create table lengths as select place, sum(len)::double as length from fts_main_documents.docs "
            "join documents on number = name group by place"
        )
        self.mean_length = float(self._connection.execute("select avg(length) from lengths").fetchall()[0][0])

    def _insert(self, table: str, **columns: Sequence[Any]) -> None:
        incoming = {
            name: np.array(values, dtype=object if isinstance(values[0], str) else None)
            for name, values in columns.items()
        }
        self._connection.register("incoming", incoming)
        self._connection.execute(f"insert into {table} by name select * from incoming")

    def ask(self, ask: Ask) -> Query:
        """The question as the search reads it, where it recognises every request for advice."""
        asked = replace(SHIPPED.read_question(ask.text), advice=ask.kind == PREFERENCE)
        return read_query(ask.text, asked, self.speakers, timespan.find(ask.text, ask.at), ask.asker)

    def pool(self, question: Query, vector: NDArray[np.float32]) -> Pool:
        """Candidates by words and by vector with the messages around them."""
        numbers = numbered_stems(self._connection, [forms(word) for word in question.words])
        self._connection.execute(COUNTS, {"stems": list(numbers), "words": list(numbers.values())})
        known = self._columns(KNOWN)
        terms = known["termid"].astype(np.int64)
        idf = inverse_document_frequency(known["containing"].astype(np.int64), len(self.messages))
        by_words = self._columns(
            BY_WORDS, terms=terms.tolist(), idf=idf.tolist(), mean=self.mean_length, limit=CANDIDATES
        )
        by_vector = self._columns(BY_VECTOR, vector=as_text(vector), limit=CANDIDATES)
        hits = np.union1d(by_words["place"], by_vector["place"]).astype(np.int64)
        places = np.unique(hits[:, None] + np.arange(-REACH, REACH + 1))
        self._connection.register("wanted", {"place": places})
        rows = self._columns(POOL, vector=as_text(vector))
        place = rows["place"].astype(np.int64)
        return Pool(
            head=place,
            position=place,
            drawn=np.zeros(len(place), dtype=np.bool_),
            opens=place % APART == 0,
            said_at=rows["said_at"].astype("datetime64[s]"),
            speaker=rows["speaker"].astype(np.str_),
            text=list(rows["text"]),
            length=rows["length"].astype(np.float64),
            mean_length=self.mean_length,
            counts=self._counts(place, terms),
            idf=idf,
            cosine=rows["cosine"].astype(np.float64),
            wanted=np.ones(len(place), dtype=np.bool_),
        )

    def _counts(self, place: Ints, terms: Ints) -> Floats:
        found = self._columns("select * from found")
        counts = np.zeros((len(place), len(terms)))
        row = np.searchsorted(place, found["place"])
        row[row == len(place)] = 0
        here = place[row] == found["place"] if len(place) else np.zeros(0, dtype=bool)
        counts[row[here], np.searchsorted(terms, found["termid"])[here]] = found["n"][here]
        return counts

    def _columns(self, sql: str, **parameters: Any) -> dict[str, NDArray[Any]]:
        found = self._connection.execute(sql, parameters).fetchnumpy()
        return {name: np.asarray(values) for name, values in found.items()}

    def example(self, ask: Ask, embed: Callable[[Sequence[str]], Vectors]) -> Example:
        """The candidates of a question with what speaks for each."""
        question = self.ask(ask)
        pool = self.pool(question, embedded(question, embed))
        rows, features = ranking.features(question, pool, np.array(list(WEIGHTS.values())))
        places = pool.position[rows]
        found = np.isin(places, sorted(ask.gold))
        return Example(places=places, features=features, gold=ask.gold, found_gold=found)
