"""Looks for private words in everything that evermem tells an assistant or shows on a page, by every door.

`python -m tests.benchmarks.leaks` makes a memory with something private in every table, and asks each reading command
(`--as`), each tool with many arguments and with the id of every memory, each resource, the prompt, the page, the served
page and the access log, without a reason and with one. A check is one text in which one private word is looked for. The
page of the owner may show what is sensitive, so two words are looked for there.
"""

import http.client
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evermem_cli.config import Settings
from evermem_cli.mcp.brief import brief
from evermem_cli.mcp.budget import rendered
from evermem_cli.mcp.host import MemoryHost
from evermem_cli.mcp.resources import RESOURCES
from tests.cli.test_main import Shell
from tests.cli.test_privacy import READING, REASON, private_memory
from tests.mcp.test_mcp_privacy import ASKED, SECRET, every_id, told
from tests.view.test_view import serving

QUESTION = "What do I take for my sinus?"
Shown = tuple[str, str, Sequence[str]]  # the door, a text, and the words that may not be in it


def commands(shell: Shell) -> Iterator[Shown]:
    """What each reading command prints for an agent."""
    for reason, words in SECRET.items():
        for arguments in READING:
            done = shell(*arguments, "--as", "spy", "--reason", reason, stdin=f"{QUESTION}\n")
            yield "commands with --as", (done.stdout + done.stderr).replace(QUESTION, ""), words


def server(shell: Shell) -> Iterator[Shown]:
    """What the tools, resources and the prompt of `evermem mcp` tell."""
    host = MemoryHost(Settings.load(db=shell.db, offline=True))
    asked = [(name, given) for name, several in ASKED.items() for given in several]
    asked += [("fetch", {"id": memory_id}) for memory_id in every_id(shell.db)]
    for reason, words in SECRET.items():
        for name, given in asked:
            own = given | ({"reason": reason} if reason and name != "remember" else {})
            yield f"tool {name}", told(host, name, own, reason), words
        for resource in RESOURCES:
            yield f"resource {resource.name}", rendered(resource(host.call("spy", reason, resource.name))), words
        yield "prompt", brief(host.call("spy", reason, "brief").session), words


def pages(shell: Shell, folder: Path) -> Iterator[Shown]:
    """The page for an agent and for its owner, as a file and served."""
    for number, (reason, words) in enumerate(SECRET.items()):
        target = folder / f"agent-{number}.html"
        done = shell("view", "--as", "spy", "--reason", reason, "-o", str(target))
        yield "page for an agent", target.read_text(encoding="utf-8") + done.stdout + done.stderr, words
    done = shell("view", "-o", str(folder / "own.html"))
    yield "page of the owner", (folder / "own.html").read_text(encoding="utf-8") + done.stdout, SECRET[REASON]
    with serving(shell.db) as served:
        connection = http.client.HTTPConnection(*served.server_address[:2], timeout=120)  # type: ignore[arg-type]
        connection.request("GET", f"/{served.desk.token}/", headers={"Host": served.origin.removeprefix("http://")})
        yield "served page", connection.getresponse().read().decode(), SECRET[REASON]
        connection.close()


def log(shell: Shell) -> Iterator[Shown]:
    """The access log, after all of that."""
    yield "access log", shell("access-log", "--json").stdout, SECRET[""]
    yield "access log", shell("access-log").stdout, SECRET[""]


def main() -> None:
    """Prints the checks and the leaks of each door."""
    checks, leaks = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as scratch:
        shell = private_memory(Path(scratch))
        for shown in (commands(shell), server(shell), pages(shell, Path(scratch)), log(shell)):
            for door, text, words in shown:
                checks[door] += len(words)
                leaks[door] += sum(word in text for word in words)
    for door, count in checks.items():
        print(f"{door:22} {count:5} checks {leaks[door]:3} leaks")
    print(json.dumps({"checks": checks.total(), "leaks": leaks.total()}))


if __name__ == "__main__":
    main()
