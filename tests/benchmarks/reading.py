"""How fast, and in how much memory, a big account export is read: nothing is stored and nothing embedded.

`python -m tests.benchmarks.reading --megabytes 500` makes up a ChatGPT export of that size in one line, as the real one
is, reads it, and prints a JSON line. The file is removed.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from datetime import UTC
from pathlib import Path
from typing import Any

from evermem_cli.transcripts import ReadOptions, read

WORDS = "the train to Lisbon leaves on Friday 你好 café and then we talk about work server budget however".split()


def conversation(number: int, rng: random.Random) -> dict[str, Any]:
    """A made-up conversation of two to forty messages."""
    mapping: dict[str, Any] = {"root": {"parent": None, "children": ["0"], "message": None}}
    parent = "root"
    for place in range(rng.randint(2, 40)):
        message = {
            "id": f"{number}-{place}",
            "author": {"role": "assistant" if place % 2 else "user", "name": None, "metadata": {}},
            "create_time": 1.6e9 + number * 3600 + place * 60,
            "content": {"content_type": "text", "parts": [" ".join(rng.choices(WORDS, k=rng.randint(5, 300)))]},
            "weight": 1.0,
            "metadata": {"model_slug": "gpt-x", "request_id": f"{number:032x}", "message_source": None},
            "recipient": "all",
        }
        mapping[str(place)] = {"id": str(place), "parent": parent, "children": [str(place + 1)], "message": message}
        parent = str(place)
    return {"title": f"Chat {number}", "conversation_id": str(number), "current_node": parent, "mapping": mapping}


def write(path: Path, size: int) -> None:
    """An export of at least `size` bytes."""
    rng = random.Random(7)
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        number = 0
        while file.tell() < size:
            file.write(("," if number else "") + json.dumps(conversation(number, rng)))
            number += 1
        file.write("]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=500)
    megabytes = parser.parse_args().megabytes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "conversations.json")
        write(path, megabytes * 1_000_000)
        start = time.process_time()
        conversations = messages = 0
        for transcript in read(path, ReadOptions(tz=UTC), print):
            conversations += 1
            messages += len(transcript.turns)
        seconds = round(time.process_time() - start, 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    done = {"conversations": conversations, "messages": messages, "cpu_seconds": seconds, "peak_mb": peak}
    print(json.dumps({"megabytes": megabytes} | done))


if __name__ == "__main__":
    main()
