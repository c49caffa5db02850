"""What formation makes of chats that nobody here had seen: `python -m tests.benchmarks.formation [--llm X] [--show]`.

Each chat of unseen_chats.toml is one MemCell of people under the policy `all`. `misattributed` are facts that say of a
speaker what the chat says of somebody else, `found` statements that a fact tells, `told` results that everyone's
summary tells, `groups` texts that make a name of "we". `--llm none` gives what code finds alone, `--show` prints it.
"""

import argparse
import tomllib
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.engines import Llm, catalog, weights
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role, Traces
from tests.support.formed import form_traces
from tests.support.scripted import ScriptedLlm

CHATS = Path(__file__).with_name("unseen_chats.toml")
FIRST = datetime(2026, 11, 16, 18, tzinfo=UTC)


def main() -> None:
    """Prints a line a chat, and their sum."""
    arguments = _parser().parse_args()
    counted: Counter[str] = Counter()
    with _language_model(arguments.llm) as llm:
        for chat in tomllib.loads(CHATS.read_text(encoding="utf-8"))["chat"]:
            traces = form_traces(_cell(chat), llm, Settings())
            if arguments.show:
                _show(traces)
            counts = measure(chat, traces)
            print(chat["title"], dict(counts), f"title: {traces.episodes[0].subject}")
            counted.update(counts)
    print("all", dict(counted))


def measure(chat: dict[str, Any], traces: Traces) -> Counter[str]:
    """The counts that the module's first lines name, each with how many there could be."""
    facts = [(fact.speaker, fact.atomic_fact) for fact in traces.facts]
    texts = [text for _, text in facts] + [f"{each.subject} {each.episode}" for each in traces.episodes]
    return Counter(
        {
            "facts": len(facts),
            "misattributed": sum(_says_of(who, words, text) for who, words in chat["never"] for _, text in facts),
            "found": sum(any(who == by and _holds(text, words) for by, text in facts) for who, words in chat["own"]),
            "own": len(chat["own"]),
            "told": sum(_holds(traces.summary, words) for words in chat["result"]),
            "results": len(chat["result"]),
            "groups": sum("and others" in text for text in texts),
            "calls": traces.llm_calls,
        }
    )


def _holds(text: str, words: str) -> bool:
    return words.lower() in text.lower()


def _says_of(speaker: str, words: str, fact: str) -> bool:
    """Whether the fact says the words of the speaker: as its subject, and not as what the speaker reports."""
    rest = fact.removeprefix(speaker).split()
    return fact.startswith(f"{speaker} ") and _holds(fact, words) and rest[0].rstrip(":") != "says"


def _show(traces: Traces) -> None:
    for episode in traces.episodes:
        print(f"# {episode.user_id or 'all'}: {episode.subject}\n{episode.summary}\n---\n{episode.episode}\n")
    for fact in traces.facts:
        print(f"- {fact.atomic_fact}")
    for foresight in traces.foresights:
        print(f"> {foresight.foresight}")


def _cell(chat: dict[str, Any]) -> MemCell:
    lines = [line.split(": ", maxsplit=1) for line in chat["lines"]]
    messages = tuple(
        Message(
            id=f"m{place}", conversation_id=chat["title"], ordinal=place, external_id=str(place), speaker=speaker,
            user_id=speaker.lower(), role=Role.PARTICIPANT, text=text, said_at=FIRST + timedelta(minutes=place),
        )
        for place, (speaker, text) in enumerate(lines, start=1)
    )  # fmt: skip
    return MemCell(
        event_id=chat["title"], conversation_id=chat["title"], group_id="g", kind=ChatKind.GROUP, messages=messages,
        boundary_reason="end", open=False, policy=Policy.ALL,
    )  # fmt: skip


def _language_model(name: str) -> AbstractContextManager[Llm]:
    if name == "none":
        return nullcontext(ScriptedLlm("Title: A chat"))
    settings = Settings.load(**({"llm": name} if name else {}))
    path = weights.ensure(catalog.find(settings.llm), settings.models_dir, lambda done, total: None, print)
    return LlamaCpp(path, name=settings.llm, context_tokens=settings.context_tokens, batch=8, threads=settings.threads)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--llm", default="", help="a catalogued model; none: what code finds alone")
    parser.add_argument("--show", action="store_true", help="print what was formed")
    return parser


if __name__ == "__main__":
    main()
