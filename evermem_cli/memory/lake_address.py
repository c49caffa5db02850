"""The address of a memory that several machines share: a DuckLake, by its catalogue and its data folder."""

import hashlib
import os
import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Self

from evermem_cli.errors import UsageError

SCHEME = "ducklake:"
POSTGRES = "postgres:"
DATA = "?data="
SECRETS = ("password", "sslpassword")
ELSEWHERE = ("service", "servicefile")  # the server's name stands in another file
_HINT = 'write it as "ducklake:postgres:dbname=NAME host=HOST?data=FOLDER" or ducklake:FILE'
_MOUNT = "name a folder that is mounted on this machine, as ?data=/shared/memory"
_KEEP_SECRET = "leave it out, and set PGPASSWORD, or write it into ~/.pgpass or a service file"
_PAIR = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?:'(?P<quoted>(?:[^'\\]|\\.)*)'|(?P<bare>[^\s']*))(?=\s|$)")


@dataclass(frozen=True, slots=True)
class LakeAddress:
    """A shared memory by its address.

    `catalog` is what DuckLake attaches: a file, or PostgreSQL's connection parameters after "postgres:". `data` is the
    folder of the Parquet files as this machine sees it; None leaves it to the catalogue.
    """

    catalog: str
    data: Path | None

    @classmethod
    def read(cls, text: str) -> Self:
        """The address in a setting. Raises UsageError; the message repeats no password."""
        catalog, _, data = text.removeprefix(SCHEME).partition(DATA)
        if "://" in data:
            raise UsageError("the data of a shared memory is in a folder, not behind an address", _MOUNT)
        folder = Path(data).expanduser().absolute() if data else None
        if not catalog.startswith(POSTGRES):
            if not catalog or "://" in catalog:
                raise UsageError("this is not the address of a shared memory", _HINT)
            return cls(str(Path(catalog).expanduser().absolute()), folder)
        for key in SECRETS:
            if re.search(rf"\b{key}\s*=", catalog):
                raise UsageError(f"{key} stands in the address, where others can see it", _KEEP_SECRET)
        parameters = _parameters(catalog.removeprefix(POSTGRES))
        if parameters is None:
            raise UsageError("these are not connection parameters of PostgreSQL", _HINT)
        return cls(catalog, folder)

    @property
    def text(self) -> str:
        """The address as it is shown. It has no password."""
        return f"{SCHEME}{self.catalog}{DATA}{self.data}" if self.data else f"{SCHEME}{self.catalog}"

    @property
    def file(self) -> Path | None:
        """The catalogue file; None where PostgreSQL has the catalogue."""
        return None if self.catalog.startswith(POSTGRES) else Path(self.catalog)

    @property
    def parameters(self) -> str:
        """The connection parameters of PostgreSQL."""
        return self.catalog.removeprefix(POSTGRES)

    @property
    def is_here(self) -> bool:
        """Whether no server on another machine is named: a file, a socket, or a loopback address."""
        if self.file:
            return True
        given = _parameters(self.parameters) or {}
        if any(key in given for key in ELSEWHERE) or os.environ.get("PGSERVICE"):
            return False
        hosts = given.get("hostaddr") or os.environ.get("PGHOSTADDR") or given.get("host") or os.environ.get("PGHOST")
        return all(_is_here(host) for host in (hosts or "").split(","))

    @property
    def name(self) -> str:
        """A name for this machine's copy. It does not depend on where the machine sees the data folder."""
        return hashlib.sha256(self.catalog.encode()).hexdigest()[:16]


def is_lake(text: str) -> bool:
    """Whether a setting is the address of a shared memory."""
    return text.startswith(SCHEME)


def _parameters(text: str) -> dict[str, str] | None:
    """Connection parameters by name; None if the text is nothing of the kind."""
    place, values = 0, dict[str, str]()
    while text[place:].strip():
        pair = _PAIR.match(text, place)
        if pair is None:
            return None
        values[pair["key"]] = pair["bare"] if pair["quoted"] is None else re.sub(r"\\(.)", r"\1", pair["quoted"])
        place = pair.end()
    return values or None


def _is_here(host: str) -> bool:
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
