"""One model by the embedded engine and behind real servers on this machine, asked the same:
`python -m tests.benchmarks.endpoints [--model NAME] [--questions N]`.

The servers are llama-cpp-python's own and llama.cpp's (`pip install '.[test]'`). Each is asked the items of `models
try` and questions that blind hands wrote about excerpts of chats, in the product's prompts without an adapter, since a
server has none. Printed: the items passed and the token F1 of the answers, in percent; told questions refused and
untold ones not refused; and how many replies are those of the embedded engine, word for word. Rounding decides between
words that a model finds equally likely, so a few replies differ between any two builds of llama.cpp.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from evermem_cli.config import Settings
from evermem_cli.engines import Llm, Request, catalog, weights
from evermem_cli.engines.endpoint import Address
from evermem_cli.engines.endpoint.connection import Connection
from evermem_cli.engines.endpoint.llm import Endpoint
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.trial.trial import run
from tests.benchmarks.token_f1 import score
from tests.support.servers import CONTEXT, SERVERS
from tests.training.answers import SINGLE_HOP
from tests.training.excerpts import request_of
from tests.training.pairs import Item, items

EMBEDDED = "embedded"
NAME = "tried"  # no name of the catalog, so that no adapter is asked for
BATCH = 4


@dataclass(frozen=True, slots=True)
class Figures:
    """What one engine did; percentages, and the seconds of all requests."""

    engine: str
    passed: float
    f1: float
    told_refused: int
    untold_answered: int
    as_embedded: float
    seconds: float


def measured(engine: str, llm: Llm, asked: Sequence[Item], embedded: Sequence[str] | None) -> tuple[Figures, list[str]]:
    """The figures of an engine and its replies; `embedded` are those of the embedded one."""
    begin = time.perf_counter()
    trial = run(NAME, llm, lambda *_: None)
    requests: list[Request] = [request_of(item, None) for item in asked]
    replies = [reply.text.strip() for reply in llm.complete(requests)]
    seconds = time.perf_counter() - begin
    told = [(item, reply) for item, reply in zip(asked, replies, strict=True) if item.answers]
    figures = Figures(
        engine=engine,
        passed=100 * sum(trial.passed.values()) / sum(trial.asked.values()),
        f1=100 * fmean(score(reply, item.answer, SINGLE_HOP) for item, reply in told),
        told_refused=sum(refuses(reply) for _, reply in told),
        untold_answered=sum(
            not item.answers and not refuses(reply) for item, reply in zip(asked, replies, strict=True)
        ),
        as_embedded=100 * fmean(map(str.__eq__, replies, embedded or replies)),
        seconds=seconds,
    )
    return figures, replies


@contextmanager
def embedded_engine(model: Path) -> Iterator[Llm]:
    """The product's own engine."""
    threads = os.cpu_count() or 1
    with LlamaCpp(model, name=NAME, context_tokens=CONTEXT, batch=BATCH, threads=threads) as llm:
        yield llm


@contextmanager
def behind(server: str, model: Path) -> Iterator[Llm]:
    """The same model behind a server."""
    _, serve = SERVERS[server]
    with serve(model, NAME, os.cpu_count() or 1) as url:
        address = Address.read(f"{url}#{NAME}")
        with Endpoint(address, Connection(address), name=NAME, context_tokens=CONTEXT, batch=BATCH) as llm:
            yield llm


def main() -> None:
    """Prints a row for each engine, and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2-135m", help="a language model of the catalog")
    parser.add_argument("--questions", type=int, default=200, help="how many are asked")
    chosen = parser.parse_args()
    everything = items()
    asked = everything[:: max(1, len(everything) // chosen.questions)][: chosen.questions]
    found = catalog.find_llm(chosen.model)
    model = found if isinstance(found, Path) else weights.locate(found, Settings.load().models_dir)
    with embedded_engine(model) as llm:
        first, replies = measured(EMBEDDED, llm, asked, None)
    rows = [first]
    print(first, flush=True)
    for server, (is_here, _) in SERVERS.items():
        if is_here():
            with behind(server, model) as llm:
                rows.append(measured(server, llm, asked, replies)[0])
            print(rows[-1], flush=True)
        else:
            print(f"{server}: not installed")
    widest = max(max(abs(row.passed - first.passed), abs(row.f1 - first.f1)) for row in rows)
    print(f"{chosen.model}, n {len(asked)}: the figures of the servers differ by {widest:.1f} points at most")
    print(json.dumps({"benchmark": "endpoints", "model": chosen.model, "rows": [asdict(row) for row in rows]}))


if __name__ == "__main__":
    main()
