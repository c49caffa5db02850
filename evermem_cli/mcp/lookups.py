"""What each tool does: one call of a function that the command line uses too, and the result as a JSON document.

`as_of` and `known_at` state the time of a document. `withheld` counts what the agent may not see.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event

from evermem_cli.cli.lookups import memories, people, privacy
from evermem_cli.cli.presentation import documents
from evermem_cli.cli.presentation.documents import Document, plain
from evermem_cli.cli.shared.options import moment
from evermem_cli.cli.shared.output import ignore
from evermem_cli.cli.shared.queries import has_words
from evermem_cli.cli.shared.reasons import withheld_hint
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import EvermemError, UsageError
from evermem_cli.mcp import arguments
from evermem_cli.mcp.budget import filled
from evermem_cli.memory import Filter, moment_in

IDS = "every tool returns ids: the `id` of a result, and the `message_ids` behind it"
BY_ARGUMENT = "the argument `reason`"
FEW_MESSAGES = 3  # of an entry of a timeline that is too long; the entry itself can be fetched


class Cancelled(Exception):
    """The client has cancelled the call."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: the session of the agent that asks, and whether the client has cancelled.

    `opened_by` is how the agent gives a reason, which opens sensitive memories.
    `scanned` is set where the file was searched because its entries were not in memory.
    """

    session: Session
    cancelled: Event = field(default_factory=Event)
    scanned: Event = field(default_factory=Event)
    opened_by: str = BY_ARGUMENT

    def load_entries(self) -> None:
        """Loads what the agent's next search looks through into memory, unless the file is in use."""
        with suppress(EvermemError):
            self.session.store.load_entries()

    def go_on(self) -> None:
        """Raises Cancelled where the client has cancelled."""
        if self.cancelled.is_set():
            raise Cancelled


def search(call: Call, asked: arguments.Search) -> Document:
    """Finds the memories that fit a query best."""
    session, query = call.session, _worded(asked.query)
    where = session.said_by(asked.person, _filter(session, asked))
    with memories.at_once(session) as once:
        results = memories.search(once, query, where, asked.k)
        if not once.store.is_in_memory:
            call.scanned.set()
    memories.note_shown(session, results.items)
    document = documents.search(query, where.as_of, results) | {"archived": results.archived}
    return document | {"known_at": plain(where.known_at)} | hidden(call, results.withheld)


def fetch(call: Call, asked: arguments.Fetch) -> Document:
    """One memory with its messages and everything derived from them, or an assertion with its messages."""
    from evermem_cli.cli.actions import assertions
    from evermem_cli.cli.lookups import strengths
    from evermem_cli.cli.presentation import records

    session = call.session
    try:
        if assertions.is_assertion(session, asked.id):
            stated, unseen = assertions.assertion_document(session, asked.id)
            return stated | hidden(call, unseen)
        known, cells = strengths.memory_state(session, asked.id), strengths.contents(session, asked.id)
    except UsageError as error:
        raise UsageError(error.message, IDS) from error
    unseen = memories.withheld_contents(session, asked.id)
    return records.document(known) | documents.contents(cells) | hidden(call, unseen)


def ask(call: Call, asked: arguments.Ask) -> Document:
    """Answers a question with the memories behind it, shows these alone, or says that memory does not know."""
    session, question = call.session, _worded(asked.question)
    where = session.filter(as_of=asked.as_of, known_at=asked.known_at)
    said = memories.ask(session, question, where, asked.mode, ignore, call.go_on)
    call.go_on()
    memories.note_shown(session, said.citations)
    unseen = memories.withheld(session, memories.search, question, where, memories.EVIDENCE)
    shown = {"known_at": plain(where.known_at), "evidence_only": bool(said.citations) and not said.text}
    return documents.answer(said) | shown | hidden(call, unseen)


def profile(call: Call, asked: arguments.ProfileOf) -> Document:
    """A person's profile, one row per value."""
    from evermem_cli.cli.presentation import profiles

    session = call.session
    who = (asked.person, asked.as_of, asked.known_at)
    described, messages = people.profile(session, *who, history=asked.history)
    unseen = people.withheld(session, people.profile, *who, history=asked.history)
    document = profiles.profile_document(described, messages, history=asked.history)
    values = {
        name: listed if isinstance(listed, list) else [listed] for name, listed in document["explicit_facts"].items()
    }
    rows = [{"attribute": name} | value for name, listed in values.items() for value in listed]
    known_at = plain(moment(asked.known_at, session.zone, end=True))
    return document | {"explicit_facts": rows, "known_at": known_at} | hidden(call, unseen)


def timeline(call: Call, asked: arguments.Timeline) -> Document:
    """The timeline, latest first. If it is too long, it has the entries nearest to now, with few of their messages."""
    from evermem_cli.cli.presentation import profiles

    session = call.session
    when = (asked.person, asked.theme, asked.since, asked.until)
    events, messages = people.timeline(session, *when)
    unseen = people.withheld(session, people.timeline, *when)
    now = session.now(None)
    nearest = sorted(range(len(events)), key=lambda place: abs(moment_in(events[place].at, session.zone) - now))

    def made(count: int) -> Document:
        chosen = [events[place] for place in sorted(nearest[:count])]
        if count < len(events):
            chosen = [replace(event, message_ids=event.message_ids[:FEW_MESSAGES]) for event in chosen]
        document = profiles.timeline_document(session.settings.user, chosen, messages)
        months = [month | {"entries": month["entries"][::-1]} for month in reversed(document["months"])]
        return document | {"months": months, "as_of": plain(now)} | hidden(call, unseen)

    return filled(made, len(events), asked.max_tokens)


def examples(call: Call, asked: arguments.Examples) -> Document:
    """Earlier requests like this one, and the rules that the user has taught such assistants."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    session = call.session
    whose = experience.AgentScope(session.settings.user, asked.agent_type)
    near, unseen = experience.examples(session, _worded(asked.situation), whose, asked.k)
    document = learned.examples_document(asked.situation, near)
    rules = learned.rules_document(experience.offered(session, whose))
    return document | rules | {"as_of": plain(session.now(None)), "archived": near.archived} | hidden(call, unseen)


def remember(call: Call, asked: arguments.Remember) -> Document:
    """Stores a note of the assistant, marked as its own."""
    from evermem_cli.mcp import agent_notes  # ingestion takes a fifth of the server's start

    note, access = agent_notes.remember(call.session, asked.text), call.session.store.access
    ground = privacy.ground(call.session.as_owner(), note["id"])
    is_hidden = ground is not None and access is not None and ground.tier in access.hidden
    return note | hidden(call, int(is_hidden))


def status(call: Call, asked: arguments.StatusOf) -> Document:
    """The contents of the memory file that the agent may see."""
    session = call.session
    document = documents.status(session.status(), session.settings.db)
    return document | {"agent": session.settings.agent, "may_remember": session.settings.agents_may_remember}


def hidden(call: Call, count: int | None) -> Document:
    """How many memories the agent may not see, and what it can do about them."""
    if not count:
        return {"withheld": 0}
    return {"withheld": count, "withheld_hint": withheld_hint(call.session.settings, call.opened_by)}


def _filter(session: Session, asked: arguments.Search) -> Filter:
    return session.filter(
        as_of=asked.as_of, known_at=asked.known_at, since=asked.since, until=asked.until, kinds=list(asked.kind)
    )


def _worded(text: str) -> str:
    if not has_words(text):
        raise UsageError("the question has no words", "write what to look for")
    return text
