"""What was told anew: later messages about the same thing as a result, which need not have a word of the question.

"Bruno was at the vet. 34 kilos." is found by "How heavy is Bruno?", and "the vet says 31 now" by that message.
"""

from collections.abc import Sequence
from dataclasses import replace

from evermem_cli.engines import Embedder
from evermem_cli.languages.words import content_stems, content_words
from evermem_cli.memory import NARRATIVES, Evidence, Filter, Message
from evermem_cli.recollection.questions.query import Query
from evermem_cli.recollection.search.find import find
from evermem_cli.recollection.search.ranking import TELLS_NUMBER
from evermem_cli.recollection.search.sittings import SITTING
from evermem_cli.store import Store

LATER = 2  # messages of each result that are read
# The least cosine between two messages about the same thing, unless they share a word.
ALIKE = 0.4


def with_retold(hits: Sequence[Evidence], store: Store, embedder: Embedder, where: Filter) -> list[Evidence]:
    """The hits, each before what was told later about the same thing. Raises StoreError, StoreBusy."""
    known = {hit.id for hit in hits}
    ordered: list[Evidence] = []
    for hit in hits:
        ordered.append(hit)
        if hit.messages and hit.kind not in NARRATIVES:
            later = [one for one in _later(hit.messages[-1], store, embedder, where) if one.id not in known]
            known |= {one.id for one in later}
            ordered += later
    return ordered


def _later(message: Message, store: Store, embedder: Embedder, where: Filter) -> list[Evidence]:
    since = message.said_at + SITTING
    if where.until and since > where.until:
        return []
    query = Query(
        words=tuple(dict.fromkeys(content_words(message.text).split())),
        spoken=message.text,
        stated=message.text,
        asked=message.text,
        speakers=frozenset({message.speaker}),
        intervals=(),
        wants_time=False,
        wants_name=False,
        wants_number=bool(TELLS_NUMBER.search(message.text)),
        people=1,
    )
    hits = find(query, store, embedder, replace(where, since=since), 2 * LATER)
    return [hit for hit in hits if hit.kind not in NARRATIVES and _is_alike(message, hit)][:LATER]


def _is_alike(message: Message, hit: Evidence) -> bool:
    """Whether a message shares a word with another, beside their speakers' names, or is near to it in meaning."""
    names = content_stems(message.speaker)
    shared = content_stems(message.text) & content_stems(hit.text)
    return bool(shared - names) or (hit.cosine or 0.0) >= ALIKE
