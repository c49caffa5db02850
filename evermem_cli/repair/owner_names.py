"""The names under which the owner of a memory speaks in chats between people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evermem_cli.consolidate import Consolidation
from evermem_cli.errors import UsageError
from evermem_cli.intake.own_names import only_one
from evermem_cli.memory import UNNAMED, Action, ActionKind, NameOwnership, name_given
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
            known, stated = reader.names.ownership(self.user), reader.names.stated_owner(self.user)
        named = {name: count for name, count in stated.items() if name != UNNAMED}
        return known if known.names else replace(known, names=named)

    def is_only_stated(self) -> bool:
        """Whether only exports state which messages are the owner's: nobody speaks under a name that is the owner's.

        Raises StoreError, StoreBusy.
        """
        with self.store.read() as reader:
            return not reader.names.ownership(self.user).names and bool(reader.names.stated_owner(self.user))

    def unclaimed(self) -> list[str]:
        """Those who speak where no message is the owner's. Raises StoreError, StoreBusy."""
        with self.store.read() as reader:
            return reader.names.in_chats_without(self.user)

    def assign(self, names: Sequence[str], action: Action | None = None) -> int:
        """Makes these names, and no others, the owner's; returns the number of messages that changed hands.

        Where only exports state which messages are the owner's, a name under which nobody speaks is what the owner is
        called there, and these messages are counted. The change is part of `action` if given. Raises UsageError for any
        other name under which nobody speaks, StoreError, StoreBusy.
        """
        known = self.known()
        own, new = _as_written(known, names, may_be_new=self.is_only_stated())
        if set(own) == set(known.names) and not set(own) & set(known.others):
            self._go_on()
            return 0  # no change, so nothing to undo
        with self.store.write() as writer:
            writer.actions.begin(action or Action(kind=ActionKind.ME))
            changed = writer.actions.call_owner(self.user, new) if new else writer.actions.assign_names(self.user, own)
            writer.consolidation.note_unsettled(True)
        self.consolidation.run()
        return changed

    def _go_on(self) -> None:
        """Finishes a run that was killed."""
        with self.store.read() as reader:
            interrupted = reader.consolidation.is_unsettled()
        if interrupted:
            self.consolidation.run()


def _as_written(known: NameOwnership, names: Sequence[str], *, may_be_new: bool) -> tuple[list[str], str]:
    """The names as they are written in chats, if need be completed: "Nora" may be Nora Lindqvist.

    A single name under which nobody speaks comes second, if it `may_be_new`; else "" does.
    """
    spoken = known.names | known.others
    by_name = {name.casefold(): name for name in spoken} | {name: name for name in spoken}
    written: dict[str, None] = {}
    for name in map(name_given, names):
        exact = by_name.get(name) or by_name.get(name.casefold())
        meant = [exact] if exact else only_one(name, spoken)
        if not meant and may_be_new and len(names) == 1:
            return [name], name
        if not meant:
            people = ", ".join([*spoken][:NAMED]) or "nobody"
            raise UsageError(f"{name} does not speak in your chats between people", f"those who speak: {people}")
        written |= dict.fromkeys(meant)
    return [*written], ""
