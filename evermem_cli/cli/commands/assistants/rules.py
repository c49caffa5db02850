"""`rules`: lists and changes the rules that assistants were taught."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from evermem_cli.cli.actions.experience import list_rules
from evermem_cli.cli.shared.command_groups import CommandGroups
from evermem_cli.cli.shared.options import Agent, Archived, Assistant, Db, Json, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.memory import AgentType, Rule

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session

rules_app = typer.Typer(
    name="rules",
    help="List and change the rules that assistants were taught.",
    cls=CommandGroups,
    rich_markup_mode=None,
)
RuleId = Annotated[str, typer.Argument(metavar="ID", help="A rule's id, or the beginning of it.")]


@rules_app.callback(invoke_without_command=True)
def rules(
    context: typer.Context,
    assistant: Assistant = None,
    as_prompt: Annotated[bool, typer.Option("--as-prompt", help="Print the rules as part of a prompt.")] = False,
    retired: Annotated[bool, typer.Option("--retired", help="Include retired rules.")] = False,
    archived: Archived = False,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """List the rules that assistants were taught."""
    from evermem_cli.cli.shared.session import Session

    if context.invoked_subcommand is None:
        session = Session.open(agent=agent, reason=reason, user=user, db=db).of_owner()
        if as_prompt:
            _prompt(session, assistant, json)
        else:
            list_rules(session, assistant, json, retired=retired, archived=archived)


@rules_app.command()
def override(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Record that you acted against a rule. The third override retires the rule."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.override, user, db, json)


@rules_app.command()
def validate(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Confirm a rule. A retired rule becomes active again."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.validate, user, db, json)


@rules_app.command()
def retire(rule_id: RuleId, user: User = None, db: Db = None, json: Json = False) -> None:
    """Stop using a rule and never propose it again."""
    from evermem_cli.experience import rules

    _change(rule_id, rules.retire, user, db, json)


def _prompt(session: "Session", assistant: AgentType | None, as_json: bool) -> None:
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    offered = experience.offered(session, experience.AgentScope(session.settings.user, assistant))
    text = learned.prompt(offered)
    show({"prompt": text}, text, as_json=as_json)


def _change(
    rule_id: str, change: Callable[[Rule, datetime], Rule], user: str | None, db: str | None, as_json: bool
) -> None:
    from evermem_cli.cli.presentation import learned
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.recollection.experience import change_rule

    session = Session.open(user=user, db=db).of_owner()
    changed = [change_rule(session.store, rule_id, session.settings.user, change)]
    show(learned.rules_document(changed), learned.rules_screen(changed, session.zone), as_json=as_json)
