"""Whatever is done on three machines that share a memory, and in whatever order: in the end all hold the same."""

from hypothesis import given, settings

from evermem_cli.errors import UsageError
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.file import connection
from evermem_cli.store.lake.shared_memory import SharedMemory
from tests.support.lakes import documents_in_files
from tests.sync.test_lake import LakeMachine
from tests.sync.test_property import DEEDS, LINES, NAMES, STEPS, WORDS, exchanged, state


@settings(max_examples=4, derandomize=True)
@given(steps=STEPS)
def test_machines_with_a_shared_memory_agree_in_the_end(tmp_path_factory, steps: list[tuple[str, str, int]]) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    lake = SharedMemory(LakeAddress.read(f"ducklake:{folder}/catalog.ducklake"), 5)
    machines = {name: LakeMachine(lake, folder, name) for name in NAMES}
    for machine in machines.values():
        machine.ingest(machine.file(LINES[0], "a.txt"))
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
    assert others == [first, first]
    before = lake.snapshot()
    for machine in machines.values():
        report = machine.sync()
        assert not report.came and not report.went
    assert lake.snapshot() == before
    assert_nothing_forgotten_is_in_the_files(lake, machines["one"])


def assert_nothing_forgotten_is_in_the_files(lake: SharedMemory, machine: LakeMachine) -> None:
    """What no memory holds any more stands in no file of the shared memory either."""
    said = "\n".join(machine.said())
    with connection.connected(machine.store.path, write=False, timeout=1) as opened:
        said += str(opened.execute("select text from message_edits union all select wrong from corrections").fetchall())
        said += str(opened.execute("select title from conversations").fetchall())
    file = lake.address.file
    assert file is not None
    written = documents_in_files(lake.address, file.with_name(f"{file.name}.files"))
    for word in WORDS:
        assert word in said or word.encode() not in written
