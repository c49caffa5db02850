"""`mcp`: serves memory to an assistant."""

import sys

from evermem_cli.cli.shared.options import Agent, Db, Embedder, Llm, User
from evermem_cli.errors import UsageError
from evermem_cli.extras import Extra


def mcp(
    llm: Llm = None,
    embedder: Embedder = None,
    agent: Agent = None,
    user: User = None,
    db: Db = None,
) -> None:
    """Serve memory to an assistant over MCP, on stdin and stdout."""
    if not Extra.MCP.is_here:
        raise UsageError("the Model Context Protocol's SDK is not installed", f"add it with `{Extra.MCP.command}`")
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.mcp.starting import serve

    session = Session.open(llm=llm, embedder=embedder, agent=agent, user=user, db=db)
    if sys.stdin.isatty():
        session.note("an assistant starts this by itself: `evermem connect` tells it how; Ctrl-C stops it")
    serve(session.settings)
