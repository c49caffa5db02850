"""Whatever is done on three machines, and in whatever order they sync: in the end all hold the same."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from evermem_cli.errors import UsageError
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Selection, Tier
from evermem_cli.store.file import connection
from tests.repair.test_repair import edited
from tests.sync.test_sync import Machine

NAMES = ("one", "other", "third")
LINES = (
    "[2025-01-06 09:00] Ann: I work at Larkfield now.\n",
    "[2025-01-06 09:00] Bob: I live in Hull.\n",
    "[2025-01-06 09:00] Ann: My cat is called Miso.\n",
    "[2025-01-07 09:01] Bobby: The xylophone is red.\n",
    "[2025-01-07 09:01] Ann: Bring your boots.\n",
    "[2025-03-06 09:00] Ann: I work at Corvane now.\n",
)
OTHER = (
    "[2025-02-01 09:00] Bob: A xylophone costs 40 pounds.\n",
    "[2025-02-01 09:00] Bob: Fine.\n",
    "[2025-02-01 09:02] Ann: I moved to Leeds.\n",
)
WORDS = ("xylophone", "Miso", "Fine", "work", "Bob")
EDITS = ("I work at Tidewater now.", "I work at Acme.", "I retired.")
# What is compared: all that machines exchange, and whose each message is.
STATE = {
    "messages": """
        select conversation_id, row_number() over (partition by conversation_id order by ordinal), id, speaker, user_id,
               text from messages""",
    "edits": "select message_id, version, text from message_edits",
    "chats": "select id, title from conversations",
    "forgotten": "select message_id from forgotten",
    "privacy": "select * from privacy",
    "merged": "select owner_id, name, person from merged",
    "corrections": "select id, memory_id, stated, user_id from corrections",
    "exchanged": "select kind, name, revision, digest, moment, number from exchanged",
}


class Quick(Machine):
    """A machine that draws from facts alone: what the tagger reads of a message depends on nothing but the message."""

    def read(self) -> None:
        self.consolidation().run()


def state(machine: Machine) -> dict[str, list[tuple[object, ...]]]:
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        return {name: sorted(opened.execute(query).fetchall(), key=str) for name, query in STATE.items()}


def ids(machine: Machine) -> list[str]:
    with machine.store.read() as reader:
        return sorted(message.id for cell in reader.memcells() for message in cell.messages)


def act(machine: Machine, deed: str, number: int) -> None:
    """Does something to a memory, as far as it can be done there."""
    user = machine.settings.user
    match deed:
        case "ingest":
            cut = 1 + number % len(LINES)
            machine.ingest(machine.file("".join(LINES[:cut]), "a.txt"))
        case "ingest other":
            machine.ingest(machine.file("".join(OTHER[: 1 + number % len(OTHER)]), "b.txt"))
        case "ingest again":
            machine.ingest(machine.file("".join(LINES), "a.txt"), choice=Choice(again=True))
        case "ingest amid":
            machine.ingest(machine.file("".join(LINES[:1] + LINES[1 + number % 4 :]), "a.txt"))
        case "ingest edited":
            text = edited("".join(LINES[:3]), **({"m0": EDITS[number % 3]} if number % 4 else {}))
            machine.ingest(machine.file(text, "c.jsonl"))
        case "prune":
            machine.ingest(machine.file("".join(LINES[:1] + LINES[2:]), "a.txt"), choice=Choice(prune=True))
        case "forget":
            machine.store.forget(Selection(user_id=user, words=(WORDS[number % len(WORDS)],)))
            machine.consolidation().refresh()
        case "privacy":
            if known := ids(machine):
                with machine.store.privacy(write=True) as opened:
                    tier = (None, *Tier)[number % 4]
                    opened.set_tier(known[number % len(known)], tier)
        case "merge":
            with machine.store.write() as writer:
                if not writer.merged(user):
                    writer.merge(user, "Bobby", "Bob")
        case "split":
            with machine.store.write() as writer:
                writer.split(user, ["bobby"])
        case "me":
            machine.own(("Ann", "Bob", "Bobby")[number % 3])
        case "correct":
            with machine.store.read() as reader:
                found = sorted(each.id for each in [*reader.assertions(), *reader.facts(), *reader.episodes()])
            if found:
                machine.correct(found[number % len(found)], f"I work at place {number % 3}.")
        case "undo":
            machine.undo()
        case "enrich":
            machine.read()
            machine.enrich()
        case _:
            machine.sync()


DEEDS = st.sampled_from(
    ["ingest", "ingest other", "ingest again", "ingest amid", "ingest edited", "prune", "forget", "privacy", "merge"]
    + ["split", "me", "correct", "undo", "enrich"]
    + ["sync"] * 6
)
STEPS = st.lists(st.tuples(st.sampled_from(NAMES), DEEDS, st.integers(0, 11)), max_size=16)


@settings(max_examples=30)
@given(steps=STEPS)
def test_machines_agree_in_the_end(tmp_path_factory, steps: list[tuple[str, str, int]]) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    machines = {name: Quick(folder / "shared", name) for name in NAMES}
    for machine in machines.values():
        machine.ingest(machine.file(LINES[0], "a.txt"))
    for name, deed, number in steps:
        try:
            act(machines[name], deed, number)
        except UsageError:
            continue  # nothing to undo, nobody of that name
    rounds = 0
    while any([machine.sync().came for machine in machines.values()]):
        rounds += 1
        assert rounds < 5
    first, *others = (state(machine) for machine in machines.values())
    assert others == [first, first]
    for machine in machines.values():
        report = machine.sync()
        assert not report.came and not report.went and not report.problems
    assert_nothing_forgotten_is_left(folder, machines["one"])


def assert_nothing_forgotten_is_left(folder: Path, machine: Machine) -> None:
    """What no memory holds any more stands in no file of the folder either."""
    said = "\n".join(machine.said())
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        said += str(opened.execute("select text from message_edits union all select wrong from corrections").fetchall())
        said += str(opened.execute("select title from conversations").fetchall())
    for bundle in (folder / "shared").iterdir():
        written = bundle.read_bytes()
        assert (bundle.stat().st_mode & 0o777) == 0o600
        for word in WORDS:
            assert word in said or word.encode() not in written
