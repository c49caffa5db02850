"""Questions much like told ones that nothing tells: `python -m tests.benchmarks.near_misses --work DIR`.

Both questions of each pair of tests/training/near about the chats that are reported are asked as `ask` does, with the
default model. Whoever reads carelessly answers the second one with what the message says of another person, thing,
attribute or time, or accepts what it supposes. An answer agrees with another one from a token F1 of one half on.
Memories are kept in `--work`.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evermem_cli.ask import Asking
from evermem_cli.config import Settings
from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.memory import Filter
from tests.benchmarks.chat_answers import MOSTLY
from tests.benchmarks.refusals import asking_without_llm, memory_of
from tests.benchmarks.token_f1 import score
from tests.training.answers import MODEL, SINGLE_HOP, base
from tests.training.chats import Chat
from tests.training.linear import chosen_embedder
from tests.training.near_misses import NearMiss, near_misses
from tests.training.recalled import rows_of


def outcomes(chat: Chat, miss: NearMiss, asking: Asking) -> Iterator[str]:
    """What comes of the two questions of a pair."""
    where = Filter(user_id=Settings.load().user, as_of=chat.asked_at)
    told, near = (asking.ask(text, where, chat.asked_at) for text in (miss.told, miss.near))
    if not told.known:
        yield "told, refused"
    elif score(told.text, miss.answer, SINGLE_HOP) >= MOSTLY:
        yield "told, mostly right"
    if not near.known:
        yield "not told, refused"
    elif score(near.text, miss.tempting, SINGLE_HOP) >= MOSTLY:
        yield "not told, answered with what tempts"


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for memories")
    options = parser.parse_args()
    embedder = chosen_embedder()
    counts: Counter[str] = Counter()
    with LlamaCpp(base(), name=MODEL, context_tokens=4096, batch=1, threads=0, adapter=Adapter(ANSWERS)) as llm:
        for chat, miss in near_misses():
            if chat.part == "report":
                store = memory_of(chat.name, rows_of(chat), options.work, embedder, chat.me)
                asking = replace(asking_without_llm(store, embedder), llm=MODEL, load_llm=lambda: llm)
                counts.update(["pairs", *outcomes(chat, miss, asking)])
    print("\n".join(f"{what:40} {count}" for what, count in counts.items()))
    print(json.dumps({"benchmark": "near_misses", "figures": counts}))


if __name__ == "__main__":
    main()
