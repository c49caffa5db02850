"""Tier 2 against the plain loop: `python -m tests.benchmarks.plain_loop --data DIR [--sessions 26:2,41:3]`.

The plain loop asks the same model for the facts of each message, one by one, by llama-cpp-python's
`create_chat_completion` with a JSON schema as `response_format`; the tokens that prompts begin with stay in its cache.
Both read the same LoCoMo sessions, in turns within one run, so that a busy machine slows both; evermem's time is that
of all that tier 2 makes of a session (facts, foresights, episodes), the loop's that of its facts. Coverage,
attribution and grounding are those of `tests.benchmarks.extraction`, of the facts of either.
"""

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from llama_cpp import Llama

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.memory import Fact, MemCell, Message
from tests.benchmarks.extraction import Score, measure, own_facts, read_sessions
from tests.support.formed import form_traces

SESSIONS = "26:2,41:3,43:3"
SYSTEM = """You write down what a person's message states about them, as facts for their memory.
Each fact is one short sentence in the third person that can be understood alone. Greetings, questions and praise state
nothing: answer with an empty list.

Message before, by Tom: Who taught you to bake?
Message by Nina: My grandmother Rosa did. She had a small bakery in Lyon.
{"facts": ["Nina's grandmother Rosa taught Nina to bake.", "Nina's grandmother Rosa had a small bakery in Lyon."]}

Message before, by Nina: I'm off to work!
Message by Tom: Have a great day, Nina!
{"facts": []}"""
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}
MOST_TOKENS = 160


def plain_facts(cell: MemCell, model: Any) -> list[Fact]:
    """What the plain loop makes of a session."""
    facts = []
    before: Message | None = None
    for message in cell.messages:
        told = f"Message before, by {before.speaker}: {before.text}\n" if before else ""
        reply = model.create_chat_completion(
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": f"{told}Message by {message.speaker}: {message.text}"},
            ],
            response_format={"type": "json_object", "schema": SCHEMA},
            temperature=0,
            max_tokens=MOST_TOKENS,
        )
        facts += [_fact(cell, message, text) for text in _texts(reply["choices"][0]["message"]["content"])]
        before = message
    return facts


def _texts(reply: str) -> list[str]:
    """The facts of a reply; none of one that was cut off."""
    try:
        return [text for text in json.loads(reply)["facts"] if text.strip()]
    except json.JSONDecodeError:
        return []


def _fact(cell: MemCell, message: Message, text: str) -> Fact:
    return Fact(
        id=f"{message.id}:{text}",
        atomic_fact=text,
        speaker=message.speaker,
        user_id=message.user_id,
        group_id=cell.group_id,
        parent_type="memcell",
        parent_id=cell.event_id,
        said_at=message.said_at,
        valid_at=None,
        invalid_at=None,
        confidence=1.0,
        message_ids=(message.id,),
    )


def main() -> None:
    """Runs both on each session, prints a table and a JSON line."""
    settings = Settings.load()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--sessions", default=SESSIONS, help="CONVERSATION:NUMBER, separated by commas")
    chosen = parser.parse_args()
    path = weights.locate(catalog.find_llm(settings.llm), settings.models_dir)
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(home, settings.embedder, settings.threads)
    plain, own = Score(), Score()
    threads = settings.threads or os.cpu_count() or 1
    loop = Llama(str(path), n_ctx=settings.context_tokens, n_threads=threads, verbose=False)
    with LlamaCpp(
        path, name=settings.llm, context_tokens=settings.context_tokens, batch=settings.batch, threads=threads
    ) as llm:
        for session in read_sessions(chosen.data, chosen.sessions):
            start = time.perf_counter()
            facts = plain_facts(session.cell, loop)
            between = time.perf_counter()
            traces = form_traces(session.cell, llm, settings)
            own.seconds += time.perf_counter() - between
            plain.seconds += between - start
            measure(session, own_facts(traces), embedder, own)
            measure(session, facts, embedder, plain)
            print(
                f"{session.cell.event_id}: loop {plain.seconds:.0f} s, evermem {own.seconds:.0f} s so far", flush=True
            )
    _print(plain, own)


def _print(plain: Score, own: Score) -> None:
    print(f"{'':14}{'plain loop':>12}{'evermem':>12}")
    for name in ("seconds", "facts", "coverage", "attribution", "ungrounded"):
        print(f"{name:14}{getattr(plain, name):12.3f}{getattr(own, name):12.3f}")
    ratio = plain.seconds / own.seconds
    print(f"evermem is {ratio:.1f} times as fast")
    shown = {"n": own.messages, "ratio": round(ratio, 2), "coverage": [plain.coverage, own.coverage]}
    print(json.dumps({"benchmark": "plain-loop"} | shown))


if __name__ == "__main__":
    main()
