"""Publishing: a machine writes everything that it knows, also from other machines, into its bundle."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evermem_cli.store import Exchanged, Sharing
from evermem_cli.store.transfer.portable import plain
from evermem_cli.sync.bundles import SyncDraft
from evermem_cli.sync.lines import documents
from evermem_cli.sync.marks import GONE_LINE, Document, Presence, Thing, mark_of, thing_of
from evermem_cli.sync.meeting import Meeting


@dataclass(slots=True)
class Publishing:
    """Writes the merged state as far as memory has it. Changes made in the meantime are left to the next sync.

    So are the messages of a chat whose own line is left: without it no machine can store them."""

    sharing: Sharing
    meeting: Meeting
    exchanged: dict[Thing, Exchanged] = field(default_factory=dict)

    def write(self, draft: SyncDraft, replica: str) -> dict[Thing, Exchanged | None]:
        """Writes all but the last line of a bundle. Returns the things whose state memory has not noted yet."""
        draft.begin(replica)
        for document in self.documents():
            draft.put({**document})
        return self.unnoted()

    def unnoted(self) -> dict[Thing, Exchanged | None]:
        """The published things whose state memory has not noted yet; None for those that no longer exist."""
        before = self.sharing.exchanged()
        changed: dict[Thing, Exchanged | None] = {
            thing: stands for thing, stands in self.exchanged.items() if before.get(thing) != stands
        }
        return changed | {thing: None for thing in before if self.meeting.mark(thing) is None}

    def documents(self) -> Iterator[Document]:
        """The document of each thing, with its mark and place."""
        reader = self.sharing.reader
        names = {user: [*reader.names.ownership(user).names] for user in reader.names.owners()}
        left = set[Thing]()
        for document in documents(self.sharing, names):
            thing = thing_of(document)
            mark, place = self.meeting.mark(thing), self.meeting.held.places.get(thing[1])
            if mark is None or mark.digest != mark_of(document, 0).digest:
                left.add(thing)
                continue
            if document["type"] != "message":
                self.exchanged[thing] = Exchanged(mark.revision, mark.digest)
                yield {**document, "revision": mark.revision}
            elif place is not None and ("conversation", document["conversation"]) not in left:
                self.exchanged[thing] = Exchanged(mark.revision, mark.digest, place)
                yield {**document, "revision": mark.revision, "place": [plain(place[0]), place[1]]}
        marks = self.meeting.held.marks | {thing: entry.mark for thing, entry in self.meeting.winners.items()}
        for thing, mark in sorted(entry for entry in marks.items() if entry[1].presence is Presence.GONE):
            self.exchanged[thing] = Exchanged(mark.revision, mark.digest)
            yield {"type": GONE_LINE, "kind": thing[0], "name": thing[1], "revision": mark.revision}
