"""What of evermem is an extra: whether it is here, and the command that adds it to this very installation."""

import sys
from enum import Enum
from importlib.util import find_spec

DISTRIBUTION = "evermem-cli"


class Extra(Enum):
    """An extra of the distribution, with the packages that it brings."""

    LLM = ("llama_cpp", "llguidance")
    MCP = ("mcp",)
    KEYRING = ("keyring",)

    @property
    def is_here(self) -> bool:
        """Whether all of its packages are installed; none is loaded."""
        return all(find_spec(package) for package in self.value)

    @property
    def command(self) -> str:
        """What adds it, in the environment that evermem runs in: pip is there, whatever has made the environment."""
        return f'{_quoted(sys.executable)} -m pip install "{DISTRIBUTION}[{self.name.lower()}]"'


def _quoted(path: str) -> str:
    """As a shell takes it, be that of POSIX or of Windows."""
    return f'"{path}"' if " " in path else path
