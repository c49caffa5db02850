"""Every command under strace: which of them opens a socket, of any family.

`python -m tests.benchmarks.sockets [--llm NAME]`. A small chat goes into a memory of its own, and each command is run
once, with its children; without `--llm` those that need a language model go as far as they go without one. Prints a
line for each command and a JSON line, and exits with 1 where a socket was opened or a connection tried. A pair of
sockets, which asyncio makes to wake itself, is joined to itself and reaches nobody: pairs are counted apart. strace
comes with most Linux distributions (`apt-get install strace`).
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evermem_cli.cli.commands.assistants.rules import rules_app
from evermem_cli.cli.commands.browse.people import people_app
from evermem_cli.cli.commands.setup.models import models_app
from evermem_cli.cli.main import app

CHAT = """[2025-03-01 09:00] User: I moved to Leeds with my cat Miso.
[2025-03-01 09:01] Assistant: How is the new flat?
[2025-03-01 09:02] User: Two rooms near the station, and I am vegan now. Tom Carter helped me, and Helen Carter.
[2025-05-01 10:00] User: Remind me of the dentist on 9 June 2025.
"""
FRIENDS = """[2025-03-02 09:00] Tom: I bought a red bicycle on Saturday.
[2025-03-02 09:01] Helen: I am allergic to nuts, so no cake for me.
"""
# In this order: each finds what those before it made.
COMMANDS = """
ingest --no-llm {chat}
ingest --no-llm {friends}
ingest --dry-run {chat}
enrich --llm {llm}
search Leeds
search Leeds --rerank
ask {how} "Where is Miso?"
foresights
profile
conflicts
scenes
timeline
people
people merge Tom Helen
people split Tom
entities
related Leeds
examples dinner
rules
rules override rule-0
rules validate rule-0
rules retire rule-0
list memcells
list facts
list conversations
show {id}
status
doctor
when tomorrow
formats
config
models list
models pull {embedder}
models verify {embedder}
models path {embedder}
models try {llm}
models recommend
privacy {id} private
access-log
digest --dry-run
embed
restore {id}
export -o {folder}/all.jsonl
import {folder}/all.jsonl --db {folder}/new.duckdb
backup {folder}/copy.duckdb
sync {folder}
watch --no-llm {chat}
me Helen
remember "I live in York."
correct {statement} "I moved to York."
undo --yes
view -o {folder}/page.html --no-llm --ask "Where is Miso?"
mcp
connect claude-code
schedule {folder}
help privacy
forget --matching dentist --yes
encrypt --new-key {folder}/key
search Leeds --key-file {folder}/key
rekey --new-key {folder}/other --key-file {folder}/key
decrypt --key-file {folder}/other
""".strip().splitlines()
SOCKET = re.compile(r"\bsocket\((AF_\w+)")
PAIR = re.compile(r"\bsocketpair\(")
CONNECTED = re.compile(r"\bconnect\(")
WATCHED = 20.0  # seconds after which a command that goes on until it is stopped is stopped


@dataclass(frozen=True, slots=True)
class Traced:
    """What one command opened, by family, how many pairs, how often it tried to reach somebody, and how it ended."""

    command: str
    code: int
    sockets: list[str]
    pairs: int
    connected: int


def traced(command: list[str], folder: Path) -> Traced:
    """Runs a command with all its children under strace."""
    log = folder / "strace.log"
    strace = ["strace", "-f", "-qq", "-e", "trace=socket,socketpair,connect", "-o", str(log)]
    running = subprocess.Popen(
        [*strace, sys.executable, "-m", "evermem_cli", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"EVERMEM_DB": str(folder / "memory.duckdb"), "XDG_CONFIG_HOME": str(folder)},
        start_new_session=True, preexec_fn=_as_from_a_terminal,
    )  # fmt: skip
    try:
        code = running.wait(WATCHED if command[0] == "watch" else None)
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGINT)
        code = running.wait()
    calls = log.read_text()
    return Traced(
        " ".join(command), code, SOCKET.findall(calls), len(PAIR.findall(calls)), len(CONNECTED.findall(calls))
    )


def _as_from_a_terminal() -> None:
    """What a shell starts in the background is deaf to SIGINT, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def commands(folder: Path, llm: str | None) -> Iterator[list[str]]:
    """The commands with what they are asked; ids are known once there are some."""
    chat, friends = folder / "moving.txt", folder / "friends.txt"
    chat.write_text(CHAT)
    friends.write_text(FRIENDS)
    names = {"chat": chat, "friends": friends, "folder": folder, "embedder": "all-minilm-l6-v2"}
    names |= {"llm": llm or folder / "none.gguf", "how": f"--llm {llm}" if llm else "--no-llm"}
    for command in COMMANDS:
        if "{id}" in command and "id" not in names:
            names["id"] = _first(folder, "results", "search", "Leeds")
        if "{statement}" in command:
            names["statement"] = _first(folder, "assertions", "list", "assertions")
        yield shlex.split(command.format(**names))


def _first(folder: Path, key: str, *command: str) -> str:
    """The first id that a command lists under a key."""
    named = [sys.executable, "-m", "evermem_cli", *command, "--json", "--db", str(folder / "memory.duckdb")]
    listed = subprocess.run(named, capture_output=True, text=True, check=True)
    return str(json.loads(listed.stdout)[key][0]["id"])


def untried() -> set[str]:
    """The commands that there are and that are not tried here."""
    groups = {"": app, "models ": models_app, "people ": people_app, "rules ": rules_app}
    known = {
        prefix + (each.name or each.callback.__name__.replace("_", "-"))
        for prefix, group in groups.items()
        for each in group.registered_commands
        if each.callback
    }
    return {name for name in known if not any(f"{command} ".startswith(f"{name} ") for command in COMMANDS)}


def _line(traced: Traced) -> str:
    families = " ".join(traced.sockets) or "none"
    counts = f"{families:8}{traced.connected:4} connected{traced.pairs:4} pairs"
    return f"{counts}  exit {traced.code:3}  {traced.command}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sockets", description=__doc__)
    parser.add_argument("--llm", help="a model that is here, for the commands that need one")
    given = parser.parse_args()
    if not shutil.which("strace"):
        sys.exit("strace is not here: apt-get install strace")
    if missing := untried():
        sys.exit(f"not tried here: {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory() as name:
        done = []
        for command in commands(Path(name), given.llm):
            done.append(traced(command, Path(name)))
            print(_line(done[-1]), flush=True)
    counts = {"sockets": sum(len(each.sockets) for each in done), "connected": sum(each.connected for each in done)}
    pairs = sum(each.pairs for each in done)
    print(
        f"{len(done)} commands: {counts['sockets']} sockets, {counts['connected']} connected, {pairs} pairs of asyncio"
    )
    print(json.dumps({"benchmark": "sockets", "commands": len(done), **counts, "pairs": pairs}))
    sys.exit(any(counts.values()))


if __name__ == "__main__":
    main()
