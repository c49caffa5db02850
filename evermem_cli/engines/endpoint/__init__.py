"""A language model behind an address: any server with OpenAI's chat completions. This module reads the address."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from evermem_cli.errors import UsageError

_HINT = "write it as http://127.0.0.1:11434/v1#qwen3:4b: where the server is, and the model after #"
_HOST = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server, without a slash at its end, and the name of a model; "" for the only one."""

    url: str
    model: str
    is_loopback: bool

    @classmethod
    def read(cls, setting: str) -> Self:
        """The address that a setting means. Raises UsageError."""
        try:
            parts = urlsplit(setting)
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise UsageError(f"{setting}: {error}", _HINT) from error
        if not (_HOST.fullmatch(host) or _is_ip(host)):
            raise UsageError(f"{setting}: not the address of a server", _HINT)
        where = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        url = f"{parts.scheme}://{where}{parts.path}".rstrip("/")
        is_loopback = host == "localhost" or (_is_ip(host) and ip_address(host).is_loopback)
        return cls(url, parts.fragment, is_loopback)

    @property
    def root(self) -> str:
        """The root of a server's paths that are not in OpenAI's protocol."""
        return self.url.removesuffix("/v1")

    @property
    def is_encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.url.startswith("https:")


def is_address(setting: str) -> bool:
    """Whether a setting that names a model is the address of a server."""
    return setting.casefold().startswith(("http://", "https://"))


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
