"""Facts against LoCoMo's observations: `python -m tests.benchmarks.extraction --data DIR [--sessions 26:4] [--llm X]`.

Each session is one MemCell of a group chat under v1.0, given to `form_traces` with the real model. An observation
is covered when a fact of its speaker cites one of its turns and agrees with it: F1 of stemmed content words at least
0.5, or cosine of the embeddings at least 0.75. Attribution is the share of facts that name their speaker as subject:
at the beginning, or after a few words that say when or why. `ungrounded` counts facts with a word that no cited message
has in any form. `--list N` shows N facts by chance (always the same), `--facts FILE` writes each fact with its
messages, one JSON a line, so that support can be judged by reading. `--sessions rest` are all but the default ones, by
whose misses the rules were extended; `--llm none` gives what code finds alone.
"""

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from dateutil import parser as dates
from py_rust_stemmers import SnowballStemmer  # type: ignore[import-untyped]

from evermem_cli.config import Settings
from evermem_cli.engines import Embedder, Llm, catalog, weights
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.formation.grounding import CitedWords, name_words
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.memory import ChatKind, Fact, MemCell, Message, Policy, Role, Traces
from tests.support.formed import form_traces
from tests.support.scripted import ScriptedLlm

SESSIONS = "26:2,26:4,26:8,41:3,41:5,41:9,43:3,49:6"
LEAST_F1 = 0.5
LEAST_COSINE = 0.75
SUBJECT_WITHIN = 6  # words before the speaker's name: "Last year in June,"
STEMMER = SnowballStemmer("english")


@dataclass(frozen=True, slots=True)
class Observation:
    """A gold fact of a speaker and the turns it was taken from."""

    speaker: str
    text: str
    turns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting: its messages as a MemCell, and what there is to be found."""

    cell: MemCell
    observations: tuple[Observation, ...]


@dataclass(slots=True)
class Score:
    """Sums over sessions; the shares are made at the end."""

    sessions: int = 0
    messages: int = 0
    facts: int = 0
    observations: int = 0
    covered: int = 0
    attributed: int = 0
    ungrounded: int = 0
    foresights: int = 0
    dropped: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    @property
    def coverage(self) -> float:
        """Share of the observations that a fact covers."""
        return self.covered / self.observations

    @property
    def attribution(self) -> float:
        """Share of the facts that name their speaker as subject."""
        return self.attributed / self.facts

    def count(self, traces: Traces) -> None:
        """Adds what it took to make them."""
        self.foresights += len({foresight.foresight for foresight in traces.foresights})
        self.dropped += traces.dropped
        self.calls += traces.llm_calls
        self.prompt_tokens += traces.prompt_tokens
        self.output_tokens += traces.output_tokens


def read_sessions(folder: Path, wanted: str) -> Iterator[Session]:
    """The sessions named as CONVERSATION:NUMBER, separated by commas; `rest`: all but the default ones."""
    conversations = {
        item["sample_id"].split("-")[1]: item for item in json.loads((folder / "locomo_dev.json").read_text())
    }
    every = [
        f"{conversation}:{key[8:]}"
        for conversation, item in conversations.items()
        for key in item["conversation"]
        if re.fullmatch(r"session_\d+", key)
    ]
    for place in (each for each in every if each not in SESSIONS.split(",")) if wanted == "rest" else wanted.split(","):
        conversation, number = place.split(":")
        yield _session(conversations[conversation], int(number))


def _session(item: dict[str, Any], number: int) -> Session:
    talk = item["conversation"]
    at = dates.parse(talk[f"session_{number}_date_time"].replace(" on ", " ")).replace(tzinfo=UTC)
    messages = tuple(
        Message(
            id=turn["dia_id"],
            conversation_id=item["sample_id"],
            ordinal=place,
            external_id=turn["dia_id"],
            speaker=turn["speaker"],
            user_id=turn["speaker"].lower(),
            role=Role.PARTICIPANT,
            text=turn["text"],
            said_at=at,
        )
        for place, turn in enumerate(talk[f"session_{number}"], start=1)
    )
    cell = MemCell(
        event_id=f"{item['sample_id']}:{number}",
        conversation_id=item["sample_id"],
        group_id=item["sample_id"],
        kind=ChatKind.GROUP,
        messages=messages,
        boundary_reason="session",
        open=False,
        policy=Policy.V1_0,
    )
    observations = tuple(
        Observation(speaker, text, frozenset(re.findall(r"D\d+:\d+", str(turns))))
        for speaker, found in item["observation"][f"session_{number}_observation"].items()
        for text, turns in found
    )
    return Session(cell, observations)


def own_facts(traces: Traces) -> list[Fact]:
    """The facts of the speakers' own episodes; the episode for all repeats some of them."""
    group = {episode.id for episode in traces.episodes if episode.user_id is None}
    return [fact for fact in traces.facts if fact.parent_id not in group]


