"""evermem's entry in the system's keyring: the user's keys in base64, newest first, in one entry."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evermem_cli.errors import StoreError, UsageError
from evermem_cli.extras import Extra

if TYPE_CHECKING:
    from types import ModuleType

SERVICE, ENTRY = "evermem", "keys"


def held() -> list[str]:
    """The keys; none where there is no keyring. Raises StoreError where it cannot be read."""
    keyring = _keyring()
    if keyring is None:
        return []
    try:
        return (keyring.get_password(SERVICE, ENTRY) or "").split()
    except keyring.errors.NoKeyringError:
        return []
    except keyring.errors.KeyringError as error:
        raise StoreError(f"the system's keyring: {error}", "unlock it, or name a key file with --key-file") from error


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


def _keyring() -> "ModuleType | None":
    """The keyring package, which is an extra."""
    try:
        import keyring
        import keyring.errors
    except ImportError:
        return None
    return keyring
