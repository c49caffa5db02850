"""Commands that show what is there and change nothing: list, show, status, doctor, when, formats, config."""

from enum import StrEnum
from typing import Annotated

import typer

from evermem_cli.cli.commands.learning import list_interactions, list_rules
from evermem_cli.cli.shared.options import Agent, Assistant, Db, Embedder, Json, Llm, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.errors import UsageError


class Listed(StrEnum):
    """What `list` can list."""

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


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    app.command("list")(list_)
    app.command("show")(show_)
    for command in (status, doctor, when, formats, config):
        app.command()(command)


def list_(
    kind: Annotated[Listed, typer.Argument(help="What to list.")],
    assistant: Assistant = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="As it was then.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="What has faded from memory instead.")] = False,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List memories of one kind, oldest first."""
    from evermem_cli.cli.lookups import memories, strengths
    from evermem_cli.cli.presentation import documents, listings
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
    if learned := {Listed.INTERACTIONS: list_interactions, Listed.RULES: list_rules}.get(kind):
        return learned(session, assistant, json)
    if kind is Listed.ASSERTIONS:
        from evermem_cli.cli.actions.assertions import list_assertions

        return list_assertions(session, json)
    if kind is Listed.CORRECTIONS:
        from evermem_cli.cli.actions.corrections import list_corrections

        return list_corrections(session, json)
    if assistant:
        raise UsageError("--agent is for interactions and rules", "`evermem list interactions --agent travel`")
    found = strengths.listing(session, kind.value, as_of, archived=archived)
    hidden = memories.withheld(session, strengths.listing, kind.value, as_of, archived=archived)
    document, screen = documents.listing(kind.value, found), listings.listing(found, session.zone)
    show(document, screen, as_json=json, withheld=hidden, archived=found.archived)


def show_(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="An id, or enough of its beginning.")],
    agent: Agent = None,
    reason: Reason = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Show a memory, its messages, and what was made of them."""
    from rich.console import Group

    from evermem_cli.cli.lookups import memories, strengths
    from evermem_cli.cli.presentation import documents, records, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, db=db)
    known, found = strengths.standing(session, memory_id), strengths.contents(session, memory_id)
    hidden = memories.withheld(session, memories.contents, memory_id)
    screen = Group(records.screen(known, session.zone), screens.contents(found, session.zone))
    show(records.document(known) | documents.contents(found), screen, as_json=json, withheld=hidden)


def status(agent: Agent = None, reason: Reason = None, db: Db = None, json: Json = False) -> None:
    """What the file holds and what is still to do."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.session import Session

    session = Session.open(agent=agent, reason=reason, db=db)
    found, path = session.status(), session.settings.db
    show(documents.status(found, path), screens.status(found, path), as_json=json)


def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read every block and row of the file.")] = False,
    llm: Llm = None,
    embedder: Embedder = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Check file, models and index; say what to do next."""
    from evermem_cli.cli.actions import diagnosis
    from evermem_cli.cli.shared.session import Session

    checks = diagnosis.examine(Session.open(llm=llm, embedder=embedder, db=db), deep=deep)
    show(diagnosis.document(checks), diagnosis.screen(checks), as_json=json)
    raise typer.Exit(diagnosis.code(checks))


def when(
    phrase: Annotated[str, typer.Argument(help="A time phrase or a sentence; - reads one per line on stdin.")],
    at: Annotated[str | None, typer.Option(metavar="TIME", help="When it is said; now if not given.")] = None,
    json: Json = False,
) -> None:
    """Show how a time phrase is understood. The end is exclusive."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.queries import queries
    from evermem_cli.cli.shared.session import Session

    session = Session.open()
    for each in queries(phrase, "phrase"):
        meant = memories.when(session, each, at)
        show(documents.when(meant), screens.when(meant), as_json=json or phrase == "-")


def formats(json: Json = False) -> None:
    """List the chat exports that are read, and how to get each."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.transcripts import FORMATS

    show(documents.formats(FORMATS), screens.formats(FORMATS), as_json=json)


def config(json: Json = False) -> None:
    """Show the settings in force and where to change them."""
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.session import Session

    settings = Session.open().settings
    show(documents.config(settings), screens.config(settings), as_json=json)
