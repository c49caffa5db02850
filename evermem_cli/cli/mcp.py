"""The command that serves memory to an assistant: mcp."""

from importlib.util import find_spec

import typer

from evermem_cli.cli.options import Agent, Db, Embedder, Llm, User
from evermem_cli.errors import UsageError


def register(app: typer.Typer) -> None:
    """Adds this group's command."""
    app.command()(mcp)


def mcp(
    llm: Llm = None,
    embedder: Embedder = None,
    agent: Agent = None,
    user: User = None,
    db: Db = None,
) -> None:
    """Serve memory to an assistant, over the Model Context Protocol on stdin and stdout."""
    if find_spec("mcp") is None:
        raise UsageError("the Model Context Protocol's SDK is not installed", "pip install 'evermem[mcp]'")
    from evermem_cli.cli.session import Session
    from evermem_cli.mcp import server
    from evermem_cli.mcp.door import Door

    settings = Session.open(llm=llm, embedder=embedder, agent=agent, user=user, db=db).settings
    server.run(Door(settings))
