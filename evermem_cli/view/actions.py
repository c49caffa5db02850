"""What the user can do on the page. Each action calls the same function as the command of that name.

The page posts an action by its name in `ACTIONS`. A new action needs an entry there and a form on the page.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evermem_cli.cli.actions import assertions, corrections, relationships
from evermem_cli.cli.lookups import strengths
from evermem_cli.cli.presentation import upkeep
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import UsageError
from evermem_cli.memory import Assertion, Episode, Fact, Foresight, Mode, Selection, Tier
from evermem_cli.terminal.visible import one_line, visible
from evermem_cli.view.answers import reply
from evermem_cli.view.disk_usage import chat_row
from evermem_cli.view.page import write_reply

ActionResult = dict[str, Any]
Correctable = Assertion | Episode | Fact | Foresight
NOTHING = "Nothing fits."
AS_MESSAGES = "as private as its messages"
RIGHT, TITLE = "What is right", "A better title"  # what is asked of whoever corrects


class ActionRequest(BaseModel):
    """The data that the page sends with an action."""

    model_config = ConfigDict(extra="forbid", str_min_length=1, str_max_length=1000)


class MemoryRequest(ActionRequest):
    """One memory, by its id."""

    id: str


class TierRequest(MemoryRequest):
    """A memory and its new privacy tier."""

    tier: Literal["default", "public", "sensitive", "private"]


class CorrectionRequest(MemoryRequest):
    """A memory and the text that corrects it."""

    text: str


class NameRequest(ActionRequest):
    """One person, by name."""

    name: str


class MergeRequest(ActionRequest):
    """Two names of one person."""

    one: str
    other: str


class QuestionRequest(ActionRequest):
    """A question, and whether the evidence alone is enough (`light`)."""

    question: str
    light: bool = Field(default=False)


def look(session: Session, request: MemoryRequest) -> ActionResult:
    """Describes a memory: its text, strength and privacy tier, and which actions apply to it.

    `corrects` is what a correction replaces, blank if it replaces nothing. `stored` tells whether the other actions
    apply, and `faded` whether the memory can be restored. An assertion can only be corrected: the other actions apply
    to the messages behind it.
    """
    wrong = _correctable(session, request.id)
    if isinstance(wrong, Assertion):
        text = visible(f"{wrong.attribute.replace('_', ' ')}: {wrong.value}")
        return {"text": text, "status": "read from messages", "corrects": RIGHT, "stored": False, "faded": False}
    state = strengths.memory_state(session, request.id)
    settled = session.privacy(request.id, None)
    is_faded = state is not None and state.strength.archived
    corrects = TITLE if isinstance(wrong, Episode) else RIGHT if wrong else ""
    known = {"corrects": corrects, "stored": True, "faded": is_faded}
    if state is None:
        chat, tier = chat_row(session, request.id), settled.tier or AS_MESSAGES
        status = f"chat; {counted(chat.messages, 'messages')}, {chat.span}; {tier}" if chat else tier
        return known | {"text": visible(chat.title) if chat else request.id, "status": status}
    faded = "faded, left out of answers" if is_faded else f"strength {state.strength.strength:.2f}"
    text = visible(wrong.subject if isinstance(wrong, Episode) else state.record.content)
    kind = "topic" if state.record.kind == "memcell" else state.record.kind
    return known | {"text": text, "status": f"{kind}; {state.tier}; {faded}"}


def privacy(session: Session, request: TierRequest) -> ActionResult:
    """Sets the privacy tier of a memory and of the messages behind it."""
    settled = session.privacy(request.id, request.tier)
    message = f"{counted(settled.covered, 'memories')} set; it is {settled.tier or AS_MESSAGES} now."
    left_out = f"Pages without --include-private leave it out; evermem privacy {settled.id} default shows it again."
    said = f"{message} {left_out}" if settled.tier is Tier.PRIVATE else message
    return {"told": said, "changed": True, "known": _as_it_is(session, request)}


def restore(session: Session, request: MemoryRequest) -> ActionResult:
    """Restores an archived memory."""
    said = f"{counted(session.store.restore([request.id]), 'memories')} restored."
    return {"told": said, "changed": True, "known": _as_it_is(session, request)}


def preview(session: Session, request: MemoryRequest) -> ActionResult:
    """Reports what `forget` would remove, and removes nothing."""
    gone = session.store.would_forget(_selection(session, request))
    message = NOTHING if gone.nothing else f"This would forget {upkeep.forgotten(gone)}, for good."
    return {"told": message, "changed": False, "some": not gone.nothing}


def forget(session: Session, request: MemoryRequest) -> ActionResult:
    """Forgets a memory and everything derived from it."""
    gone = session.forget(_selection(session, request))
    said = NOTHING if gone.nothing else f"Forgotten: {upkeep.forgotten(gone)}."
    return {"told": said, "changed": True, "known": _as_it_is(session, request)}


def correct(session: Session, request: CorrectionRequest) -> ActionResult:
    """Replaces a wrong memory with the user's statement; of a topic, its title."""
    wrong = _correctable(session, request.id)
    corrected = corrections.correct(session, wrong.id if wrong else request.id, request.text)
    message = f"{one_line(corrected.wrong)} → {one_line(corrected.stated)} (evermem undo takes it back)"
    understood = assertions.read_from(session, corrected.statement_id).lines(session.zone)
    said = "\n".join([message, *understood] if corrected.statement_id else [message])
    return {"told": said, "changed": True, "known": _as_it_is(session, request)}


