"""The read transaction: a part for each kind of thing that is read, and one that searches."""

import duckdb

from evermem_cli.store.lifecycle.strength import StrengthReader
from evermem_cli.store.privacy.counts import WithheldReader
from evermem_cli.store.read.actions import ActionReader
from evermem_cli.store.read.chats import ChatReader
from evermem_cli.store.read.consolidation import ConsolidationReader
from evermem_cli.store.read.corrections import CorrectionReader
from evermem_cli.store.read.digests import DigestReader
from evermem_cli.store.read.entities import EntityReader
from evermem_cli.store.read.messages import MessageReader
from evermem_cli.store.read.meta import MetaReader
from evermem_cli.store.read.names import NameReader
from evermem_cli.store.read.overview import OverviewReader
from evermem_cli.store.read.records import RecordReader
from evermem_cli.store.read.sources import SourceReader
from evermem_cli.store.read.statements import StatementReader
from evermem_cli.store.read.topics import TopicReader
from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.candidates import CandidateReader
from evermem_cli.store.search.entries import VisibleEntries
from evermem_cli.store.search.entries_in_file import EntriesInFile
from evermem_cli.store.search.entries_in_memory import LoadedEntries
from evermem_cli.store.search.scans import Scans


class Searcher:
    """One read transaction, made by `Store.read`. Nothing is read before a part is asked.

    `candidates` searches. Of the other parts, `chats` reads conversations, `messages` messages, `sources` the messages
    behind memories, `statements` what a tagger found in messages, `topics` MemCells with their episodes, facts and
    foresights, `digests` digests, and `consolidation` assertions, scenes and conflicts. `names` and `entities` know the
    people, `records` the properties of any memory, `strengths` how strong memories are, `corrections` and `actions`
    what the user changed, `meta` and `overview` the file itself, and `withheld` how much is hidden from the asker.

    With `visible`, searches look through these entries in memory instead of the file.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, visible: VisibleEntries | None = None) -> None:
        self.connection = connection  # for plain SQL within the transaction
        sql = Sql(connection, visible.known if visible else None)
        self.meta = MetaReader(sql)
        self.sources = SourceReader(sql, visible)
        self.chats = ChatReader(sql, self.meta)
        self.messages = MessageReader(sql, by_index=visible is not None)
        self.statements = StatementReader(sql)
        self.topics = TopicReader(sql, self.sources)
        self.digests = DigestReader(sql, self.sources)
        self.names = NameReader(sql)
        self.entities = EntityReader(sql)
        self.consolidation = ConsolidationReader(sql, self.meta, self.sources, self.names)
        self.records = RecordReader(sql, self.consolidation)
        self.corrections = CorrectionReader(sql, self.topics, self.consolidation)
        self.actions = ActionReader(sql)
        self.overview = OverviewReader(sql, self.meta)
        self.withheld = WithheldReader(sql)
        self.strengths = StrengthReader(sql)
        scans = Scans(sql, self.meta)
        entries = LoadedEntries(scans, self.strengths, visible) if visible else EntriesInFile(scans, self.strengths)
        self.candidates = CandidateReader(scans, entries, self.strengths, self.messages, self.sources)
