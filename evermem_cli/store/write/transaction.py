"""The write transaction: a reader, and a part for each kind of thing that is written."""

import duckdb

from evermem_cli.store.schema.sql import Sql
from evermem_cli.store.search.searcher import Searcher
from evermem_cli.store.write.actions import ActionWriter
from evermem_cli.store.write.chats import ChatWriter
from evermem_cli.store.write.consolidation import ConsolidationWriter
from evermem_cli.store.write.corrections import CorrectionWriter
from evermem_cli.store.write.digests import DigestWriter
from evermem_cli.store.write.entries import SearchEntries
from evermem_cli.store.write.machines import ExchangeWriter
from evermem_cli.store.write.topics import TopicWriter


class Writer:
    """One write transaction, made by `Store.write`; committed when the block ends without an exception.

    `reader` has all queries. Each other part writes one kind of thing: `chats` conversations and messages, `topics`
    MemCells with their episodes, facts and foresights, `consolidation` assertions, scenes and conflicts, `digests`
    digests, `corrections` corrections, `exchange` the changes of other machines. `actions` begins an action of the user
    and undoes the last one.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection  # for plain SQL within the transaction
        sql = Sql(connection)
        entries = SearchEntries(sql)
        self.reader = Searcher(connection)
        self.topics = TopicWriter(sql, entries)
        self.chats = ChatWriter(sql, entries, self.topics)
        self.consolidation = ConsolidationWriter(sql, self.reader.names)
        self.digests = DigestWriter(sql, entries)
        self.actions = ActionWriter(sql, self.consolidation, self.reader.names)
        self.corrections = CorrectionWriter(sql, entries)
        self.exchange = ExchangeWriter(sql, self.chats, self.reader.chats)
