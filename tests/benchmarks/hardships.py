"""What a machine can do to a command short of breaking it: `python -m tests.benchmarks.hardships [--only NAME]`.

newer: every command is given a memory file of a newer schema, and must refuse it in a line and leave it as it is.
forgetting: questions are asked while a word is forgotten; each is answered as before, or without the word.
clock: the clock stands a year earlier for some commands than for those before; nothing fails, and nothing is lost.
memory: commands get less address space than they want (`ulimit -v`); they end well, or with a line.
read-only: a memory, and all of the user's folders, on a disk that nothing can be written to (needs root, to mount it).
narrow: every screen on a terminal of 20 columns: as on a wide one it ends well, and no line is wider.
"""

import argparse
import fcntl
import json
import os
import pty
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from rich.cells import cell_len

from evermem_cli.__main__ import run
from evermem_cli.errors import ExitCode
from tests.benchmarks.trust import (
    COMMANDS,
    DB,
    EXPORT,
    FACT,
    FULL,
    SAMPLE,
    Ended,
    Rooms,
    copied,
    done,
    ended,
    models_faked,
    named_in,
    started,
)

READING = (
    ("status",), ("search", "Biscuit"), ("search", "--as", "helper", "Biscuit"), ("ask", "Where do I live?"),
    ("ask", "--no-llm", "What did we do?"), ("profile",), ("people",), ("entities",), ("related", "Maya"),
    ("timeline",), ("conflicts",), ("scenes",), ("foresights",), ("rules",), ("list", "facts"), ("list", "memcells"),
    ("list", "conversations"), ("list", "assertions"), ("show", FACT), ("access-log",), ("privacy", FACT), ("me",),
    ("export", "--include-private"), ("digest", "--dry-run"), ("forget", "--matching", "Biscuit", "--dry-run"),
    ("undo", "--dry-run"), ("examples", "dinner"),
)  # fmt: skip
OF_NO_MEMORY = (("when", "tomorrow"), ("formats",), ("config",), ("models", "list"), ("help", "privacy"), ("--help",))
NEWER = ("sql", "update meta set value = '999' where key = 'schema_version'")
WORD = "Biscuit"
ASKED = (("search", "--json", WORD), ("ask", "--json", "--no-llm", f"Who is {WORD}?"), ("list", "facts", "--json"))
YEAR = 365 * 24 * 3600
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long shift(void) { const char *text = getenv("CLOCK_SHIFT"); return text ? atol(text) : 0; }
int clock_gettime(clockid_t id, struct timespec *ts) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, ts);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) ts->tv_sec += shift();
    return result;
}
time_t time(time_t *at) {
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    if (at) *at = ts.tv_sec;
    return ts.tv_sec;
}
int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
    return 0;
}
"""
# By how much the clock is off, and what is done then.
AT_TIMES = (
    (0, ("ingest", "--no-llm", "--me", "Maya", "chats/maya-priya.txt")),
    (0, ("search", WORD)),
    (-YEAR, ("search", WORD)),
    (-YEAR, ("ask", "--no-llm", "Where do I live?")),
    (-YEAR, ("remember", "I live in Leeds.")),
    (-YEAR, ("ingest", "--no-llm", "chats")),
    (-YEAR, ("privacy", "msg-", "public")),
    (-YEAR, ("timeline",)),
    (-YEAR, ("foresights",)),
    (-YEAR, ("status",)),
    (-YEAR, ("backup", "copy.duckdb")),
    (-2 * YEAR, ("undo", "--yes")),
    (0, ("search", WORD, "--json")),
    (0, ("ingest", "--no-llm", "chats")),
    (0, ("doctor", "--deep")),
)
LIMITED = (
    ("search", WORD), ("ingest", "--no-llm", "chats"), ("ask", "--no-llm", "Where do I live?"), ("list", "facts"),
    ("forget", "--matching", WORD, "--yes"), ("export", "--include-private"),
)  # fmt: skip
LEAST, MOST = 100, 1500  # megabytes of address space
COLUMNS, LINES = 20, 40
STYLE = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
Found = Iterator[tuple[str, list[str]]]


def newer(rooms: Rooms, room: Path) -> Found:
    """Every command with a file of a newer schema."""
    whole = rooms.after((*FULL, NEWER))
    fact = named_in(rooms.after(FULL), (FACT,))[0]
    before = (whole / DB).read_bytes()
    for arguments in (*READING, *(command.arguments for command in COMMANDS)):
        copied(whole, room)
        found = done(tuple(fact if each == FACT else each for each in arguments), room)
        wrong = ["not refused"] * (found.code == 0) + _untold(found)
        yield " ".join(arguments), wrong + ["changed"] * ((room / DB).read_bytes() != before)


def forgetting(rooms: Rooms, room: Path) -> Found:
    """Questions beside `forget`, as often as there is time for."""
    whole = rooms.after(FULL)
    for turn in range(5):
        copied(whole, room)
        process = started(("forget", "--matching", WORD, "--yes"), room)
        count = 0
        while not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            arguments = ASKED[count % len(ASKED)]
            count += 1
            found = _beside(arguments, room)
            told = _untold(found) if found.code else []
            yield f"{arguments[0]} {turn}", told + ["failed"] * (found.code not in (ExitCode.OK, ExitCode.BUSY))
        gone = ended(process, room)
        wrong = _untold(gone) if gone.code else []
        for arguments in ASKED:
            found = done(arguments, room)
            shown = json.loads(found.out)
            for echoed in ("query", "question", "rounds"):
                shown.pop(echoed, None)
            wrong += [f"{arguments[0]} still knows"] * (WORD in json.dumps(shown)) + (
                _untold(found) if found.code else []
            )
        yield f"forget {turn}", wrong


def _beside(arguments: tuple[str, ...], room: Path) -> Ended:
    """A command in the same room as another, with its output elsewhere."""
    aside = room.with_name("beside")
    if not aside.is_symlink():
        aside.symlink_to(room)
    return done(arguments, aside)


def clock(rooms: Rooms, room: Path) -> Found:
    """Commands one after the other, between which the clock goes back."""
    if not shutil.which("cc"):
        yield "no compiler: not tried", []
        return
    copied(rooms.after(()), room)
    library = room / "clock.so"
    (room / "clock.c").write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, room / "clock.c", "-ldl"], check=True)
    shown = []
    for shift, given in AT_TIMES:
        arguments = tuple(_first_message(room) if each == "msg-" else each for each in given)
        found = _really(arguments, room, {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(shift)})
        wrong = [f"exit {found.code}"] * (found.code != 0) + ["traceback"] * found.traceback
        if arguments == ("search", WORD):
            shown.append(found.out)
            wrong += ["finds other"] * (found.out != shown[0])
        yield f"{shift // YEAR:+} years: {' '.join(arguments)}", wrong


def _first_message(room: Path) -> str:
    return str(json.loads(_really(("search", WORD, "--json"), room, {}).out)["results"][0]["id"])


def _really(arguments: tuple[str, ...], room: Path, given: dict[str, str], space: int | None = None) -> Ended:
    """Runs the command itself, with the real models; in so many bytes of address space."""
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (space, space)) if space else None
    command = [sys.executable, "-m", "evermem_cli", *arguments]
    environment = os.environ | {"EVERMEM_DB": DB, "EVERMEM_TZ": "UTC", "PYTHONPATH": str(SAMPLE.parent)} | given
    ran = subprocess.run(
        command, cwd=room, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=limit
    )
    return Ended(ran.returncode, ran.stdout, ran.stderr)


def memory(rooms: Rooms, room: Path, count: int = 48) -> Found:
    """Commands in less address space than they want."""
    copied(rooms.after(()), room)
    found = _really(("ingest", "--no-llm", "--me", "Maya", "chats/maya-priya.txt"), room, {})
    if found.code:
        raise RuntimeError(found.err)
    whole, chance = room.with_name("whole"), random.Random(1)
    copied(room, whole)
    for number in range(count):
        arguments, space = LIMITED[number % len(LIMITED)], chance.randint(LEAST, MOST)
        copied(whole, room)
        found = _really(arguments, room, {}, space << 20)
        wrong = _untold(found) if found.code else []
        again = _really(("doctor", "--deep"), room, {})
        yield f"{space} MB: {arguments[0]}: exit {found.code}", wrong + ["damaged"] * (again.code == ExitCode.STORE)


def read_only(rooms: Rooms, room: Path) -> Found:
    """Every command with nothing that can be written to."""
    whole, fact = rooms.after((*FULL, EXPORT)), named_in(rooms.after(FULL), (FACT,))[0]
    place = room.with_name("disk")
    copied(whole, place)
    os.environ |= {name: str(place) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    if subprocess.run(["mount", "--bind", place, place], capture_output=True, check=False).returncode:
        yield "no disk could be mounted: not tried", []
        return
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
        for arguments in (*READING, *OF_NO_MEMORY):
            found = done(tuple(fact if each == FACT else each for each in arguments), place)
            # An agent's reading has to be logged.
            fails = "--as" in arguments
            wrong = _untold(found) if found.code else []
            yield " ".join(arguments), wrong + ["cannot be read"] * (bool(found.code) != fails)
        for command in COMMANDS:
            found = done(tuple(fact if each == FACT else each for each in command.arguments), place)
            yield command.name, _untold(found) if found.code else []  # there may be nothing to write
    finally:
        subprocess.run(["umount", place], check=True)


def narrow(rooms: Rooms, room: Path) -> Found:
    """Every screen on a terminal of few columns."""
    copied(rooms.after(FULL), room)
    fact = named_in(room, (FACT,))[0]
    for arguments in (*READING, *OF_NO_MEMORY):
        given = tuple(fact if each == FACT else each for each in arguments)
        wide, slim = (_on_terminal(given, room, columns) for columns in (120, COLUMNS))
        wrong = [f"exit {slim.code}"] * (slim.code != wide.code) + ["traceback"] * slim.traceback
        widest = max((cell_len(STYLE.sub("", line)) for line in slim.out.splitlines()), default=0)
        # An answer is written as it comes, and the terminal breaks its lines; others are laid out for pages.
        is_laid_out = arguments[0] not in ("ask", "export", "config", "formats", "help", "--help")
        yield " ".join(arguments), wrong + [f"{widest} columns"] * (widest > COLUMNS and is_laid_out)


def _on_terminal(arguments: tuple[str, ...], room: Path, columns: int) -> Ended:
    """A command whose output is a terminal of so many columns."""
    process, terminal = pty.fork()
    if process == 0:
        _at_terminal(arguments, room, columns)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while piece := os.read(terminal, 65536):
            shown += piece
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
    return Ended(os.waitstatus_to_exitcode(status), text, text)


def _at_terminal(arguments: tuple[str, ...], room: Path, columns: int) -> NoReturn:
    """Runs a command on the terminal that this process was given, and leaves."""
    os.chdir(room)
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    os.environ |= {"EVERMEM_DB": DB, "EVERMEM_EMBEDDER": "words", "NO_COLOR": "1", "TERM": "xterm", "PAGER": "cat"}
    os.environ.pop("COLUMNS", None)
    sys.argv = ["evermem", *arguments]
    try:
        run()
    except SystemExit:
        pass  # of a command that has nothing to say of how it went
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def _untold(found: Ended) -> list[str]:
    """What is wrong with how a command failed: it ends with one line, and with a code of its own."""
    if found.traceback:
        return ["traceback"]
    lines = found.err.strip().splitlines()
    return [f"{len(lines)} lines"] * (len([line for line in lines if line.startswith("evermem:")]) != 1)


TRIED: dict[str, Callable[[Rooms, Path], Found]] = {
    "newer": newer,
    "forgetting": forgetting,
    "clock": clock,
    "memory": memory,
    "read-only": read_only,
    "narrow": narrow,
}


def main() -> None:
    """Prints what went wrong, a line for each hardship and one line of JSON; exits with 1 where something did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=TRIED, help="may be repeated")
    chosen = parser.parse_args()
    models_faked()
    tried, failed = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as made, suppress(KeyboardInterrupt):
        rooms = Rooms(Path(made))
        for name in chosen.only or TRIED:
            for what, wrong in TRIED[name](rooms, Path(made) / "trial"):
                tried[name] += 1
                if wrong:
                    failed[name] += 1
                    print(f"{name}: {what}: {', '.join(wrong)}", file=sys.stderr, flush=True)
            print(f"{name:12}{tried[name]:6} tried{failed[name]:6} wrong", flush=True)
    print(json.dumps({"benchmark": "hardships", "tried": dict(tried), "wrong": dict(failed)}))
    sys.exit(failed.total() > 0)


if __name__ == "__main__":
    main()
