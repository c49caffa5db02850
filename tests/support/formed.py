"""Forms one MemCell as `enrich` does, without a memory file."""

from itertools import pairwise

from evermem_cli.config import Settings
from evermem_cli.engines import Llm
from evermem_cli.formation.extract import complete, draft, finish
from evermem_cli.formation.sentences.statements import TaggedStatements
from evermem_cli.memory import MemCell, Role, Traces
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger

_HIGHLIGHTER, _TAGGER = Highlighter(), Tagger()


def form_traces(cell: MemCell, llm: Llm, settings: Settings, read: TaggedStatements | None = None) -> Traces:
    """Forms everything that the policy asks of a MemCell, whose messages the tagger reads where `read` is None.

    Raises GenerationError, ModelError.
    """
    [made] = draft([cell], settings, _HIGHLIGHTER, tagged(cell) if read is None else read)
    [replies] = complete([made], llm)
    return finish(made, replies, settings)


def tagged(cell: MemCell) -> TaggedStatements:
    """What the tagger reads in the messages of people."""
    own = [
        Passage(message.id, message.text, before.text if before else "")
        for before, message in pairwise([None, *cell.messages])
        if message and message.role is not Role.ASSISTANT
    ]
    return {passage.message_id: read for passage, read in zip(own, _TAGGER.read(own), strict=True)}