def preview_merge(session: Session, request: MergeRequest) -> ActionResult:
    """Reports which two people `merge` would make one, and merges nothing."""
    lines = relationships.merge_preview(session, request.one, request.other)
    return {"told": visible("\n".join(lines)), "changed": False}


def merge(session: Session, request: MergeRequest) -> ActionResult:
    """Merges two names of one person."""
    relationships.merge(session, request.one, request.other)
    return {"told": visible(f"{request.one} is also {request.other} now."), "changed": True}


def split(session: Session, request: NameRequest) -> ActionResult:
    """Undoes the merges of a name."""
    relationships.split(session, request.name)
    return {"told": visible(f"The names of {request.name} are apart again."), "changed": True}


def ask(session: Session, request: QuestionRequest) -> ActionResult:
    """Answers a question with a fragment of HTML for the page."""
    return {"html": write_reply(reply(session, request.question, Mode.LIGHT if request.light else Mode.STANDARD))}


ACTIONS: dict[str, tuple[type[ActionRequest], Callable[[Session, Any], ActionResult]]] = {
    "look": (MemoryRequest, look),
    "privacy": (TierRequest, privacy),
    "restore": (MemoryRequest, restore),
    "preview": (MemoryRequest, preview),
    "forget": (MemoryRequest, forget),
    "correct": (CorrectionRequest, correct),
    "preview_merge": (MergeRequest, preview_merge),
    "merge": (MergeRequest, merge),
    "split": (NameRequest, split),
    "ask": (QuestionRequest, ask),
}


def _as_it_is(session: Session, request: MemoryRequest) -> ActionResult | None:
    """The memory after an action; None where it is gone."""
    with suppress(UsageError):
        return look(session, MemoryRequest(id=request.id))
    return None


def _correctable(session: Session, memory_id: str) -> Correctable | None:
    """What a correction replaces: the memory itself; of a topic, its episode; of a message or a chat, nothing."""
    with session.store.read() as reader:
        with suppress(UsageError):
            return reader.corrections.correctable(memory_id, session.settings.user)
        return next(iter(reader.topics.episodes([memory_id])), None)


def _selection(session: Session, request: MemoryRequest) -> Selection:
    return Selection(user_id=session.settings.user, ids=(request.id,))
