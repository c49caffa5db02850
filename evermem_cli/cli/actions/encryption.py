"""The steps of `encrypt`, `rekey` and `decrypt`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from evermem_cli.cli.shared import shared_copy
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.session import Session, page_beside
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.errors import StoreError, UsageError
from evermem_cli.store import Key, Keys, Store
from evermem_cli.store.file import keys

KEYRING = "the system's keyring"


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A rewritten memory file: its number of rows, and where its key is (empty where it is plain)."""

    path: Path
    rows: int
    key: str = ""


def encrypt(session: Session, new_key: Path | None, *, keyring: bool) -> RewrittenFile:
    """Encrypts a plain memory, with the key file of the settings unless a new key is wanted; removes its plain page.

    Raises UsageError, StoreError, StoreBusy, DiskFull.
    """
    store = _there(session, encrypted=False)
    plain = replace(store, keys=Keys())
    with plain.read():  # so that no key is made for a memory that cannot be opened
        pass
    named = None if new_key or keyring else store.keys.file
    key, where = _chosen(new_key, named, keyring, "--key-file FILE")
    done = _rewritten(plain, key, where)
    page = page_beside(store.path)
    if page.exists():
        page.unlink()
        session.note(f"{page} showed the memory in plain text and is removed; `evermem view` writes it anew")
    return done


def rekey(session: Session, new_key: Path | None, to: Path | None, *, keyring: bool) -> RewrittenFile:
    """Encrypts an encrypted memory with another key. Raises as `encrypt`."""
    store = _there(session, encrypted=True)
    with store.read():  # opens it with its present key first, so that no key is made for a memory that cannot be opened
        pass
    key, where = _chosen(new_key, to, keyring, "--to FILE")
    return _rewritten(store, key, where)


def decrypt(session: Session) -> RewrittenFile:
    """Rewrites an encrypted memory as a plain one. Raises as `encrypt`."""
    store = _there(session, encrypted=True)
    return _rewritten(store, None, "")


def document(done: RewrittenFile) -> dict[str, Any]:
    """`--json` of all three commands."""
    return {"encrypted": bool(done.key), "key": done.key or None, "rows": done.rows}


def screen(done: RewrittenFile) -> RenderableType:
    """What was done, and what the user still has to do."""
    if not done.key:
        line = f"{done.path}: no longer encrypted, {counted(done.rows, 'rows')}"
        return styled(f"{line}\nLeave out --key-file and EVERMEM_KEY_FILE from now on.")
    use = "" if done.key == KEYRING else f"\nName the key from now on: --key-file {done.key}, or EVERMEM_KEY_FILE."
    return styled(
        f"{done.path}: encrypted, {counted(done.rows, 'rows')}; the key is in {done.key}{use}"
        "\nKeep a copy of the key elsewhere: without it nobody can read this memory."
        "\nBackups and exports that were made before are as they were."
    )


def _rewritten(store: Store, key: Key | None, where: str) -> RewrittenFile:
    done = RewrittenFile(store.path, store.encrypt(key), where)
    shared_copy.hand_on_key(store.path, "" if where == KEYRING else where)
    return done


def _there(session: Session, *, encrypted: bool) -> Store:
    """The memory file of the session's owner.

    Raises UsageError where it is encrypted and should not be, or the reverse.
    """
    store = session.store
    store.refuse_agent()
    StoreError.refuse_absence(store.path)
    if store.is_encrypted and not encrypted:
        raise UsageError(f"{store.path}: encrypted already", "`evermem rekey` gives it another key")
    if encrypted and not store.is_encrypted:
        raise UsageError(f"{store.path}: not encrypted", "`evermem encrypt` encrypts it")
    return store


def _chosen(new_key: Path | None, there: Path | None, keyring: bool, option: str) -> tuple[Key, str]:
    """The key and its place; `option` is the option for an existing key. Raises UsageError, StoreError."""
    if [new_key is not None, there is not None, keyring].count(True) != 1:
        raise UsageError("name one key", f"--new-key FILE, {option} or --keyring")
    if new_key is not None:
        path = new_key.expanduser()
        return keys.write_new(path), str(path)
    if there is not None:
        return keys.read(there.expanduser()), str(there)
    return keys.new_in_keychain(), KEYRING
