"""evermem's entries in the system's keyring.

One has the keys of encrypted memories in base64, newest first. The user may add one for each server of language models
that wants a key: `keyring set evermem ADDRESS`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evermem_cli.errors import EvermemError, ModelError, StoreError, UsageError
from evermem_cli.extras import Extra

if TYPE_CHECKING:
    from types import ModuleType

SERVICE, ENTRY = "evermem", "keys"


def held() -> list[str]:
    """The keys of memories; none where there is no keyring. Raises StoreError where it cannot be read."""
    keys = _read(ENTRY, StoreError, "unlock it, or name a key file with --key-file")
    return keys.split()


def api_key(server: str) -> str:
    """The key of the server at an address, "" where none is kept. Raises ModelError where it cannot be read."""
    return _read(server, ModelError, "unlock it, or set EVERMEM_API_KEY")


def put(keys: Sequence[str]) -> None:
    """Stores these keys. Raises UsageError where there is no keyring, StoreError where it refuses them."""
    keyring = _keyring()
    if keyring is None:
        add_it = f"add it with `{Extra.KEYRING.command}`, or name a key file with --key-file"
        raise UsageError("the system's keyring cannot be used yet", add_it)
    try:
        keyring.set_password(SERVICE, ENTRY, "\n".join(keys))
    except keyring.errors.NoKeyringError as error:
        raise UsageError("this system has no keyring", "name a key file: --new-key FILE") from error
    except keyring.errors.KeyringError as error:
        raise StoreError(f"the system's keyring: {error}", "unlock it, or name a key file with --key-file") from error
    if held() != [*keys]:
        raise StoreError("the system's keyring has not kept the key", "name a key file: --new-key FILE")


def _read(entry: str, unreadable: type[EvermemError], hint: str) -> str:
    """The text of an entry, "" where there is none. Raises `unreadable` with the hint where it cannot be read."""
    keyring = _keyring()
    if keyring is None:
        return ""
    try:
        return keyring.get_password(SERVICE, entry) or ""
    except keyring.errors.NoKeyringError:
        return ""
    except keyring.errors.KeyringError as error:
        raise unreadable(f"the system's keyring: {error}", hint) from error


def _keyring() -> "ModuleType | None":
    """The keyring package, which is an extra."""
    try:
        import keyring
        import keyring.errors
    except ImportError:
        return None
    return keyring
