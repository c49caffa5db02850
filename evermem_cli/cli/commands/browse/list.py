"""`list`: lists all memories of a kind."""

from enum import StrEnum
from typing import Annotated

import typer

from evermem_cli.cli.actions.experience import list_interactions, list_rules
from evermem_cli.cli.shared.options import Agent, Assistant, Db, Json, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError


class ListKind(StrEnum):
    """What `list` can list."""

    TOPICS = "topics"
    MEMCELLS = "memcells"
    EPISODES = "episodes"
    FACTS = "facts"
    FORESIGHTS = "foresights"
    ASSERTIONS = "assertions"
    CORRECTIONS = "corrections"
    CONVERSATIONS = "conversations"
    SCENES = "scenes"
    DIGESTS = "digests"
    INTERACTIONS = "interactions"
    RULES = "rules"


def list_(
    kind: Annotated[ListKind, typer.Argument(metavar="KIND", help=f"What to list: {', '.join(ListKind)}.")],
    person: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only what this person said; of topics, those they spoke in."),
    ] = None,
    assistant: Assistant = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="Only what had been said by that time.")
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="List only archived memories.")] = False,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List memories of one kind, oldest first.

    A topic (memcell) is a part of a chat, and an episode is its summary. A fact is a single statement. A foresight is
    something that lies ahead. An assertion is what somebody states about themselves. A scene is a group of related
    topics, and a digest summarises an old scene. An interaction is a request to an assistant and how it went.
    """
    from evermem_cli.cli.lookups import memories, strengths
    from evermem_cli.cli.presentation import documents, listings
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    kind = ListKind.MEMCELLS if kind is ListKind.TOPICS else kind
    if as_of or archived:
        strengths.require_fading(kind.value)
    if person is not None:
        strengths.require_person(kind.value)
    if learned := {ListKind.INTERACTIONS: list_interactions, ListKind.RULES: list_rules}.get(kind):
        return learned(session, assistant, json)
    if assistant:
        raise UsageError("--agent is for interactions and rules", "`evermem list interactions --agent travel`")
    if kind is ListKind.ASSERTIONS:
        from evermem_cli.cli.actions.assertions import list_assertions

        return list_assertions(session, person, json)
    if kind is ListKind.CORRECTIONS:
        from evermem_cli.cli.actions.corrections import list_corrections

        return list_corrections(session, json)
    listing = strengths.listing(session, kind.value, as_of, person, archived=archived)
    hidden = memories.withheld(session, strengths.listing, kind.value, as_of, person, archived=archived)
    document, screen = documents.listing(kind.value, listing), listings.listing(listing, session.zone)
    show(document, screen, as_json=json, withheld=hidden, archived=listing.archived)