def is_covered(observation: Observation, facts: list[Fact], embedder: Embedder) -> bool:
    """Whether a fact agrees with the observation."""
    texts = [
        fact.atomic_fact
        for fact in facts
        if fact.speaker == observation.speaker and observation.turns & set(fact.message_ids)
    ]
    if not texts:
        return False
    gold, *vectors = embedder.embed([observation.text, *texts])
    return any(
        agreement(text, observation.text) >= LEAST_F1 or float(vector @ gold) >= LEAST_COSINE
        for text, vector in zip(texts, vectors, strict=True)
    )


def agreement(first: str, second: str) -> float:
    """F1 of the stemmed content words of two sentences."""
    one, other = _stems(first), _stems(second)
    shared = sum((one & other).values())
    return 2 * shared / (one.total() + other.total()) if shared else 0.0


def _stems(text: str) -> Counter[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return Counter(STEMMER.stem_word(word) for word in words if word not in FUNCTION_WORDS)


def is_attributed(fact: Fact) -> bool:
    """Whether the speaker is the fact's subject, or has it: "Ann …", "Ann's sister …", "Last June, Ann …"."""
    before, named, _ = fact.atomic_fact.partition(fact.speaker)
    return bool(named) and len(before.split()) <= SUBJECT_WITHIN


def ungrounded_words(fact: Fact, texts: dict[str, str], names: frozenset[str]) -> list[str]:
    """Content words of the fact that stand in no cited message, but for those that retelling needs."""
    source = CitedWords([texts[message_id] for message_id in fact.message_ids], names)
    return [] if source.supports(fact.atomic_fact) else source.unsupported(fact.atomic_fact)


def measure(session: Session, facts: list[Fact], embedder: Embedder, score: Score) -> None:
    """Adds the facts of one session to the sums."""
    texts = {message.id: message.text for message in session.cell.messages}
    names = name_words(*session.cell.participants)
    score.sessions += 1
    score.messages += len(session.cell.messages)
    score.facts += len(facts)
    score.observations += len(session.observations)
    score.covered += sum(is_covered(observation, facts, embedder) for observation in session.observations)
    score.attributed += sum(map(is_attributed, facts))
    score.ungrounded += sum(bool(ungrounded_words(fact, texts, names)) for fact in facts)


def lines(session: Session, traces: Traces) -> Iterator[str]:
    """Each fact with what it cites, to be judged."""
    texts = {message.id: f"{message.speaker}: {message.text}" for message in session.cell.messages}
    for fact in own_facts(traces):
        cited = [texts[message_id] for message_id in fact.message_ids]
        row = {
            "session": session.cell.event_id,
            "fact": fact.atomic_fact,
            "confidence": fact.confidence,
            "messages": cited,
        }
        yield json.dumps(row, ensure_ascii=False)


def show(rows: list[str], count: int) -> None:
    """Some of the facts by chance, each above the messages it cites."""
    for row in map(json.loads, random.Random(0).sample(rows, min(count, len(rows)))):
        print(f"{row['session']}  {row['fact']}", *(f"    {message}" for message in row["messages"]), sep="\n")
    print()


def report(score: Score, model: str) -> None:
    """A table and one JSON line."""
    shares = {
        "coverage": score.coverage,
        "attribution": score.attribution,
        "seconds_per_memcell": score.seconds / score.sessions,
        "calls_per_memcell": score.calls / score.sessions,
    }
    for name, value in (asdict(score) | shares).items():
        print(f"{name:22}{value:10.3f}" if isinstance(value, float) else f"{name:22}{value:10}")
    print(json.dumps({"benchmark": "extraction", "model": model} | asdict(score) | shares))


def _model(name: str, settings: Settings) -> AbstractContextManager[Llm]:
    """The model; "none": one that gives every chat the same title, and makes nothing clear."""
    if name == "none":
        return nullcontext(ScriptedLlm("Title: A chat here"))
    return LlamaCpp(
        weights.locate(catalog.find_llm(name), settings.models_dir),
        name=name,
        context_tokens=settings.context_tokens,
        batch=settings.batch,
        threads=settings.threads,
    )


def main() -> None:
    """Reads the options, runs the sessions, prints the figures."""
    settings = Settings.load()
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--sessions", default=SESSIONS)
    options.add_argument("--llm", default=settings.llm)
    options.add_argument("--facts", type=Path)
    options.add_argument("--list", type=int, default=0, metavar="N")
    chosen = options.parse_args()
    embedder_home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedder = CatalogEmbed(embedder_home, settings.embedder, settings.threads)
    score = Score()
    written: list[str] = []
    with _model(chosen.llm, settings) as llm:
        for session in read_sessions(chosen.data, chosen.sessions):
            start = time.perf_counter()
            traces = form_traces(session.cell, llm, settings)
            score.seconds += time.perf_counter() - start
            measure(session, own_facts(traces), embedder, score)
            score.count(traces)
            written += lines(session, traces)
    if chosen.facts:
        chosen.facts.write_text("".join(f"{line}\n" for line in written))
    show(written, chosen.list)
    report(score, chosen.llm)


if __name__ == "__main__":
    main()
