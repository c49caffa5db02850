"""A word that was forgotten, looked for in every byte that evermem wrote: `python -m tests.benchmarks.forgotten`.

The memory is filled by all commands that keep words: chats, what is made of them, a correction, what was told, what an
agent has read, a model's replies, the rows that `undo` keeps. DuckDB compresses nothing here, so that a word that is
there can be seen. Then the word is forgotten, by each name that the file can have, and after commands that were killed.
What the user made himself, chats, exports and backups that came to their end, is his own and is not looked at.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.engines import Request
from evermem_cli.store.file import database
from evermem_cli.store.file.replies import Replies
from tests.benchmarks.trust import DB, ENCRYPT, FACT, FULL, KEYS, Rooms, copied, done, killed, models_faked, named_in

WORD = "Biscuit"
OWN = ("chats", "copy.duckdb", *KEYS)
KEPT = (
    ("search", "--as", "helper", "--reason", "what Biscuit eats", "Biscuit"),
    ("search", "Biscuit in the park"),
    ("ask", "Who is Biscuit?"),
    ("correct", FACT, "Biscuit is a cat."),
    ("people", "merge", "Priya", "Ruben", "--yes"),
    ("remember", "Biscuit and I live in Leeds."),
    ("ask", "Where does Biscuit live?"),
)
FORGET = ("forget", "--matching", WORD, "--yes")


@dataclass(frozen=True, slots=True)
class Way:
    """How a memory is reached, and what was done to it before; `forget` is given these options."""

    name: str
    before: Callable[[Path], None]
    options: tuple[str, ...] = ()


def linked(room: Path) -> None:
    """Another name elsewhere for the memory, and side files beside the file itself."""
    (room / "elsewhere").mkdir()
    (room / "elsewhere" / "link.duckdb").symlink_to(room / DB)
    replied(room)


def replied(room: Path) -> None:
    """Keeps what a model replied, as `ask` does."""
    Replies.of(room / DB).put(
        "made up", {Request(system="", user="Who is Biscuit?", max_tokens=32): "Biscuit is a dog."}
    )


def halves_left(command: tuple[str, ...], room: Path) -> None:
    """Kills a command at eight moments of the time that it takes, all before its end; some leave a draft."""
    whole = room.with_name("measured")
    copied(room, whole)
    start = time.monotonic()
    done(command, whole)
    seconds = time.monotonic() - start
    for tenth in range(1, 9):
        killed(command, room, seconds * tenth / 10)


def backups_killed(room: Path) -> None:
    """Backups that were not done."""
    (room / "far").mkdir()
    halves_left(("backup", "far/copy.duckdb", "--force"), room)
    (room / "far" / "copy.duckdb").unlink(missing_ok=True)


def forgetting_killed(room: Path) -> None:
    """Forgetting that was not done."""
    halves_left(FORGET, room)


def encrypted(room: Path) -> None:
    """The memory encrypted, and asked once more."""
    done(ENCRYPT, room)
    done(("ask", "Who is Biscuit?", "--key-file", "key"), room)


def decrypted(room: Path) -> None:
    """The memory encrypted and plain again."""
    encrypted(room)
    done(("decrypt", "--key-file", "key"), room)


WAYS = (
    Way("plain", replied),
    Way("by a link", linked, ("--db", "elsewhere/link.duckdb")),
    Way("after killed backups", backups_killed),
    Way("after killed forgetting", forgetting_killed),
    Way("encrypted", encrypted, ("--key-file", "key")),
    Way("encrypted and plain again", decrypted),
)


def holding(room: Path) -> dict[str, int]:
    """How often each file that evermem has written holds the word, in its bytes or in its name."""
    found: dict[str, int] = {}
    for path in sorted(room.rglob("*")):
        name = str(path.relative_to(room))
        if path.is_file() and not path.is_symlink() and name.partition("/")[0] not in OWN:
            count = (name.encode() + path.read_bytes()).lower().count(WORD.lower().encode())
            found |= {name: count} if count else {}
    return found


def opened(room: Path) -> None:
    """Leaves the memory plain, so that all of it can be looked at."""
    done(("decrypt", "--key-file", "key"), room)


def main() -> None:
    """Prints a line for each way and one line of JSON; exits with 1 where the word was found."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    database.CONFIG["force_compression"] = "uncompressed"
    models_faked()
    left = 0
    with tempfile.TemporaryDirectory() as made:
        whole, room = Path(made) / "whole", Path(made) / "trial"
        copied(Rooms(Path(made)).after(FULL), whole)
        for arguments in KEPT:
            if (ended := done(named_in(whole, arguments), whole)).code:
                print(arguments, ended.err, file=sys.stderr)
        print(f"before: {holding(whole)}")
        for way in WAYS:
            copied(whole, room)
            way.before(room)
            files = len(holding(room))
            ended = done((*FORGET, *way.options), room)
            found = holding(room)
            if way.options[:1] == ("--key-file",):
                opened(room)
                found = holding(room) | found
            left += sum(found.values()) + (ended.code != 0)
            print(f"{way.name}: in {files} files before, then in {found or 'none'}{ended.err and ' ' + ended.err}")
    print(json.dumps({"benchmark": "forgotten", "ways": len(WAYS), "left": left}))
    sys.exit(left > 0)


if __name__ == "__main__":
    main()
