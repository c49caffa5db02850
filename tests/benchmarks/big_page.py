"""How soon a browser shows the page of a large memory, and how large its file is.

`python -m tests.benchmarks.big_page [--messages 100000] [--keep DIR]` makes up a memory as `growth` does, writes its
page, and opens that in Chromium, in a window of its own each time. Opened is when the browser has laid it out and its
script has run.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from evermem_cli.store import Store
from tests.benchmarks.growth import build

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
RUNS = 5


def write(db: Path) -> tuple[Path, float]:
    """The page of a memory, and how long it took."""
    target = db.with_suffix(".html")
    start = time.perf_counter()
    command = [sys.executable, "-m", "evermem_cli", "view", "--db", str(db), "-o", str(target), "--force"]
    subprocess.run(command, check=True, capture_output=True)
    return target, time.perf_counter() - start


def opened(page: Path, runs: int) -> list[float]:
    """Seconds until it is shown, after the browser has started."""
    seconds = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(runs):
            window = browser.new_context(viewport={"width": 1280, "height": 900})
            sheet = window.new_page()
            start = time.perf_counter()
            sheet.goto(page.as_uri(), wait_until="load")
            sheet.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            seconds.append(time.perf_counter() - start)
            window.close()
        browser.close()
    return seconds


def main() -> None:
    """Prints the figures as a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="folder to keep the memory in between runs")
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        db = (given.keep or Path(scratch)) / f"growth-{given.messages}.duckdb"
        db.parent.mkdir(parents=True, exist_ok=True)
        if not db.exists():
            build(Store(db, 10), given.messages)
        page, written = write(db)
        figures = {
            "messages": given.messages,
            "written_s": round(written, 2),
            "file_mb": round(page.stat().st_size / 1e6, 2),
            "opened_s": round(statistics.median(opened(page, given.runs)), 2),
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
