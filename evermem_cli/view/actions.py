"""What the user can have done from the page, each by the function that its command calls.

`ACTIONS` holds them by the name under which the page posts them; a new one is an entry there and a form on the page.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evermem_cli.cli.actions import corrections, relationships
from evermem_cli.cli.lookups import strengths
from evermem_cli.cli.presentation import upkeep
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.memory import Assertion, Episode, Fact, Foresight, Mode, Selection
from evermem_cli.terminal.visible import one_line, visible
from evermem_cli.view.answers import reply
from evermem_cli.view.page import write_reply

ActionResult = dict[str, Any]
Correctable = Assertion | Episode | Fact | Foresight
NOTHING = "Nothing fits."


class ActionRequest(BaseModel):
    """What the page sends."""

    model_config = ConfigDict(extra="forbid", str_min_length=1, str_max_length=1000)


class MemoryRequest(ActionRequest):
    """A memory by its id."""

    id: str


class TierRequest(MemoryRequest):
    """And who may see it from now on."""

    tier: Literal["default", "public", "sensitive", "private"]


class CorrectionRequest(MemoryRequest):
    """And what is right in its place."""

    text: str


class NameRequest(ActionRequest):
    """Somebody by a name."""

    name: str


class MergeRequest(ActionRequest):
    """Two names of one person."""

    one: str
    other: str


class QuestionRequest(ActionRequest):
    """A question, and whether the evidence alone is wanted."""

    question: str
    light: bool = Field(default=False)


def look(session: Session, request: MemoryRequest) -> ActionResult:
    """What a memory says, how strong it is and who may see it; `corrects`: it can be corrected, `stored`: all else.

    What was read of messages for the profile can be corrected and nothing else: the rest is done to its messages.
    """
    wrong = _correctable(session, request.id)
    if isinstance(wrong, Assertion):
        text = visible(f"{wrong.attribute.replace('_', ' ')}: {wrong.value}")
        return {"text": text, "status": "read of what was said", "corrects": True, "stored": False}
    found = strengths.memory_state(session, request.id)
    settled = session.privacy(request.id, None)
    known = {"corrects": wrong is not None, "stored": True}
    if found is None:
        return known | {"text": request.id, "status": f"{settled.tier or 'as private as its messages'}"}
    faded = "faded, left out of answers" if found.strength.archived else f"strength {found.strength.strength:.2f}"
    text = visible(found.record.content)
    return known | {"text": text, "status": f"{found.record.kind}; {found.tier}; {faded}"}


def privacy(session: Session, request: TierRequest) -> ActionResult:
    """Sets who may see a memory, the messages behind it included."""
    settled = session.privacy(request.id, request.tier)
    told = settled.tier or "as private as its messages"
    return {"told": f"{counted(settled.covered, 'memories')} set; it is {told} now.", "changed": True}


def restore(session: Session, request: MemoryRequest) -> ActionResult:
    """Brings back what is archived."""
    return {"told": f"{counted(session.store.restore([request.id]), 'memories')} restored.", "changed": True}


def preview(session: Session, request: MemoryRequest) -> ActionResult:
    """What would be forgotten, and nothing else."""
    gone = session.store.would_forget(_selection(session, request))
    told = NOTHING if gone.nothing else f"This would forget {upkeep.forgotten(gone)}, for good."
    return {"told": told, "changed": False, "some": not gone.nothing}


def forget(session: Session, request: MemoryRequest) -> ActionResult:
    """Forgets a memory and all that rests on it."""
    gone = session.forget(_selection(session, request))
    return {"told": NOTHING if gone.nothing else f"Forgotten: {upkeep.forgotten(gone)}.", "changed": True}


def correct(session: Session, request: CorrectionRequest) -> ActionResult:
    """Puts what the user states in the place of a wrong memory."""
    corrected = corrections.correct(session, request.id, request.text)
    told = f"{one_line(corrected.wrong)} → {one_line(corrected.stated)}. evermem undo takes it back."
    return {"told": told, "changed": True}


def merge(session: Session, request: MergeRequest) -> ActionResult:
    """Takes two names for one person."""
    relationships.merge(session, request.one, request.other)
    return {"told": visible(f"{request.one} is also {request.other} now."), "changed": True}


def split(session: Session, request: NameRequest) -> ActionResult:
    """Takes apart what was merged under a name."""
    relationships.split(session, request.name)
    return {"told": visible(f"The names of {request.name} are apart again."), "changed": True}


def ask(session: Session, request: QuestionRequest) -> ActionResult:
    """An answer, as a piece of the page."""
    return {"html": write_reply(reply(session, request.question, Mode.LIGHT if request.light else Mode.STANDARD))}


ACTIONS: dict[str, tuple[type[ActionRequest], Callable[[Session, Any], ActionResult]]] = {
    "look": (MemoryRequest, look),
    "privacy": (TierRequest, privacy),
    "restore": (MemoryRequest, restore),
    "preview": (MemoryRequest, preview),
    "forget": (MemoryRequest, forget),
    "correct": (CorrectionRequest, correct),
    "merge": (MergeRequest, merge),
    "split": (NameRequest, split),
    "ask": (QuestionRequest, ask),
}


def _correctable(session: Session, memory_id: str) -> Correctable | None:
    with session.store.read() as reader, suppress(UsageError):  # what was said stays as it was said
        return reader.correctable(memory_id, session.settings.user)
    return None


def _selection(session: Session, request: MemoryRequest) -> Selection:
    return Selection(user_id=session.settings.user, ids=(request.id,))
