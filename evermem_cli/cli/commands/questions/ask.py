"""`ask`: answers a question."""

from typing import Annotated

import typer

from evermem_cli.cli.shared.options import (
    Agent,
    Archived,
    AsOf,
    Db,
    Embedder,
    Explain,
    Json,
    KnownAt,
    Llm,
    Reason,
    User,
)
from evermem_cli.cli.shared.output import ignore, show, write
from evermem_cli.cli.shared.queries import MOST_RESULTS, worded
from evermem_cli.memory import Mode


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question, or - for one per line on stdin.")],
    k: Annotated[
        int,
        typer.Option("-k", metavar="N", min=1, max=MOST_RESULTS, help="The most results to show where no answer is."),
    ] = 8,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    mode: Annotated[
        Mode,
        typer.Option(metavar="MODE", help="light: evidence, no model; standard: one search; agentic: several."),
    ] = Mode.STANDARD,
    no_llm: Annotated[
        bool, typer.Option("--no-llm", help="Answer what needs no language model, else show the evidence.")
    ] = False,
    archived: Archived = False,
    explain: Explain = False,
    llm: Llm = None,
    embedder: Embedder = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Answer a question from memory, with citations."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents, screens
    from evermem_cli.cli.shared.reasons import withheld_hint
    from evermem_cli.cli.shared.session import Session

    flags = {"llm": llm, "embedder": embedder, "agent": agent, "reason": reason, "user": user, "db": db}
    session = Session.open(**flags).of_owner()
    for entry in worded(question, "question"):
        where = session.filter(as_of=entry.get("as_of", as_of), known_at=known_at, archived=archived)
        as_json = json or question == "-"
        asked = (session, str(entry["query"]), where)
        stream = ignore if as_json else write
        said = memories.ask_code(*asked, stream) if no_llm else memories.ask(*asked, mode, stream)
        said = said.with_most(int(entry.get("k", k)))
        memories.note_shown(session, said.citations)
        hidden = memories.withheld(session, memories.search, str(entry["query"]), where, memories.EVIDENCE)
        screen = screens.answer(said, session.zone, explain=explain)
        show(
            documents.answer(said, explain=explain),
            screen,
            as_json=as_json,
            withheld=hidden,
            hint=withheld_hint(session.settings),
        )
