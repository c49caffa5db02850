"""The names under which the owner of a memory speaks in chats between people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evermem_cli.consolidate import Consolidation
from evermem_cli.errors import UsageError
from evermem_cli.intake.own_names import only_one
from evermem_cli.memory import Action, ActionKind, NameOwnership, name_given
from evermem_cli.store import Store

NAMED = 6  # people named in an error


@dataclass(frozen=True, slots=True)
class OwnerNames:
    """Assigns the messages of some names to the owner and derives anew everything that depends on it."""

    store: Store
    consolidation: Consolidation
    user: str

    def known(self) -> NameOwnership:
        """The names of the owner and of everybody else. Raises StoreError, StoreBusy.

        Where only exports state which messages are the owner's, it is the name that the user gave for them.
        """
        with self.store.read() as reader:
            known = reader.names.ownership(self.user)
            return known if known.names else replace(known, names=reader.names.stated_owner(self.user))

    def unclaimed(self) -> list[str]:
        """Those who speak where no message is the owner's. Raises StoreError, StoreBusy."""
        with self.store.read() as reader:
            return reader.names.in_chats_without(self.user)

    def assign(self, names: Sequence[str], action: Action | None = None) -> int:
        """Makes these names, and no others, the owner's; returns the number of messages that changed hands.

        The change is part of `action` if given. Raises UsageError for a name under which nobody speaks, StoreError,
        StoreBusy.
        """
        known = self.known()
        own = _as_written(known, names)
        if set(own) == set(known.names) and not set(own) & set(known.others):
            self._go_on()
            return 0  # no change, so nothing to undo
        with self.store.write() as writer:
            writer.actions.begin(action or Action(kind=ActionKind.ME))
            changed = writer.actions.assign_names(self.user, own)
            writer.consolidation.note_unsettled(True)
        self.consolidation.run()
        return changed

    def _go_on(self) -> None:
        """Finishes a run that was killed."""
        with self.store.read() as reader:
            interrupted = reader.consolidation.is_unsettled()
        if interrupted:
            self.consolidation.run()


def _as_written(known: NameOwnership, names: Sequence[str]) -> list[str]:
    """The names as they are written in chats, if need be completed: "Nora" may be Nora Lindqvist."""
    spoken = known.names | known.others
    by_name = {name.casefold(): name for name in spoken} | {name: name for name in spoken}
    written: dict[str, None] = {}
    for name in map(name_given, names):
        exact = by_name.get(name) or by_name.get(name.casefold())
        meant = [exact] if exact else only_one(name, spoken)
        if not meant:
            people = ", ".join([*spoken][:NAMED]) or "nobody"
            raise UsageError(f"{name} does not speak in your chats between people", f"those who speak: {people}")
        written |= dict.fromkeys(meant)
    return [*written]
