"""The mean cosines of sentences that belong together and of all others, by embedder.

    python -m tests.benchmarks.calibration multilingual-e5-small-4bit

Prints them for the default embedder, on which `evermem_cli/engines/calibration.py` rests, and for those that are named.
"""

import json
import sys
from dataclasses import asdict, replace

from rich.console import Console

from evermem_cli.cli.shared.engines import Engines
from evermem_cli.config import Settings
from evermem_cli.engines import catalog
from evermem_cli.engines.calibration import means, scale_of


def main() -> None:
    engines = Engines(replace(Settings.load(), offline=True), lambda: Console(stderr=True), print)
    for name in (catalog.DEFAULT_EMBEDDER, *sys.argv[1:]):
        embedder = engines.load_embedder(name)
        related, unrelated = means(embedder)
        line = {"embedder": name, "related": round(related, 3), "unrelated": round(unrelated, 3)}
        print(json.dumps(line | asdict(scale_of(embedder))))


if __name__ == "__main__":
    main()
