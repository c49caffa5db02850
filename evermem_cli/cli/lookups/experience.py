"""Look-ups of interactions and rules, and how many an agent may not see."""

from collections.abc import Callable
from dataclasses import replace

from evermem_cli import visibility
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import StoreError
from evermem_cli.memory import Rule
from evermem_cli.recollection.experience import AgentScope, Experience, known_interactions, known_rules, recall_examples
from evermem_cli.store import Store

__all__ = ["AgentScope", "examples", "interactions", "offered", "rules"]


def examples(session: Session, situation: str, whose: AgentScope, k: int) -> tuple[Experience, int | None]:
    """The k most similar interactions, marked as shown, and how many more the owner would get."""

    def ask(store: Store) -> Experience:
        return recall_examples(situation, store, session.question_embedder, whose, k)

    StoreError.refuse_absence(session.store.path)  # before a model is fetched
    experience = ask(session.store)
    session.store.note_access(experience.ids)
    return experience, _withheld(session, lambda store: ask(store).ids)


def interactions(session: Session, whose: AgentScope) -> tuple[Experience, int | None]:
    """All interactions, and how many more the owner would get."""
    experience = known_interactions(session.store, whose)
    return experience, _withheld(session, lambda store: known_interactions(store, whose).ids)


def rules(session: Session, whose: AgentScope, *, retired: bool) -> tuple[list[Rule], int | None, int | None]:
    """Rules, marked as shown, how many more the owner would get, and how many are archived.

    The last number is 0 where archived rules are included.
    """
    known = known_rules(session.store, whose, retired=retired)
    session.store.note_access([rule.id for rule in known])
    every = known_rules(session.store, replace(whose, archived=True), retired=retired)
    hidden = _withheld(session, lambda store: {rule.id for rule in known_rules(store, whose, retired=retired)})
    return known, hidden, None if whose.archived else len(every) - len(known)


def offered(session: Session, whose: AgentScope) -> list[Rule]:
    """The active rules for assistants, marked as shown."""
    known = known_rules(session.store, whose, offered=True)
    session.store.note_access([rule.id for rule in known])
    return known


def _withheld(session: Session, ask: Callable[[Store], set[str]]) -> int | None:
    """How much of what the owner would get is withheld from an agent; None where the owner asks."""
    return visibility.withheld(session, lambda side: ask(side.store))
