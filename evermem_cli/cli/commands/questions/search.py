"""`search`: finds memories."""

from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, Annotated

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
    Reason,
    Since,
    Until,
    User,
)
from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.queries import MOST_RESULTS, worded

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evermem_cli.memory import SearchResults


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What to look for, or - for one query per line on stdin.")
    ],
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, max=MOST_RESULTS, help="The number of results.")] = 10,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only message, episode, fact, foresight or digest; repeatable."),
    ] = None,
    since: Since = None,
    until: Until = None,
    person: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only messages of this person, and facts about them.")
    ] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    archived: Archived = False,
    rerank: Annotated[
        bool,
        typer.Option("--rerank", help="Reorder the best 30 results with a small model, in half a second more."),
    ] = False,
    explain: Explain = False,
    embedder: Embedder = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Find memories by words and meaning, without a language model."""
    from evermem_cli.cli.lookups import memories
    from evermem_cli.cli.presentation import documents
    from evermem_cli.cli.shared.reasons import withheld_hint
    from evermem_cli.cli.shared.session import Session

    session = Session.open(embedder=embedder, agent=agent, reason=reason, user=user, db=db)
    for entry in worded(query, "query"):
        time = {"as_of": entry.get("as_of", as_of), "known_at": known_at, "since": since, "until": until}
        where = session.said_by(person, session.filter(**time, kinds=kind, archived=archived))
        asked = (str(entry["query"]), where, int(entry.get("k", k)))
        results = memories.search(session, *asked, closely=rerank)
        memories.note_shown(session, results.items)
        document = documents.search(asked[0], asked[1].as_of, results, explain=explain)
        screen = partial(_results, results, session.zone, explain=explain)
        left_out = {"withheld": results.withheld, "archived": results.archived}
        show(document, screen, as_json=json or query == "-", hint=withheld_hint(session.settings), **left_out)


def _results(results: "SearchResults", zone: tzinfo, *, explain: bool) -> "RenderableType":
    """The screen. It is made only if it is printed, since rich takes a tenth of the time of a search to load."""
    from evermem_cli.cli.presentation import screens

    return screens.search(results, zone, explain=explain)
