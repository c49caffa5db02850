"""Whatever is done on several machines, and in whatever order they sync: in the end all hold the same."""

from collections.abc import Callable, Mapping, Sequence
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
WORDED = (
    "select text from message_edits union all select wrong from corrections",
    "select title from conversations",
    "select name, person from merged",
)
# What is compared: all that machines exchange, and whose each message is. What a machine has noted of a chat that was
# removed goes with its next change.
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
    "exchanged": """
        select kind, name, revision, digest, moment, number from exchanged
        where kind <> 'conversation' or name in (select id from conversations)""",
}


def state(machine: Machine) -> dict[str, list[tuple[object, ...]]]:
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        return {name: sorted(opened.execute(query).fetchall(), key=str) for name, query in STATE.items()}


def _ingest(machine: Machine, text: str, name: str, choice: Choice | None = None) -> None:
    machine.ingest(machine.file(text, name), choice=choice)


def _chosen(ids: Sequence[str], number: int) -> list[str]:
    return [ids[number % len(ids)]] if ids else []


def _edit(machine: Machine, number: int) -> None:
    words = {"m0": EDITS[number % 3]} if number % 4 else {}
    _ingest(machine, edited("".join(LINES[:3]), **words), "c.jsonl")


def _forget(machine: Machine, number: int) -> None:
    machine.store.forget(Selection(user_id="default", words=(WORDS[number % len(WORDS)],)))
    machine.consolidation.refresh()


def _forget_fact(machine: Machine, number: int) -> None:
    """On this machine alone: no other one has the same facts."""
    with machine.store.read() as reader:
        facts = sorted(fact.id for fact in reader.topics.facts())
    for name in _chosen(facts, number):
        machine.store.forget(Selection(user_id="default", ids=(name,)))
        machine.consolidation.refresh()


def _forget_chat(machine: Machine, number: int) -> None:
    with machine.store.read() as reader:
        chats = sorted(chat.id for chat in reader.chats.of("default"))
    for name in _chosen(chats, number):
        machine.store.forget(Selection(user_id="default", ids=(name,)))
        machine.consolidation.refresh()


def _hide(machine: Machine, number: int) -> None:
    with machine.store.read() as reader:
        known = sorted(message.id for cell in reader.topics.memcells() for message in cell.messages)
        known += sorted(chat.id for chat in reader.chats.of("default"))
    with machine.store.privacy(write=True) as opened:
        for name in _chosen(known, number):
            opened.set_tier(name, (None, *Tier)[number % 4])


def _merge(machine: Machine, number: int) -> None:
    with machine.store.write() as writer:
        if not writer.reader.names.merged("default"):
            writer.actions.merge("default", "Bobby", "Bob")


def _split(machine: Machine, number: int) -> None:
    with machine.store.write() as writer:
        writer.actions.split("default", ["bobby"])


def _correct(machine: Machine, number: int) -> None:
    with machine.store.read() as reader:
        found = sorted(
            [
                *(e.id for e in reader.consolidation.assertions()),
                *(e.id for e in reader.topics.facts()),
                *(e.id for e in reader.topics.episodes()),
            ]
        )
    for name in _chosen(found, number):
        machine.correct(name, f"I work at place {number % 3}.")


def _enrich(machine: Machine, number: int) -> None:
    machine.read()
    machine.enrich()


# What can be done to a memory, by a number that chance chooses.
DEEDS: dict[str, Callable[[Machine, int], object]] = {
    "ingest": lambda machine, n: _ingest(machine, "".join(LINES[: 1 + n % len(LINES)]), "a.txt"),
    "ingest another": lambda machine, n: _ingest(machine, "".join(OTHER[: 1 + n % len(OTHER)]), "b.txt"),
    "ingest again": lambda machine, n: _ingest(machine, "".join(LINES), "a.txt", Choice(again=True)),
    "ingest amid": lambda machine, n: _ingest(machine, "".join(LINES[:1] + LINES[1 + n % 4 :]), "a.txt"),
    "prune": lambda machine, n: _ingest(machine, "".join(LINES[:1] + LINES[2:]), "a.txt", Choice(prune=True)),
    "edit": _edit,
    "forget": _forget,
    "forget a fact": _forget_fact,
    "forget a chat": _forget_chat,
    "hide": _hide,
    "merge": _merge,
    "split": _split,
    "me": lambda machine, n: machine.own(("Ann", "Bob", "Bobby")[n % 3]),
    "correct": _correct,
    "enrich": _enrich,
    "undo": lambda machine, n: machine.undo(),
    "sync": lambda machine, n: machine.sync(),
}
CHOICES = st.sampled_from([*DEEDS, *["sync"] * 5])
Steps = list[tuple[str, str, int]]  # a machine, what is done there, and a number
STEPS = st.lists(st.tuples(st.sampled_from(NAMES), CHOICES, st.integers(0, 11)), max_size=12)
# Everything that can be done, once each, on one of two machines.
ALL = [*DEEDS, *["sync"] * 4]
WHERE = st.lists(st.tuples(st.sampled_from(NAMES[:2]), st.integers(0, 11)), min_size=len(ALL), max_size=len(ALL))
ALL_STEPS = st.builds(
    lambda deeds, where: [(name, deed, number) for deed, (name, number) in zip(deeds, where, strict=True)],
    st.permutations(ALL),
    WHERE,
)


@settings(max_examples=8, derandomize=True)
@given(steps=STEPS)
def test_machines_agree_in_the_end(tmp_path_factory, steps: Steps) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    machines = {name: Machine(folder / "shared", name) for name in NAMES}
    for machine in machines.values():
        machine.ingest(machine.file(LINES[0], "a.txt"))
    assert_agreed(machines, steps)
    assert_nothing_forgotten_is_left(folder, machines["one"])


@settings(max_examples=4, derandomize=True)
@given(steps=ALL_STEPS)
def test_machines_with_formed_memories_agree_after_all_that_can_be_done(tmp_path_factory, steps: Steps) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    machines = {name: Machine(folder / "shared", name) for name in NAMES[:2]}
    for machine in machines.values():
        machine.ingest(machine.file("".join(LINES), "a.txt"))
        _enrich(machine, 0)
    assert_agreed(machines, steps)
    assert_nothing_forgotten_is_left(folder, machines["one"])


def assert_agreed(machines: Mapping[str, Machine], steps: Sequence[tuple[str, str, int]]) -> None:
    """Does the steps, and syncs until nothing comes or goes: all machines hold the same."""
    for name, deed, number in steps:
        try:
            DEEDS[deed](machines[name], number)
        except UsageError:
            continue  # nothing to undo, nobody of that name
    rounds = 0
    while sum(exchanged(machine) for machine in machines.values()):
        rounds += 1
        assert rounds < 5
    first, *others = (state(machine) for machine in machines.values())
    assert others == [first] * len(others)
    for machine in machines.values():
        report = machine.sync()
        assert not report.came and not report.went and not report.problems


def exchanged(machine: Machine) -> int:
    """Syncs; how much came and went."""
    report = machine.sync()
    return (report.came + report.went).total()


def assert_nothing_forgotten_is_left(folder: Path, machine: Machine) -> None:
    """What no memory holds any more stands in no file of the folder either."""
    words = words_in(machine)
    for bundle in (folder / "shared").iterdir():
        written = bundle.read_bytes()
        assert (bundle.stat().st_mode & 0o777) == 0o600
        for word in WORDS:
            assert word in words or word.encode() not in written


def words_in(machine: Machine) -> str:
    """All that a memory holds of what machines exchange."""
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        return "\n".join(machine.said()) + str([opened.execute(query).fetchall() for query in WORDED])
