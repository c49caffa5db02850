"""Whatever is done on machines that share a memory, and in whatever order: in the end all hold the same."""

from collections.abc import Iterable

from hypothesis import given, settings

from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.lake.shared_memory import SharedMemory
from tests.support.lakes import documents_in_files
from tests.sync.test_lake import LakeMachine
from tests.sync.test_property import ALL_STEPS, LINES, NAMES, STEPS, WORDS, Steps, assert_agreed, words_in


@settings(max_examples=4, derandomize=True)
@given(steps=STEPS)
def test_machines_with_a_shared_memory_agree_in_the_end(tmp_path_factory, steps: Steps) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    lake = SharedMemory(LakeAddress.read(f"ducklake:{folder}/catalog.ducklake"), 5)
    machines = {name: LakeMachine(lake, folder, name) for name in NAMES}
    for machine in machines.values():
        machine.ingest(machine.file(LINES[0], "a.txt"))
    assert_agreed(machines, steps)
    assert_nothing_is_written(lake, machines.values())
    assert_nothing_forgotten_is_in_the_files(lake, machines["one"])


@settings(max_examples=4, derandomize=True)
@given(steps=ALL_STEPS)
def test_machines_with_formed_memories_agree_after_all_that_can_be_done(tmp_path_factory, steps: Steps) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("machines")
    lake = SharedMemory(LakeAddress.read(f"ducklake:{folder}/catalog.ducklake"), 5)
    machines = {name: LakeMachine(lake, folder, name) for name in NAMES[:2]}
    for machine in machines.values():
        machine.ingest(machine.file("".join(LINES), "a.txt"))
        machine.read()
        machine.enrich()
    assert_agreed(machines, steps)
    assert_nothing_is_written(lake, machines.values())
    assert_nothing_forgotten_is_in_the_files(lake, machines["one"])


def assert_nothing_is_written(lake: SharedMemory, machines: Iterable[LakeMachine]) -> None:
    """Machines that hold the same write nothing."""
    before = lake.snapshot()
    for machine in machines:
        machine.sync()
    assert lake.snapshot() == before


def assert_nothing_forgotten_is_in_the_files(lake: SharedMemory, machine: LakeMachine) -> None:
    """What no memory holds any more stands in no file of the shared memory either."""
    words = words_in(machine)
    file = lake.address.file
    assert file is not None
    written = documents_in_files(lake.address, file.with_name(f"{file.name}.files"))
    for word in WORDS:
        assert word in words or word.encode() not in written
