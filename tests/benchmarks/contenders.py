"""What evermem is compared with side by side: `python -m tests.benchmarks.contenders NAME MODELS FOLDER [TEXTS]`.

With TEXTS (a JSON line for each turn: id, speaker, text) they are stored in FOLDER; without, each line of stdin is a
question, and a JSON list with the ids of ten turns is the answer. All embed `Speaker: text` with the same model.
"""

import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evermem_cli.engines.embedder import CatalogEmbed, QuickEmbed

FOUND = 10
RRF_K = 60
MODEL = "all-minilm-l6-v2"
WORD = re.compile(r"\w+")
Search = Callable[[str], list[str]]


def store_script(turns: Sequence[dict[str, str]], models: Path, folder: Path) -> None:
    """The script that anybody would write: all texts embedded in one go, an array and a pickle."""
    texts = [_text(turn) for turn in turns]
    np.save(folder / "vectors.npy", CatalogEmbed(models, MODEL).embed(texts))
    from rank_bm25 import BM25Okapi

    words = BM25Okapi([_words(text) for text in texts])
    (folder / "words.pickle").write_bytes(pickle.dumps((words, [turn["id"] for turn in turns])))


def open_script(models: Path, folder: Path) -> Search:
    """BM25 and cosines, fused by reciprocal ranks."""
    vectors = np.load(folder / "vectors.npy")
    words, ids = pickle.loads((folder / "words.pickle").read_bytes())
    embedder = QuickEmbed(models, MODEL)

    def search(question: str) -> list[str]:
        ranks = [
            np.argsort(np.argsort(-scores, kind="stable"))
            for scores in (words.get_scores(_words(question)), vectors @ embedder.embed([question])[0])
        ]
        best = np.argsort(-sum(1 / (RRF_K + 1 + rank) for rank in ranks), kind="stable")
        return [ids[place] for place in best[:FOUND]]

    return search


def store_mem0(turns: Sequence[dict[str, str]], models: Path, folder: Path) -> None:
    """mem0 as its documentation has it for texts that no model is to look at: one `add` for each."""
    memory = _mem0(CatalogEmbed(models, MODEL), folder)
    for turn in turns:
        memory.add(_text(turn), user_id="me", metadata={"turn": turn["id"]}, infer=False)


def open_mem0(models: Path, folder: Path) -> Search:
    """mem0's own search."""
    memory = _mem0(QuickEmbed(models, MODEL), folder)

    def search(question: str) -> list[str]:
        found = memory.search(question, filters={"user_id": "me"}, top_k=FOUND, threshold=0.0)
        return [each["metadata"]["turn"] for each in found["results"]]

    return search


def _mem0(embedder: Any, folder: Path) -> Any:
    """mem0 with its FAISS store in the folder and our embedder; its telemetry is off, and no model is ever asked."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "home"), "OPENAI_API_KEY": "none"}
    from mem0 import Memory

    store = {"collection_name": "turns", "path": str(folder / "faiss"), "embedding_model_dims": 384}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "faiss", "config": store | {"distance_strategy": "cosine"}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model.embed = lambda text, *_: embedder.embed([text])[0].tolist()
    memory.embedding_model.embed_batch = lambda texts, *_: embedder.embed(texts).tolist()
    return memory


def _text(turn: dict[str, str]) -> str:
    return f"{turn['speaker']}: {turn['text']}"


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


CONTENDERS = {"script": (store_script, open_script), "mem0": (store_mem0, open_mem0)}


def main() -> None:
    """Stores what the last argument names, or answers what comes."""
    name, models, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    store, search = CONTENDERS[name]
    if len(sys.argv) > 4:
        lines = Path(sys.argv[4]).read_text(encoding="utf-8").splitlines()
        store([json.loads(line) for line in lines], models, folder)
        return
    found = search(models, folder)
    for line in sys.stdin:
        print(json.dumps(found(line.strip())), flush=True)


if __name__ == "__main__":
    main()
