"""What a user waits for, as ratios and seconds: `python -m tests.benchmarks.waiting --data DIR [--questions N]`.

`--help` beside Python importing typer and rich; `ingest --no-llm` of the LoCoMo conversations beside the same texts
embedded by fastembed and nothing else; both tiers of the sample chats; and `ask`, each question in a process of its own
that no earlier reply helps: seconds from the question to the first token and to the end, the model's loading included,
and tokens that were read. Commands that are compared take turns. Modules are compiled first, as pip installs them.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from tests.benchmarks.side_by_side import write_chats

EVERMEM = (sys.executable, "-m", "evermem_cli")
IMPORTS = (sys.executable, "-c", "import typer, rich")
EMBEDDING = """
import json, sys
from pathlib import Path
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
source, kind = ModelSource(hf="plain"), PoolingType.MEAN
TextEmbedding.add_custom_model("plain", kind, True, source, 384, "model.onnx")
texts = [json.loads(line)["text"] for line in Path(sys.argv[1]).read_text().splitlines()]
list(TextEmbedding("plain", specific_model_path=sys.argv[2]).embed(sorted(texts, key=len), batch_size=8))
"""
SAMPLE = Path(__file__).parents[2] / "sample_transcripts"
HELPS, INGESTS = 9, 3
Timings = list[dict[str, float]]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took; medians where there were several. Linux counts no fewer megabytes than this process has."""

    seconds: float
    processor_seconds: float
    megabytes: float


def run(command: tuple[str, ...], environment: Mapping[str, str], out: Path) -> Cost:
    """Runs a command with its output in a file. Raises SystemExit if it fails."""
    to_file = [(os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    quiet = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=[*to_file, *quiet])
    _, status, used = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(values) for values in zip(*(asdict(each).values() for each in costs), strict=True)))


def help_beside_imports(environment: Mapping[str, str], out: Path) -> tuple[Cost, Cost]:
    """`evermem --help`, and the imports alone."""
    runs = [(run((*EVERMEM, "--help"), environment, out), run(IMPORTS, environment, out)) for _ in range(HELPS + 1)]
    shown, imported = zip(*runs[1:], strict=True)  # the first compiles
    return median(shown), median(imported)


def ingest_beside_embedding(folder: Path, environment: Mapping[str, str]) -> tuple[Cost, Cost]:
    """`evermem ingest --no-llm` into `memory.duckdb`, and embedding alone."""
    settings = Settings.load()
    home = weights.locate(catalog.find_embedder(settings.embedder), settings.models_dir)
    embedding = (sys.executable, "-c", EMBEDDING, str(folder / "turns.jsonl"), str(home))
    ingest = (*EVERMEM, "ingest", str(folder / "chats"), "--no-llm", "--tz", "UTC", "--db", str(_memory(folder)))
    taken, embedded = [], []
    for _ in range(INGESTS):
        _memory(folder).unlink(missing_ok=True)
        taken.append(run(ingest, environment, folder / "out"))
        embedded.append(run(embedding, environment, folder / "out"))
    return median(taken), median(embedded)


def ask(folder: Path, questions: Sequence[str], mode: str, environment: Mapping[str, str]) -> tuple[Cost, Timings]:
    """The cost of `evermem ask`, and of each question that the model was asked the timings and tokens."""
    costs, told = [], []
    for question in questions:
        _memory(folder).with_name("memory.duckdb.replies").unlink(missing_ok=True)
        command = (*EVERMEM, "ask", question, "--mode", mode, "--json", "--db", str(_memory(folder)))
        costs.append(run(command, environment, folder / "out"))
        answer: dict[str, Any] = json.loads((folder / "out").read_text())
        told.append(answer["timings"] | answer["tokens"])
    read = [each for each in told[1:] if each["prompt"]]  # the first brings the model into the page cache
    return median(costs[1:]), read


def _memory(folder: Path) -> Path:
    return folder / "memory.duckdb"


def _told(name: str, cost: Cost) -> str:
    return f"{name}: {cost.seconds:.2f} s, {cost.processor_seconds:.2f} processor s, {cost.megabytes:.0f} MB"


def main() -> None:
    """Prints a line for each, and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the benchmark sets")
    parser.add_argument("--questions", type=int, default=12, help="how many are asked in each mode")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "EVERMEM_OFFLINE": "1"}
        asked = [question.text for question in write_chats(chosen.data, folder)]
        questions = asked[:: len(asked) // (chosen.questions + 1)][: chosen.questions + 1]
        shown, imported = help_beside_imports(environment, folder / "out")
        print(f"--help: {shown.seconds:.3f} s; import typer, rich: {imported.seconds:.3f} s", flush=True)
        taken, embedded = ingest_beside_embedding(folder, environment)
        share = taken.processor_seconds / embedded.processor_seconds
        print(_told("ingest --no-llm", taken), _told(f"embedding alone ({share:.2f} times less)", embedded), sep="; ")
        sample = ("ingest", str(SAMPLE), "--me", "Maya", "--tz", "Europe/London", "--db", str(folder / "sample.duckdb"))
        whole = run((*EVERMEM, *sample), environment, folder / "out")
        print(_told("ingest sample_transcripts", whole), flush=True)
        report: dict[str, list[Any]] = {"help": [shown, imported], "ingest": [taken, embedded], "sample": [whole]}
        for mode in ("standard", "agentic"):
            cost, read = ask(folder, questions, mode, environment)
            middle = {name: round(statistics.median(each[name] for each in read), 2) for name in read[0]}
            print(_told(f"ask --mode {mode}", cost), f"of {len(read)} that the model answered: {middle}", sep="; ")
            report[mode] = [cost, middle]
    print(json.dumps({"benchmark": "waiting"} | report, default=asdict))


if __name__ == "__main__":
    main()
