"""What was learned from work with assistants, as it is asked for, and how much of it an agent is not told."""

from collections.abc import Callable
from dataclasses import replace

from evermem_cli import visibility
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Rule
from evermem_cli.recollection.experience import AgentScope, Experience, known_interactions, known_rules, recall_examples
from evermem_cli.store import Store

__all__ = ["AgentScope", "examples", "interactions", "offered", "rules"]


def examples(session: Session, situation: str, whose: AgentScope, k: int) -> tuple[Experience, int | None]:
    """The k most similar interactions, noted as shown, and how many more their owner would be told of."""

    def ask(store: Store) -> Experience:
        return recall_examples(situation, store, session.question_embedder, whose, k)

    experience = ask(session.store)
    session.store.note_access(experience.ids)
    return experience, _withheld(session, lambda store: ask(store).ids)


def interactions(session: Session, whose: AgentScope) -> tuple[Experience, int | None]:
    """All interactions, and how many more their owner would be told of."""
    experience = known_interactions(session.store, whose)
    return experience, _withheld(session, lambda store: known_interactions(store, whose).ids)


def rules(session: Session, whose: AgentScope, *, retired: bool) -> tuple[list[Rule], int | None, int | None]:
    """Rules, noted as shown, how many more their owner would be told of, and how many are archived.

    None are counted as archived where those are among the rules.
    """
    known = known_rules(session.store, whose, retired=retired)
    session.store.note_access([rule.id for rule in known])
    every = known_rules(session.store, replace(whose, archived=True), retired=retired)
    hidden = _withheld(session, lambda store: {rule.id for rule in known_rules(store, whose, retired=retired)})
    return known, hidden, None if whose.archived else len(every) - len(known)


def offered(session: Session, whose: AgentScope) -> list[Rule]:
    """The rules that an assistant should go by, noted as shown."""
    known = known_rules(session.store, whose, offered=True)
    session.store.note_access([rule.id for rule in known])
    return known


def _withheld(session: Session, ask: Callable[[Store], set[str]]) -> int | None:
    """How much of what the owner would be told is withheld from an agent; None where the owner asks."""
    return visibility.withheld(session, lambda side: ask(side.store))
