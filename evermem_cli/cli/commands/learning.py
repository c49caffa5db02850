"""Commands about what was learned from work with an assistant: examples and rules."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Archived, Assistant, Db, Embedder, Json, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.memory import AgentType, Rule

if TYPE_CHECKING:
    from pathlib import Path

    from evermem_cli.cli.shared.session import Session

rules_app = typer.Typer(rich_markup_mode=None)
RuleId = Annotated[str, typer.Argument(metavar="ID", help="A rule's id, or enough of its beginning.")]


def register(app: typer.Typer) -> None:
    """Adds this group's commands."""
    app.command()(examples)
    app.add_typer(rules_app, name="rules", help="What assistants have been taught: list, override, validate, retire.")


def examples(
    situation: Annotated[str, typer.Argument(help="What is to be done, such as: booking a flight.")],
    assistant: Assistant = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many.")] = 3,
    archived: Archived = False,
    embedder: Embedder = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Earlier requests like this one, what was done, how it went."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, agent=agent, reason=reason, user=user, db=db)
    whose = experience.AgentScope(session.settings.user, assistant, archived)
    found, hidden = experience.examples(session, situation, whose, k)
    document, screen = learned.examples_document(situation, found), learned.experience_screen(found, session.zone)
    show(document, screen, as_json=json, withheld=hidden, archived=found.archived)


@rules_app.callback(invoke_without_command=True)
def rules(
    context: typer.Context,
    assistant: Assistant = None,
    as_prompt: Annotated[bool, typer.Option("--as-prompt", help="Print them as a piece of a prompt.")] = False,
    retired: Annotated[bool, typer.Option("--retired", help="Retired ones too.")] = False,
    archived: Archived = False,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """What assistants have been taught: list, override, validate, retire."""
    from evermem_cli.cli.shared.session import Session

    if context.invoked_subcommand is None:
        session = Session.open(agent=agent, reason=reason, user=user, db=db)
        if as_prompt:
            _prompt(session, assistant, json)
        else:
            list_rules(session, assistant, json, retired=retired, archived=archived)


@rules_app.command()
def override(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Say that you did otherwise; the third time retires the rule."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.override, user, db, json)


@rules_app.command()
def validate(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Say that the rule holds; a retired one is back."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.validate, user, db, json)


@rules_app.command()
def retire(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Go by the rule no longer, and never propose it again."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.retire, user, db, json)


def list_interactions(session: "Session", assistant: AgentType | None, as_json: bool) -> None:
    """`list interactions`."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    whose = experience.AgentScope(session.settings.user, assistant)
    found, hidden = experience.interactions(session, whose)
    show(
        learned.interactions_document(found),
        learned.experience_screen(found, session.zone),
        as_json=as_json,
        withheld=hidden,
    )


def list_rules(
    session: "Session",
    assistant: AgentType | None,
    as_json: bool,
    *,
    retired: bool = False,
    archived: bool = True,
) -> None:
    """`list rules`, and `rules` without a command, which leaves out what is archived."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    whose = experience.AgentScope(session.settings.user, assistant, archived)
    found, hidden, faded = experience.rules(session, whose, retired=retired)
    document, screen = learned.rules_document(found), learned.rules_screen(found, session.zone)
    show(document, screen, as_json=as_json, withheld=hidden, archived=faded)


def _prompt(session: "Session", assistant: AgentType | None, as_json: bool) -> None:
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    found = experience.offered(session, experience.AgentScope(session.settings.user, assistant))
    text = learned.prompt(found)
    show({"prompt": text}, text, as_json=as_json)


def _change(
    rule_id: str, change: Callable[[Rule, datetime], Rule], user: str | None, db: "Path | None", as_json: bool
) -> None:
    from evermem_cli.cli.presentation import learned
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.recollection.experience import change_rule

    session = Session.open(user=user, db=db)
    changed = [change_rule(session.store, rule_id, session.settings.user, change)]
    show(learned.rules_document(changed), learned.rules_screen(changed, session.zone), as_json=as_json)
