"""Look-ups of memories, and how many an agent may not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from evermem_cli import visibility
from evermem_cli.cli.shared.options import moment
from evermem_cli.cli.shared.session import WHOSE, Session
from evermem_cli.config import zone
from evermem_cli.errors import EngineMissing, StoreError
from evermem_cli.memory import (
    CellContents,
    ChatOutline,
    Conversation,
    Digest,
    Episode,
    Evidence,
    Fact,
    FactSupport,
    Filter,
    Foresight,
    MemCell,
    Message,
    Mode,
    Scene,
    SearchResults,
    Strength,
)
from evermem_cli.visibility import CountedAs

# What only some commands need is imported by them, so that a search does not load what an answer needs.
if TYPE_CHECKING:
    from evermem_cli.recollection.generation.answers import Answer
    from evermem_cli.store import Searcher
    from evermem_cli.timespan import Interval, Span

MOST_NAMED = 5  # owners named in a note
EVIDENCE = 15  # results behind an answer, among which withheld ones are counted
Memory = MemCell | Episode | Fact | Foresight | Conversation | Scene | Digest


@dataclass(frozen=True, slots=True)
class Listing:
    """Memories of one kind, the messages they cite by id, and their strengths."""

    items: tuple[Memory, ...]
    messages: dict[str, Message] = field(default_factory=dict)
    strengths: dict[str, Strength] = field(default_factory=dict)  # by id of the items that have one
    supports: dict[str, FactSupport] = field(
        default_factory=dict
    )  # by id of the facts that others confirm or contradict
    outlines: dict[str, ChatOutline] = field(default_factory=dict)  # by id of the conversations that have messages
    topics: dict[str, Episode] = field(default_factory=dict)  # by id of what the facts belong to
    owner: str = ""  # the user who owns these memories
    archived: int | None = None  # number of items left out; None where the kind does not fade


@dataclass(frozen=True, slots=True)
class PhraseMeaning:
    """What a time phrase means: as a whole, and the phrases in it where it is a sentence."""

    phrase: str
    at: datetime
    interval: Interval | None
    spans: tuple[Span, ...]


def search(session: Session, query: str, where: Filter, k: int, *, closely: bool = False) -> SearchResults:
    """The k best memories; `closely` reranks them."""
    from evermem_cli.languages.language import language
    from evermem_cli.recollection.search.find import look_up
    from evermem_cli.recollection.search.rerank import MOST_RERANKED, look_closer

    StoreError.refuse_absence(session.store.path)  # before a model is fetched
    most = max(k, MOST_RERANKED) if closely else k
    results = look_up(query, session.store, session.question_embedder, where, most, session.engines.tagger)
    if not closely:
        return results
    if language(query) not in session.reranker.languages:
        named = session.settings.reranker
        session.note(f"{named} does not read the language of this query, so the order stays; see the setting reranker")
    items = look_closer(query, results.items, session.store, session.reranker)
    return replace(results, items=tuple(items[:k]))


@contextmanager
def at_once(session: Session) -> Iterator[Session]:
    """The same session with the file opened once for all reading within the block, which writes nothing.

    Raises StoreError, StoreBusy.
    """
    with session.store.at_once() as opened:
        yield replace(session, lent=session.engines, opened=opened)


def note_shown(session: Session, results: Iterable[Evidence]) -> None:
    """Records that the user was shown these results, which strengthens them.

    If nothing is shown and no chat is the user's, says whose chats the file has.
    """
    ids = [result.id for result in results]
    session.store.note_access(ids)
    if not ids and not session.settings.agent and (owners := session.others()):
        session.note(f"{WHOSE.format(', '.join(owners[:MOST_NAMED]))}: look with --user {owners[0]}")


def ask(
    session: Session,
    question: str,
    where: Filter,
    mode: Mode,
    stream: Callable[[str], None],
    go_on: Callable[[], None] = lambda: None,
) -> Answer:
    """The answer as of the filter's moment, else now; `stream` receives its text. `go_on` raises to end the work.

    Where only a language model could write it and none is available, the evidence alone, with a note.
    """
    from evermem_cli.ask import Asking

    now = where.as_of or datetime.now(session.zone)
    asking = Asking(
        store=session.store,
        embedder=session.question_embedder,
        check=session.engines.answerability,
        tagger=session.engines.tagger,
        llm=session.settings.llm,
        load_llm=lambda: session.engines.llm_for_answers,
        budget=session.settings.context_budget,
        mode=mode,
        on_text=stream,
        on_round=lambda query: session.note(f"searching for: {query}"),
        go_on=go_on,
    )
    asked = (question, replace(where, as_of=now), now)
    try:
        said = asking.ask(*asked)
    except EngineMissing as error:
        session.engines.note_once(f"{error.message}, so only the evidence is shown; {error.hint}")
        said = replace(asking, mode=Mode.LIGHT).ask(*asked)
    if said.recollection.left_out:
        session.note(f"{said.recollection.left_out} more topics belong to this story; `evermem timeline` has all")
    return said


def ask_code(session: Session, question: str, where: Filter, stream: Callable[[str], None]) -> Answer:
    """The answer that needs no language model, else the evidence alone; `stream` receives the answer's text."""
    said = ask(session, question, where, Mode.LIGHT, stream)
    if said.by_code is None:
        return said
    stream(said.by_code.text)
    return said.by_code


