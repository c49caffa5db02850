"""Taking the last action back: what it added goes, what it changed is as it was."""

from collections.abc import Callable
from dataclasses import dataclass

from evermem_cli.consolidate import Consolidation
from evermem_cli.errors import UsageError
from evermem_cli.memory import ActionKind, Undoing
from evermem_cli.store import Store


def last_action(store: Store) -> Undoing:
    """What would be taken back. Raises UsageError where there is nothing, or what cannot be taken back."""
    store.refuse_agent()
    with store.read() as reader:
        found = reader.undoing()
    if found is None:
        raise UsageError("there is nothing to undo", "only the last action can be undone, and only once")
    if found.action.kind is ActionKind.FORGET:
        raise UsageError("what was forgotten is gone for good, and what was done before can be undone no more")
    if found.action.kind is ActionKind.SYNC:
        raise UsageError(
            "what other machines have sent stays, and what was done before can be undone no more",
            "`evermem forget` takes away what is not wanted, on all machines",
        )
    return found


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes the last action back, and draws anew what follows from the rest."""

    store: Store
    consolidation: Callable[[], Consolidation]  # whose models not every action needs

    def run(self, expected: Undoing) -> None:
        """Takes back what was shown.

        Raises UsageError where something else was done meanwhile, StoreError, StoreBusy.
        """
        with self.store.write() as writer:
            found = writer.undoing()
            if found is None or found.action != expected.action:
                raise UsageError("something else has just been done", "run `evermem undo` again to see what")
            writer.take_back()
        if expected.action.kind is not ActionKind.PRIVACY:
            consolidation = self.consolidation()
            consolidation.run()
            consolidation.refresh()
        with self.store.write() as writer:
            writer.settle_dates()
