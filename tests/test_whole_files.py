"""A small file is whole or not there, and a disk that accepts no more data is named."""

from pathlib import Path

import numpy as np
import pytest

from evermem_cli.errors import DiskFull, EvermemError, ModelError, UsageError
from evermem_cli.mcp.changes import Change
from evermem_cli.schedule import Timer
from evermem_cli.store.file import keys
from evermem_cli.whole_files import make_folder, of_package, write_whole
from tests.support.disks import files_of_at_most

A_FEW_BYTES = 4


def test_a_file_is_replaced_and_its_mode_is_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "note"
    path.write_text("before")
    write_whole(path, b"after", mode=0o640)
    assert path.read_bytes() == b"after"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(FileExistsError):
        write_whole(path, b"again", replace=False)
    assert [each.name for each in tmp_path.iterdir()] == ["note"]


@pytest.mark.parametrize("replace", [True, False])
def test_what_does_not_fit_the_disk_leaves_all_as_it_was(tmp_path: Path, replace: bool) -> None:
    with files_of_at_most(A_FEW_BYTES), pytest.raises(DiskFull, match=r"note: the disk /\S* accepts no more data"):
        write_whole(tmp_path / "note", b"too long", replace=replace)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EvermemError, match="folder: Not a directory"):
        make_folder(tmp_path / "file" / "folder")
    with pytest.raises(EvermemError, match="note: Not a directory"):
        write_whole(tmp_path / "file" / "note", b"")


def read_arrays(file: Path) -> None:
    with of_package(file) as stream, np.load(stream) as stored:
        assert stored["numbers"].sum() == 3


def test_a_file_of_the_package_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    with pytest.raises(ModelError, match=r"weights\.npz is missing") as caught:
        read_arrays(file)
    assert caught.value.hint == "reinstall evermem"
    np.savez_compressed(file, numbers=np.arange(3))
    read_arrays(file)
    for damaged in (b"", b"no archive", file.read_bytes()[:-40]):
        file.write_bytes(damaged)
        with pytest.raises(ModelError, match=r"weights\.npz is damaged: ") as caught:
            read_arrays(file)
        assert caught.value.hint == "reinstall evermem"


def test_no_part_of_a_key_is_left_and_the_same_name_can_be_taken_again(tmp_path: Path) -> None:
    for _ in range(2):
        with files_of_at_most(A_FEW_BYTES), pytest.raises(DiskFull, match=r"key: the disk /\S* accepts no more data"):
            keys.write_new(tmp_path / "key")
    assert list(tmp_path.iterdir()) == []


def test_a_key_is_not_written_over(tmp_path: Path) -> None:
    key = keys.write_new(tmp_path / "key")
    with pytest.raises(UsageError, match="exists already"):
        keys.write_new(tmp_path / "key")
    assert keys.read(tmp_path / "key") == key


def test_a_timer_and_settings_of_others_are_not_half_written_where_the_disk_is_full(tmp_path: Path) -> None:
    timer = Timer("systemd", {tmp_path / "evermem.timer": "[Unit] of a timer"}, start=[], stop=[])
    with files_of_at_most(A_FEW_BYTES), pytest.raises(DiskFull, match=r"evermem.timer: the disk"):
        timer.install()
    settings = tmp_path / "mcp.json"
    settings.write_text("{}")
    with files_of_at_most(A_FEW_BYTES), pytest.raises(DiskFull, match=r"mcp.json\S*: the disk"):
        Change(settings, "{}", '{"evermem": 1}').make()
    assert settings.read_text() == "{}"
    assert list(tmp_path.iterdir()) == [settings]
