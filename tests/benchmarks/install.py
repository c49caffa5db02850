"""How long from the start of `pip install` to the first answer: `python -m tests.benchmarks.install [--extra llm]`.

A clone of what is committed here, a new virtual environment, `pip install .`, `ingest` of the sample chats, and one
question that needs no language model. The embedder is there already: the transfer of models is left out. Processor
seconds stand beside the seconds, since they do not depend on what else runs, and then the size of what was installed.
What pip has in its cache from before is used only with `--cached`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evermem_cli.config import Settings

ROOT = Path(__file__).parents[2]
QUESTION = "Where do I work?"
LARGEST = 8  # folders of packages that are named


def installed(folder: Path) -> dict[str, int]:
    """Bytes of each folder of an environment's packages, largest first."""
    packages = next(folder.glob("[Ll]ib/**/site-packages"))
    sizes = {path.name: _size(path) for path in packages.iterdir()}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if not file.is_dir())


class Timed:
    """Commands run one after the other, with the seconds that each took."""

    def __init__(self, folder: Path, models: Path) -> None:
        homes = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE")}
        told = {"EVERMEM_DB": str(folder / "memory.duckdb"), "EVERMEM_TZ": "Europe/London"}
        self._environment = os.environ | homes | told | {"EVERMEM_MODELS_DIR": str(models)}
        self._environment.pop("PYTHONPATH", None)
        self._folder = folder
        self.seconds: dict[str, float] = {}
        self.processor: dict[str, float] = {}

    def run(self, name: str, *command: str | Path) -> str:
        """What the command prints. Raises CalledProcessError where it fails."""
        start, before = time.monotonic(), os.times()
        done = subprocess.run(
            command, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE, text=True, check=True
        )
        after = os.times()
        worked = after.children_user + after.children_system - before.children_user - before.children_system
        self.seconds[name], self.processor[name] = round(time.monotonic() - start, 1), round(worked, 1)
        return done.stdout


def main() -> None:
    """Installs, asks, and prints a table and a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", default="", help="an extra to install too, as llm")
    parser.add_argument("--cached", action="store_true", help="let pip use what it has in its cache")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the environment")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment, clone = folder / "venv", folder / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        subprocess.run([chosen.python, "-m", "venv", str(environment)], check=True)
        programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
        timed = Timed(folder, Settings.load().models_dir)
        what = f"{clone}[{chosen.extra}]" if chosen.extra else str(clone)
        options = () if chosen.cached else ("--no-cache-dir",)
        timed.run("install", programs / "python", "-m", "pip", "install", "-q", *options, what)
        without = () if chosen.extra else ("--no-llm",)
        timed.run("ingest", programs / "evermem", "ingest", clone / "sample_transcripts", "--me", "Maya", *without)
        answer = timed.run("ask", programs / "evermem", "ask", QUESTION)
        sizes = installed(environment)
    print(answer)
    total = round(sum(timed.seconds.values()), 1)
    print(f"{'':10}{'seconds':>10}{'of a core':>10}")
    for name, seconds in timed.seconds.items():
        print(f"{name:10}{seconds:10.1f}{timed.processor[name]:10.1f}")
    print(f"{'together':10}{total:10.1f}{sum(timed.processor.values()):10.1f}")
    print(f"{sum(sizes.values()) / 1e6:.0f} MB installed")
    for name, size in list(sizes.items())[:LARGEST]:
        print(f"{name:24}{size / 1e6:8.1f} MB")
    figures = {"seconds": timed.seconds, "of_a_core": timed.processor, "together": total}
    print(json.dumps({"benchmark": "install", **figures}))


if __name__ == "__main__":
    main()
