"""The key of an encrypted memory: where it is, and how the files beside the memory file are sealed with it.

DuckDB encrypts the memory file itself, its log and what it spills. The files that evermem keeps beside it are sealed
here, also with AES-256-GCM, with a key derived from the same secret.
"""

import base64
import hmac
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from evermem_cli.errors import StoreError, UsageError
from evermem_cli.store.file import keychain, locks
from evermem_cli.whole_files import write_whole

# Imported for encrypted memories only.
if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

SECRET_BYTES, NONCE_BYTES = 32, 12
LONGEST = 1000  # characters of a key file that are read; a key has 44
# DuckDB's main header is never encrypted: the magic bytes, and the flag for encryption.
MAGIC, FLAG = slice(8, 12), 20
NAME_IT = "name its key with --key-file FILE or EVERMEM_KEY_FILE"
MAKE_ONE = "`evermem encrypt --new-key FILE` makes a key"


@dataclass(frozen=True, slots=True)
class Key:
    """32 random bytes."""

    secret: bytes = field(repr=False)

    @classmethod
    def made(cls) -> "Key":
        """A new random key."""
        return cls(secrets.token_bytes(SECRET_BYTES))

    @classmethod
    def parsed(cls, text: str) -> "Key":
        """The key in `text`. Raises ValueError."""
        secret = base64.b64decode(text.strip(), validate=True)
        if len(secret) != SECRET_BYTES:
            raise ValueError("a key has 32 bytes")
        return cls(secret)

    @property
    def text(self) -> str:
        """In base64, as DuckDB, key files and the keyring expect it."""
        return base64.b64encode(self.secret).decode()

    def seal(self, content: bytes, purpose: str) -> bytes:
        """Encrypted, as one line of base64 without a line end."""
        nonce = os.urandom(NONCE_BYTES)
        return base64.b64encode(nonce + self._cipher().encrypt(nonce, content, purpose.encode()))

    def unseal(self, sealed: bytes, purpose: str) -> bytes | None:
        """The decrypted data; None where it was not sealed, or with another key or purpose."""
        from cryptography.exceptions import InvalidTag

        with suppress(InvalidTag, ValueError):  # binascii.Error is a ValueError
            decoded = base64.b64decode(sealed, validate=True)
            return self._cipher().decrypt(decoded[:NONCE_BYTES], decoded[NONCE_BYTES:], purpose.encode())
        return None

    def _cipher(self) -> "AESGCM":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(hmac.digest(self.secret, b"evermem: files beside a memory", "sha256"))


@dataclass(frozen=True, slots=True)
class Keys:
    """Where keys are found: in a file if one is named, else in the system's keyring."""

    file: Path | None = None

    def of(self, memory: Path, is_encrypted: Callable[[Path], bool]) -> tuple[Key, ...]:
        """The keys that may open a memory, newest first; none where it is plain and no key is named.

        Raises StoreError where it is encrypted and there is no key.
        """
        if self.file:
            return (read(self.file),)
        if not is_encrypted(memory):
            return ()
        if keyring_keys := from_keychain():
            return keyring_keys
        raise StoreError(f"{memory}: encrypted", NAME_IT)


def names_encrypted(memory: Path) -> bool:
    """Whether the file at a path is an encrypted database; False where it cannot be read.

    Closing the file releases every lock that the process has on it.
    """
    with suppress(OSError), memory.open("rb") as opened:
        return is_encrypted(opened)
    return False


def is_encrypted(memory: BinaryIO) -> bool:
    """Whether a file, read from its beginning, is an encrypted database. Raises OSError."""
    header = memory.read(FLAG + 1)
    return header[MAGIC] == b"DUCK" and len(header) > FLAG and bool(header[FLAG] & 1)


def read(path: Path) -> Key:
    """The key in a file that only its owner can read. Raises StoreError."""
    try:
        with path.open(encoding="ascii") as opened:
            key = Key.parsed(opened.read(LONGEST))
        mode = stat.S_IMODE(path.stat().st_mode)
        if locks.open_to_others(mode):
            raise StoreError(f"{path}: others can read the key (mode {mode:o})", f"chmod 600 {path}")
        return key
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}", "name the key of this memory with --key-file") from error
    except ValueError as error:
        raise StoreError(f"{path}: not a key of evermem", MAKE_ONE) from error


def write_new(path: Path) -> Key:
    """A new key in a new file (0600), on the disk before anything is encrypted with it.

    Raises UsageError where the file exists already, DiskFull, EvermemError.
    """
    key = Key.made()
    try:
        write_whole(path, f"{key.text}\n".encode(), replace=False)
    except FileExistsError as error:
        raise UsageError(
            f"{path} exists already", "use it with --key-file FILE or --to FILE, or name a new file"
        ) from error
    locks.sync_folder(path.absolute().parent)
    return key


def from_keychain() -> tuple[Key, ...]:
    """The keys in the system's keyring, newest first. Raises StoreError."""
    try:
        return tuple(Key.parsed(text) for text in keychain.held())
    except ValueError as error:
        raise StoreError("the system's keyring has something else under evermem's name", "remove that entry") from error


def new_in_keychain() -> Key:
    """A new key in the system's keyring. Earlier keys stay for backups made with them.

    Raises StoreError, UsageError.
    """
    key = Key.made()
    keychain.put([key.text, *(former.text for former in from_keychain())])
    return key


def unsealed(keys: Sequence[Key], sealed: bytes, purpose: str) -> bytes | None:
    """Data decrypted with one of these keys; unchanged where there are no keys, None where none fits."""
    if not keys:
        return sealed
    opened = (key.unseal(sealed, purpose) for key in keys)
    return next((content for content in opened if content is not None), None)


def sealed(keys: Sequence[Key], content: bytes, purpose: str) -> bytes:
    """Data sealed with the newest of these keys; unchanged where there are none."""
    return keys[0].seal(content, purpose) if keys else content