def waiting(session: Session) -> int:
    """How many topics of this user's chats have no memories yet, which `evermem enrich` forms."""
    with session.store.read() as reader:
        own = reader.topics.memcell_ids(session.settings.user)
        return len(set(own).intersection(reader.topics.pending_ids(unformed=True)))


def listing(session: Session, kind: str) -> Listing:
    """All memories of one kind that this user may see, oldest first, with the messages that they cite."""
    user = session.settings.user
    with session.store.read() as reader:
        cells = reader.topics.memcell_ids(user)
        match kind:
            case "memcells":
                return Listing(items=tuple(reader.topics.memcells(cells)))
            case "conversations":
                return Listing(items=tuple(reader.chats.of(user)), outlines=reader.chats.outlines(user))
            case "scenes":
                return Listing(items=tuple(reader.consolidation.scenes(user)))
            case "digests":
                return _cited(reader, reader.digests.of(user))
            case "episodes":
                return Listing(items=tuple(reader.topics.episodes_for(user)), owner=user)
            case "facts":
                return replace(
                    _cited(reader, reader.topics.facts(cells)), topics=_topics(reader.topics.episodes_for(user))
                )
            case _:
                return _cited(reader, reader.topics.foresights(cells))


def _cited(reader: Searcher, items: Sequence[Fact] | Sequence[Foresight] | Sequence[Digest]) -> Listing:
    cited = {message_id for item in items for message_id in item.message_ids}
    return Listing(items=tuple(items), messages=reader.messages.by_id(cited))


def _topics(episodes: Sequence[Episode]) -> dict[str, Episode]:
    """Episodes by their own ids and those of their MemCells; of several of one MemCell, everybody's first."""
    ordered = sorted(episodes, key=lambda episode: episode.user_id is None)
    of_cells = {cell_id: episode for episode in ordered for cell_id in episode.memcell_event_id_list}
    return of_cells | {episode.id: episode for episode in ordered}


def contents(session: Session, prefix: str) -> list[CellContents]:
    """The MemCells behind an id or the beginning of one. Raises UsageError for an unknown id."""
    with replace(session.store, access=None).read() as reader:
        memory_id = reader.records.resolve(prefix)  # it is no secret that such a memory exists
    with session.store.read() as reader:
        return reader.topics.contents(memory_id)


def chat(session: Session, prefix: str) -> Listing:
    """The conversation of which this is the id or its beginning; empty for any memory and where it may not be seen."""
    with replace(session.store, access=None).read() as reader:
        chat_id = reader.records.resolve(prefix)
    with session.store.read() as reader:
        chats = tuple(chat for chat in reader.chats.of(session.settings.user) if chat.id == chat_id)
        return Listing(items=chats, outlines=reader.chats.outlines(session.settings.user) if chats else {})


def when(session: Session, asked: dict[str, Any], at: str | None) -> PhraseMeaning:
    """What a phrase or a sentence means. "at" and "tz" in the line take precedence over the options."""
    from evermem_cli import timespan

    own_zone = zone(str(asked["tz"])) if asked.get("tz") else session.zone
    said_at = moment(asked.get("at", at), own_zone, end=False) or datetime.now(own_zone)
    text = str(asked["query"])
    return PhraseMeaning(
        phrase=text,
        at=said_at,
        interval=timespan.resolve(text, said_at),
        spans=tuple(timespan.find(text, said_at)),
    )


def withheld(
    session: Session, ask: Callable[..., Iterable[CellContents] | SearchResults | Listing], *asked: Any, **options: Any
) -> int | None:
    """How much of what the owner would get is withheld from the agent; None where the owner asks.

    `ask` is the look-up of this module that was called.
    """

    def ids_of_answer(side: Session) -> set[str]:
        answer = ask(side, *asked, **options)
        items = answer.items if isinstance(answer, Listing | SearchResults) else answer
        return set().union(*(ids_of(item) for item in items))

    return visibility.withheld(session, ids_of_answer, CountedAs.SAID if ask is search else CountedAs.STORED)


def withheld_contents(session: Session, prefix: str) -> int | None:
    """How much of `contents` is withheld from the agent: 1 where the memory itself is. None where the owner asks."""
    if session.store.access is not None:
        with replace(session.store, access=None).read() as owner:
            memory_id = owner.records.resolve(prefix)
        with session.store.read_withheld() as reader:
            if reader.count([memory_id]):
                return 1
    return withheld(session, contents, prefix)


def ids_of(result: Evidence | CellContents | Memory) -> set[str]:
    """The ids of a result and of everything in it."""
    match result:
        case CellContents():
            drawn: tuple[Episode | Fact | Foresight, ...] = (*result.episodes, *result.facts, *result.foresights)
            return ids_of(result.cell) | {item.id for item in drawn}
        case MemCell():
            return {result.event_id, *(message.id for message in result.messages)}
        case Scene():
            return {result.scene_id}
        case _:
            return {result.id}
