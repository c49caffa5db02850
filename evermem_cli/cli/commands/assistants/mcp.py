"""`mcp`: serves memory to an assistant."""

import gc
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
    """Serve memory to an assistant by MCP, on stdin and stdout."""
    if not Extra.MCP.is_here:
        raise UsageError("the Model Context Protocol's SDK is not installed", f"add it with `{Extra.MCP.command}`")
    gc.disable()  # loaded modules are no garbage, and collecting among them takes a sixth of the start
    from evermem_cli.cli.shared.session import Session
    from evermem_cli.mcp import server
    from evermem_cli.mcp.host import MemoryHost

    gc.freeze()
    gc.enable()

    session = Session.open(llm=llm, embedder=embedder, agent=agent, user=user, db=db)
    if sys.stdin.isatty():
        session.note("an assistant starts this by itself: `evermem connect` tells it how; Ctrl-C stops it")
    server.run(MemoryHost(session.settings))
