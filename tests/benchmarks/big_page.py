"""How soon a browser shows the page of a large memory, and how large its file is.

`python -m tests.benchmarks.big_page [--messages 100000] [--keep DIR]` makes up a memory as `growth` does, with a
statement from every 25th message and a change and a foresight from every 50th, writes its page, and opens that in
Chromium, in a window of its own each time. Opened is when the browser has laid it out and its script has run.
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

import duckdb
from playwright.sync_api import sync_playwright

from evermem_cli.store import Store
from tests.benchmarks.growth import build

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
RUNS = 5
STATED = """
    insert into assertions by name
    select 'as-' || id as id, memcell_id, user_id, ['diet', 'job', 'location', 'employer', 'hobbies'][1 + ordinal % 5]
           as attribute, split_part(text, ' ', 3) as value, 'holds' as stance, said_at as valid_at, said_at,
           0.9 as confidence, []::varchar[] as fact_ids, said_at as created_at, true as sure
    from messages where hash(id) % 25 = 0;
    insert into sources select 'as-' || id, 1, id from messages where hash(id) % 25 = 0;
    insert into conflicts by name
    select 'cf-' || id as id, 'profile' as scope, 'default' as owner_id, user_id, 'diet' as attribute,
           split_part(text, ' ', 2) as old_value, split_part(text, ' ', 3) as new_value, said_at as old_timestamp,
           said_at as new_timestamp, [id] as old_messages, [id] as new_messages, 'recency_wins' as resolution
    from messages where hash(id) % 50 = 0;
    insert into foresights by name
    select 'fo-' || id as id, memcell_id, text as foresight, text as evidence, user_id, said_at as start_time,
           said_at + interval 5 day as end_time, 5 as duration_days, 'fixed' as duration_type, 'memcell' as parent_type,
           memcell_id as parent_id, said_at, said_at as created_at, 0.9 as confidence, 'general' as domain
    from messages where hash(id) % 50 = 1"""


def made_up(folder: Path, messages: int) -> Path:
    """A memory of so many messages, unless the folder has it."""
    db = folder / f"page-{messages}.duckdb"
    if not db.exists():
        folder.mkdir(parents=True, exist_ok=True)
        build(Store(db, 10), messages)
        with duckdb.connect(str(db)) as connection:
            connection.execute(STATED)
    return db


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
        page, written = write(made_up(given.keep or Path(scratch), given.messages))
        figures = {
            "messages": given.messages,
            "written_s": round(written, 2),
            "file_mb": round(page.stat().st_size / 1e6, 2),
            "opened_s": round(statistics.median(opened(page, given.runs)), 2),
        }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
