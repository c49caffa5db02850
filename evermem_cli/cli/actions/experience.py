"""`list interactions` and `list rules`: what was learned from work with assistants."""

from typing import TYPE_CHECKING

from evermem_cli.cli.shared.output import show
from evermem_cli.memory import AgentType

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session


def list_interactions(session: "Session", assistant: AgentType | None, as_json: bool) -> None:
    """`list interactions`."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    whose = experience.AgentScope(session.settings.user, assistant)
    interactions, hidden = experience.interactions(session, whose)
    show(
        learned.interactions_document(interactions),
        learned.experience_screen(interactions, session.zone),
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
    """`list rules`, and `rules` without a subcommand, which leaves out archived rules."""
    from evermem_cli.cli.lookups import experience
    from evermem_cli.cli.presentation import learned

    whose = experience.AgentScope(session.settings.user, assistant, archived)
    rules, hidden, faded = experience.rules(session, whose, retired=retired)
    document, screen = learned.rules_document(rules), learned.rules_screen(rules, session.zone)
    show(document, screen, as_json=as_json, withheld=hidden, archived=faded)
