"""`view`: shows memory as a page."""

from pathlib import Path
from typing import Annotated

import typer

from evermem_cli.cli.shared.options import Agent, Db, Embedder, Force, IncludePrivate, Json, Llm, Reason, User
from evermem_cli.cli.shared.output import show
from evermem_cli.memory import Mode


def view(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of one beside the memory.",
            show_default=False,
        ),
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(metavar="QUESTION", help="A question to answer on the page; repeatable.", show_default=False),
    ] = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Answer --ask without the language model.")] = False,
    include_private: IncludePrivate = False,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    force: Force = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on this machine, where you can change memory.")
    ] = False,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port of --serve; 0: any free port.")] = 0,
    idle: Annotated[
        float, typer.Option(min=0.01, metavar="MINUTES", help="Minutes without a request after which --serve ends.")
    ] = 15,
    llm: Llm = None,
    embedder: Embedder = None,
    agent: Agent = None,
    reason: Reason = None,
    user: User = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write memory as an HTML page. The page is one file that loads nothing."""
    from evermem_cli.cli.actions import memory_page
    from evermem_cli.cli.shared.session import Session

    flags = {"llm": llm, "embedder": embedder, "agent": agent, "reason": reason, "user": user, "db": db}
    owner = Session.open(**flags).of_owner()
    session = memory_page.seen(owner, include_private=include_private)
    if serve:
        memory_page.refuse_file(output, ask, json=json)
        memory_page.serve(owner, session, memory_page.ServeOptions(port, idle * 60, opens=open_it))
        return
    done = memory_page.write(session, output, ask or [], Mode.LIGHT if no_llm else Mode.STANDARD, force=force)
    if open_it:
        memory_page.open_page(done.path.as_uri())
    show(memory_page.document(done), memory_page.screen(done), as_json=json)
