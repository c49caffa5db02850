"""What each tool does: one call of what the command line calls too, told as a JSON document.

A document says when it is of: `as_of` and `known_at`. `withheld` counts what the agent may not see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

from evermem_cli.cli.lookups import memories, people
from evermem_cli.cli.presentation import documents
from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.options import moment
from evermem_cli.cli.shared.queries import has_words
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.mcp import arguments
from evermem_cli.memory import Evidence, Filter
from evermem_cli.memory.privacy import REASON_LENGTH

SENSITIVE = (
    f"what is sensitive opens to a reason of more than {REASON_LENGTH} characters, what is private to the user alone"
)
PRIVATE = "these are private: the user alone sees them, with evermem itself"


class Cancelled(Exception):
    """Nobody waits for this call any more."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: memory as the agent that asks may see it, and whether it has stopped waiting."""

    session: Session
    cancelled: Event = field(default_factory=Event)

    def go_on(self, piece: str = "") -> None:
        """Raises Cancelled where nobody waits; called with each piece of an answer."""
        if self.cancelled.is_set():
            raise Cancelled


def search(call: Call, asked: arguments.Search) -> Document:
    """The memories that fit best."""
    session, query = call.session, _worded(asked.query)
    where = session.said_by(asked.person, _filter(session, asked))
    with memories.at_once(session) as once:
        found = memories.search(once, query, where, asked.k)
        call.go_on()
        unseen = memories.withheld(once, memories.search, query, where, asked.k)
    memories.note_shown(session, found.items)
    document = documents.search(query, where.as_of, found.items)
    told = document | {"results": _with_ids(document["results"], found.items), "archived": found.archived}
    return told | {"known_at": plain(where.known_at)} | hidden(session, unseen)


def fetch(call: Call, asked: arguments.Fetch) -> Document:
    """One memory with its messages, and what was made of them."""
    from evermem_cli.cli.lookups import strengths
    from evermem_cli.cli.presentation import records

    session = call.session
    known, found = strengths.memory_state(session, asked.id), strengths.contents(session, asked.id)
    unseen = memories.withheld(session, memories.contents, asked.id)
    return records.document(known) | documents.contents(found) | hidden(session, unseen)


def ask(call: Call, asked: arguments.Ask) -> Document:
    """An answer with the memories it rests on, or that memory does not say."""
    session, question = call.session, _worded(asked.question)
    where = session.filter(as_of=asked.as_of, known_at=asked.known_at)
    said = memories.ask(session, question, where, asked.mode, call.go_on)
    memories.note_shown(session, said.citations)
    unseen = memories.withheld(session, memories.search, question, where, memories.EVIDENCE)
    document = documents.answer(said)
    told = document | {"citations": _with_ids(document["citations"], said.citations)}
    return told | {"known_at": plain(where.known_at)} | hidden(session, unseen)


def profile(call: Call, asked: arguments.ProfileOf) -> Document:
    """Who somebody is, a row for each value."""
    from evermem_cli.cli.presentation import profiles

    session = call.session
    who = (asked.person, asked.as_of, asked.known_at)
    found, messages = people.profile(session, *who, history=asked.history)
    unseen = people.withheld(session, people.profile, *who, history=asked.history)
    document = profiles.profile_document(found, messages, history=asked.history)
    values = {name: told if isinstance(told, list) else [told] for name, told in document["explicit_facts"].items()}
    rows = [{"attribute": name} | value for name, told in values.items() for value in told]
    known_at = plain(moment(asked.known_at, session.zone, end=True))
    return document | {"explicit_facts": rows, "known_at": known_at} | hidden(session, unseen)


def timeline(call: Call, asked: arguments.Timeline) -> Document:
    """What happened and changed, the latest month and entry first: what is left out is the oldest."""
    from evermem_cli.cli.presentation import profiles

    session = call.session
    when = (asked.person, asked.theme, asked.since, asked.until)
    found, messages = people.timeline(session, *when)
    unseen = people.withheld(session, people.timeline, *when)
    document = profiles.timeline_document(session.settings.user, found, messages)
    months = [month | {"entries": month["entries"][::-1]} for month in reversed(document["months"])]
    return document | {"months": months, "as_of": plain(session.now(None))} | hidden(session, unseen)


def examples(call: Call, asked: arguments.Examples) -> Document:
    """How the like of a situation went before, and the rules that the user has taught such assistants."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    session = call.session
    whose = experience.AgentScope(session.settings.user, asked.agent_type)
    found, unseen = experience.examples(session, _worded(asked.situation), whose, asked.k)
    document = learned.examples_document(asked.situation, found)
    rules = learned.rules_document(experience.offered(session, whose))
    return document | rules | {"as_of": plain(session.now(None)), "archived": found.archived} | hidden(session, unseen)


def remember(call: Call, asked: arguments.Remember) -> Document:
    """What the assistant tells, taken in as told by it."""
    from evermem_cli.mcp import agent_notes  # with all that ingests: a fifth of what the server would load at its start

    return agent_notes.remember(call.session, asked.text)


def status(call: Call, asked: arguments.StatusOf) -> Document:
    """What the memory file holds, as far as the agent may see."""
    session = call.session
    document = documents.status(session.status(), session.settings.db)
    return document | {"agent": session.settings.agent, "may_remember": session.settings.agents_may_remember}


def hidden(session: Session, count: int | None) -> Document:
    """How much the agent is not told, and what would open some of it."""
    if not count:
        return {"withheld": count or 0}
    given = len(session.settings.reason.strip()) > REASON_LENGTH
    return {"withheld": count, "withheld_hint": PRIVATE if given else SENSITIVE}


def _filter(session: Session, asked: arguments.Search) -> Filter:
    return session.filter(
        as_of=asked.as_of, known_at=asked.known_at, since=asked.since, until=asked.until, kinds=list(asked.kind)
    )


def _worded(text: str) -> str:
    if not has_words(text):
        raise UsageError("the question has no words", "write what to look for")
    return text


def _with_ids(rows: Sequence[Document], found: Sequence[Evidence]) -> list[Document]:
    """Results with the ids that `fetch` takes, beside those that the transcripts gave their messages."""
    return [
        row | {"message_ids": [message.id for message in each.messages]} for row, each in zip(rows, found, strict=True)
    ]
