"""The picture of the README: `python -m tests.benchmarks.picture` writes .github/terminal.svg.

The chats of sample_transcripts are read without a language model, into a memory file that is deleted afterwards. Each
command of COMMANDS runs in a pseudo terminal, and rich draws what the command prints there. A command that fails ends
the drawing, so the picture shows nothing that does not work.
"""

import fcntl
import io
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / ".github" / "terminal.svg"
COLUMNS, LINES = 96, 60
COMMANDS = (
    ("ask", "Where do I work?", "--as-of", "2025-02-01"),
    ("ask", "When is the trip to Bohinj?", "--as-of", "2025-05-20"),
    ("ask", "我对什么过敏？"),
    ("people",),
)
FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)  # rich's fonts come from a host; the reader's own will do


def main() -> None:
    """Draws the commands and what they print, one below the other."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "memory.duckdb"
        _printed(db, ("ingest", "sample_transcripts", "--me", "Maya", "--no-llm"))
        parts = [part for command in COMMANDS for part in (_prompt(command), _printed(db, command))]
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text("\n").join(parts))
    drawing = console.export_svg(title="evermem", theme=MONOKAI, unique_id="evermem")
    PICTURE.write_text(FONT_FACE.sub("", drawing), encoding="utf-8")


def _prompt(command: tuple[str, ...]) -> Text:
    words = " ".join(word if re.fullmatch(r"[\w-]+", word) else f'"{word}"' for word in command)
    return Text.assemble(("$ ", "green"), (f"evermem {words}", "bold"))


def _printed(db: Path, command: tuple[str, ...]) -> Text:
    """What the command prints on a terminal. Raises SystemExit where it fails."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-m", "evermem_cli", *command],
        stdin=inside,
        stdout=inside,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
        env=os.environ | {"EVERMEM_DB": str(db), "EVERMEM_TZ": "Europe/London", "TERM": "xterm-256color"},
    )
    os.close(inside)
    printed = _read(terminal)
    if running.wait() != 0:
        sys.exit(f"evermem {shlex.join(command)} failed:\n{printed}")
    return Text.from_ansi(printed.replace("\r\n", "\n").rstrip("\n"))


def _read(terminal: int) -> str:
    """All that comes out of a terminal until nobody holds its other side any more."""
    chunks = []
    try:
        while chunk := os.read(terminal, 65_536):
            chunks.append(chunk)
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(terminal)
    return b"".join(chunks).decode()


if __name__ == "__main__":
    main()
