"""Undo: removes what the last action added and restores what it changed."""

from dataclasses import dataclass

from evermem_cli.consolidate import Consolidation
from evermem_cli.errors import UsageError
from evermem_cli.memory import ActionKind, Undoing
from evermem_cli.store import Store


def last_action(store: Store) -> Undoing:
    """The last action. Raises UsageError where there is none or it cannot be undone."""
    store.refuse_agent()
    with store.read() as reader:
        last = reader.actions.undoing()
    if last is None:
        raise UsageError("there is nothing to undo", "only the last action can be undone, and only once")
    if last.action.kind is ActionKind.FORGET:
        raise UsageError("what was forgotten is gone for good, and earlier actions can no longer be undone")
    if last.action.kind is ActionKind.SYNC:
        raise UsageError(
            "what other machines have sent stays, and earlier actions can no longer be undone",
            "`evermem forget` removes what is not wanted, on all machines",
        )
    return last


@dataclass(frozen=True, slots=True)
class Undo:
    """Undoes the last action and derives the rest anew."""

    store: Store
    consolidation: Consolidation

    def run(self, expected: Undoing) -> None:
        """Undoes the expected action.

        Raises UsageError where another action happened meanwhile, StoreError, StoreBusy.
        """
        with self.store.write() as writer:
            last = writer.reader.actions.undoing()
            if last is None or last.action != expected.action:
                raise UsageError("something else has just been done", "run `evermem undo` again to see what")
            writer.actions.take_back()
        if expected.action.kind is not ActionKind.PRIVACY:
            self.consolidation.run()
            self.consolidation.refresh()
        with self.store.write() as writer:
            writer.actions.restore_dates()
