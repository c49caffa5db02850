"""The plain ways to search that the ranking has to beat: BM25, vectors, reciprocal rank fusion of the two."""

from collections.abc import Callable, Sequence

import numpy as np

from evermem_cli.engines import Vectors
from evermem_cli.memory import Message
from evermem_cli.memory.pool import Ints
from tests.benchmarks.retrieval import connect

RRF_K = 60
BUILD_INDEX = r"""
    pragma create_fts_index('whole', 'place', 'body', stemmer = 'porter', stopwords = 'english',
                            ignore = '(\.|[^\p{L}\p{N}])+')"""
BM25 = """
    select place from (select place, fts_main_whole.match_bm25(place, $query) as score from whole)
    where score is not null order by score desc, place"""


class Peers:
    """The messages of one memory, `Speaker: text`, one row and one vector each."""

    def __init__(self, messages: dict[int, Message], embed: Callable[[Sequence[str]], Vectors]) -> None:
        texts = [f"{message.speaker}: {message.text}" for message in messages.values()]
        self._embed = embed
        self._places = np.array(list(messages), dtype=np.int64)
        self._vectors = embed(texts)
        self._connection = connect()
        self._connection.register("incoming", {"place": self._places, "body": np.array(texts, dtype=object)})
        self._connection.execute("create table whole as select * from incoming")
        self._connection.execute(BUILD_INDEX)

    def search(self, query: str) -> dict[str, Ints]:
        """Places, best first, by each way."""
        by_words = self._connection.execute(BM25, {"query": query}).fetchnumpy()["place"].astype(np.int64)
        by_vector = self._places[np.argsort(-(self._vectors @ self._embed([query])[0]), kind="stable")]
        return {"BM25": by_words, "vectors": by_vector, "RRF k=60 of the two": _fuse(by_words, by_vector)}


def _fuse(*rankings: Ints) -> Ints:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, place in enumerate(ranking.tolist(), start=1):
            scores[place] = scores.get(place, 0.0) + 1 / (RRF_K + rank)
    return np.array(sorted(scores, key=lambda place: -scores[place]), dtype=np.int64)
