"""The steps by which commands form memories: by code at once, then by the language model where it has a task."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.enrich import EnrichReport

BY_CODE_ALONE = "code alone forms memories"


def model_has_part(session: Session) -> bool:
    """Whether the language model has a task while memories are formed, whether it is available or not."""
    from evermem_cli.enrich import has_model_tasks

    return has_model_tasks(session.engines.tasks)


def model_forms(session: Session) -> bool:
    """Whether the language model has a task and is available; says once what follows where it is not."""
    return model_has_part(session) and not session.engines.lacks_llm(BY_CODE_ALONE)


def form(session: Session, *, with_llm: bool) -> EnrichReport:
    """Forms memories of what is new by code, and then, `with_llm`, with the model. Raises EvermemError."""
    made = form_by_code(session)
    return made.followed_by(form_with_model(session)) if with_llm else made


def form_by_code(session: Session, *, closed: bool = False, chats: Collection[str] | None = None) -> EnrichReport:
    """Reads new messages for statements, and forms what code forms, of all or of these conversations.

    With `closed`, topics that may still grow are left out. Raises EvermemError.
    """
    from evermem_cli.annotate import Annotation
    from evermem_cli.cli.shared.progress import working
    from evermem_cli.enrich import Enrichment

    settings = replace(session.settings, tasks=session.engines.tasks)
    with working(session.stderr) as progress:
        Annotation(session.store, session.engines.tagger, progress).run()
        return Enrichment(session.store, session.embedder, None, settings, progress, closed, chats).run()


def form_with_model(
    session: Session, *, closed: bool = False, chats: Collection[str] | None = None, by_code: bool = False
) -> EnrichReport:
    """Has the model do its part for all that waits, or for these conversations; notes failures on stderr.

    With `closed`, topics that may still grow are left out. With `by_code`, the model also goes through what was formed
    when it had no part in it. Raises EvermemError.
    """
    from evermem_cli.cli.shared import hook_failure
    from evermem_cli.cli.shared.progress import working
    from evermem_cli.enrich import Enrichment

    settings = replace(session.settings, tasks=session.engines.tasks)
    store, embedder = session.store, session.embedder
    with working(session.stderr) as progress:
        made = Enrichment(store, embedder, lambda: session.llm, settings, progress, closed, chats, by_code).run()
    for event_id, reason in made.failed.items():
        session.note(f"{event_id}: {reason}; `evermem enrich` tries it again")
    hook_failure.settle(settings, hook_failure.FORMING)
    return made
