"""`people`: lists everybody in the chats. `people merge` and `people split` correct names."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.confirmation import confirm
from evermem_cli.cli.shared.options import Agent, Db, Json, KnownAt, Reason, User, Yes
from evermem_cli.cli.shared.output import show

people_app = typer.Typer(
    name="people",
    help="List everybody in your chats; merge or split names.",
    cls=CommandGroups,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A person, by any name in your chats.")]


@people_app.callback(invoke_without_command=True)
def people(
    context: typer.Context,
    known_at: KnownAt = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List everybody in your chats: who writes, who is mentioned, and your relationship to them."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    if context.invoked_subcommand is None:
        session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
        network = relationships.look(session, None, known_at)
        hidden = relationships.withheld(
            session, lambda whose: relationships.people(relationships.look(whose, None, known_at))
        )
        document, screen = relationships.people_document(network), relationships.people_screen(network)
        show(document, screen, as_json=json, withheld=hidden)


@people_app.command()
def merge(one: Name, other: Name, yes: Yes = False, user: User = None, db: Db = None, json: Json = False) -> None:
    """Declare that two names belong to one person, everywhere and from now on."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    question = "\n".join([*relationships.merge_preview(session, one, other), "Merge them?"])
    confirm(question, yes=yes, instead="add --yes; `people split` takes it back")
    relationships.merge(session, one, other)
    network = relationships.look(session)
    show(relationships.people_document(network, one), relationships.people_screen(network, one), as_json=json)


@people_app.command()
def split(name: Name, user: User = None, db: Db = None, json: Json = False) -> None:
    """Undo the merges of a name."""
    from evermem_cli.cli.actions import relationships
    from evermem_cli.cli.shared.session import Session

    session = Session.open(user=user, db=db)
    relationships.split(session, name)
    network = relationships.look(session)
    show(relationships.people_document(network), relationships.people_screen(network), as_json=json)
