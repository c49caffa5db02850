"""The server's resources: documents that a client can show or attach without calling a tool."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from evermem_cli.cli.lookups import expected, memories
from evermem_cli.cli.presentation import documents
from evermem_cli.cli.presentation.documents import Document
from evermem_cli.cli.shared.session import Session
from evermem_cli.mcp import arguments
from evermem_cli.mcp.budget import fit
from evermem_cli.mcp.lookups import Call, hidden, profile

MOST_TOKENS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A document with an address. `tool` reads the same with a reason, which a resource cannot be given."""

    uri: str
    name: str
    title: str
    description: str
    tool: str
    read: Callable[[Call], Document]

    def __call__(self, call: Call) -> Document:
        """The document, in at most `MOST_TOKENS`. Raises EvermemError, Cancelled."""
        call.go_on()
        opened_by = f"the tool `{self.tool}` and its argument `reason`"
        return fit(self.read(replace(call, opened_by=opened_by)), MOST_TOKENS)


def _profile(call: Call) -> Document:
    return profile(call, arguments.ProfileOf.model_validate({}))


def _foresights(call: Call) -> Document:
    session = call.session
    now = session.now(None)
    return documents.foresights(now, _ahead(session, now)) | hidden(call, memories.withheld(session, _ahead, now))


def _ahead(session: Session, now: datetime) -> memories.Listing:
    return expected.ahead(expected.foresights(session, now, None, expired=False), now)


RESOURCES = (
    Resource(
        uri="evermem://profile",
        name="profile",
        title="Who the user is",
        description=f"Attributes with since when they hold, habits and likings. {arguments.GRAINS}",
        tool="profile",
        read=_profile,
    ),
    Resource(
        uri="evermem://foresights/today",
        name="foresights",
        title="What lies ahead",
        description=f"What holds today or is still to come, due first. {arguments.GRAINS}",
        tool="search",
        read=_foresights,
    ),
)
