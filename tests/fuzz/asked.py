"""Questions that are damaged, cut and mixed, asked and searched for in a memory: each is answered or refused."""

import json
import random
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evermem_cli import timespan
from evermem_cli.ask import Asking
from evermem_cli.cli.shared.queries import MOST_CHARACTERS, has_words
from evermem_cli.errors import EvermemError
from evermem_cli.memory import Filter, Mode
from evermem_cli.reading.answerability import Answerability
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from tests.benchmarks.trust import DB, FULL, Rooms, models_faked
from tests.fuzz.damage import WORDS, damaged
from tests.fuzz.limits import HangError, limited, place_of
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
FURTHEST = 400_000  # days before or after NOW that a question is asked at
REPLIES = ("Biscuit", "Memory does not say.", "", "[1]", "1999-99-99", "no", "x" * 5_000, "在利兹 [99]")
TIMES = ("last May", "in 2024", "for ten days", "the week before last", "上个星期", "on 31 February", "at 25:61")


def questions() -> list[str]:
    """Those of the scenarios, and phrases that name times."""
    found = list(TIMES)
    for name in ("scenarios.toml", "stories.toml"):
        read = tomllib.loads((BENCHMARKS / name).read_text(encoding="utf-8"))
        checks = [check for scenario in read["scenario"] for check in scenario.get("check", ())]
        found += [check["run"][1] for check in checks if check.get("run", [""])[0] == "ask"]
    return sorted(set(found))


@dataclass(slots=True)
class Questions:
    """The fuzzing of what is asked. `findings` are by what tells them apart, with how often each came."""

    folder: Path
    rng: random.Random
    cases: int = 0
    refused: int = 0
    slowest: float = 0.0
    findings: dict[str, int] = field(default_factory=dict)

    def until(self, deadline: float) -> None:
        """Asks until then."""
        models_faked()
        store = Store(Rooms(self.folder / "rooms").after(FULL) / DB, 5.0)
        known, check = questions(), Answerability()
        ways: list[Callable[[str], object]] = [
            lambda text: self._ask(text, store, check),
            lambda text: look_up(text, store, WordEmbedder(), Filter(user_id="default", as_of=self._moment()), 10),
            lambda text: (timespan.resolve(text, self._moment()), timespan.find(text, self._moment())),
        ]
        while time.monotonic() < deadline:
            self.cases += 1
            text, way = mixed(known, self.rng), self.rng.choice(ways)
            start = time.process_time()
            try:
                with limited():
                    if has_words(text):
                        way(text)
            except EvermemError:
                self.refused += 1
            except (Exception, HangError) as error:
                self._keep(error, text)
            self.slowest = max(self.slowest, time.process_time() - start)

    def _ask(self, text: str, store: Store, check: Answerability) -> None:
        now = self._moment()
        asking = Asking(
            store=store,
            embedder=WordEmbedder(),
            check=check,
            llm="scripted",
            load_llm=lambda: ScriptedLlm(self.rng.choice(REPLIES)),
            budget=600,
            mode=self.rng.choice(list(Mode)),
            on_text=lambda text: None,
            on_round=lambda query: None,
        )
        asking.ask(text, Filter(user_id="default", as_of=now), now)

    def _moment(self) -> datetime:
        return NOW + timedelta(days=self.rng.choice((0, 0, self.rng.randint(-FURTHEST, FURTHEST))))

    def _keep(self, error: Exception, text: str) -> None:
        name = f"{type(error).__name__} {place_of(error)}".strip()
        self.findings[name] = self.findings.get(name, 0) + 1
        if self.findings[name] == 1:
            path = self.folder / f"question-{self.cases}.json"
            path.write_text(json.dumps(text), encoding="utf-8")
            print(f"questions: {name}: {str(error)[:200]!r}: {path}", file=sys.stderr, flush=True)


def mixed(known: list[str], rng: random.Random) -> str:
    """A question that somebody may ask by accident, or with intent."""
    text = rng.choice(known)
    if rng.random() < 0.5:
        words, other = text.split(), rng.choice(known).split()
        text = " ".join(words[: rng.randrange(len(words) + 1)] + other[rng.randrange(len(other)) :])
    for _ in range(rng.choice((0, 0, 1, 2))):
        words = text.split() or [""]
        words.insert(rng.randrange(len(words)), rng.choice((*WORDS, str(rng.randrange(10 ** rng.randint(1, 25))))))
        text = " ".join(words)
    return damaged(text, rng).decode("utf-8", "replace")[:MOST_CHARACTERS] if rng.random() < 0.5 else text
