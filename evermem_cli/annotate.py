"""The workflow that reads stored messages for statements: the tagger reads every message of a person once."""

from dataclasses import dataclass

from evermem_cli.progress import Progress
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.store import Store

# Messages read and committed together: a second or two of work, which is the most an interruption can lose.
SLICE = 1000


@dataclass(frozen=True, slots=True)
class Annotation:
    """Reads the messages that these weights have not read yet, oldest first, in one transaction per slice.

    An interrupted run continues where it stopped. The memory file is not locked while the tagger works.
    """

    store: Store
    tagger: Tagger
    progress: Progress

    def run(self) -> int:
        """Reads all waiting messages; returns how many. Raises StoreError, StoreBusy, ModelError."""
        with self.store.read() as reader:
            waiting = reader.statements.unread_ids(self.tagger.name)
        for done in range(0, len(waiting), SLICE):
            self.progress("statements", done, len(waiting))
            self._read(waiting[done : done + SLICE])
        if waiting:
            self.progress("statements", len(waiting), len(waiting))
        return len(waiting)

    def _read(self, message_ids: list[str]) -> None:
        with self.store.read() as reader:
            passages = [*map(Passage._make, reader.statements.passages(message_ids))]
        statements = [statement for batch in self.tagger.read(passages) for statement in batch]
        with self.store.write() as writer:
            unchanged = set(map(Passage._make, writer.reader.statements.passages(message_ids)))
            read = [passage.message_id for passage in passages if passage in unchanged]
            known = set(read)
            writer.consolidation.put_statements(
                self.tagger.name, read, [statement for statement in statements if statement.message_id in known]
            )
