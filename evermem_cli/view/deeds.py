"""What the user can have done from the page, each by the function that its command calls.

`DEEDS` holds them by the name under which the page posts them; a new one is an entry there and a form on the page.
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

Done = dict[str, Any]
Correctable = Assertion | Episode | Fact | Foresight
NOTHING = "Nothing fits."


class Wish(BaseModel):
    """What the page sends."""

    model_config = ConfigDict(extra="forbid", str_min_length=1, str_max_length=1000)


class OfMemory(Wish):
    """A memory by its id."""

    id: str


class OfTier(OfMemory):
    """And who may see it from now on."""

    tier: Literal["default", "public", "sensitive", "private"]


class OfText(OfMemory):
    """And what is right in its place."""

    text: str


class OfName(Wish):
    """Somebody by a name."""

    name: str


class OfNames(Wish):
    """Two names of one person."""

    one: str
    other: str


class OfQuestion(Wish):
    """A question, and whether the evidence alone is wanted."""

    question: str
    light: bool = Field(default=False)


def look(session: Session, wish: OfMemory) -> Done:
    """What a memory says, how strong it is and who may see it; `corrects`: it can be corrected, `stored`: all else.

    What was read of messages for the profile can be corrected and nothing else: the rest is done to its messages.
    """
    wrong = _correctable(session, wish.id)
    if isinstance(wrong, Assertion):
        text = visible(f"{wrong.attribute.replace('_', ' ')}: {wrong.value}")
        return {"text": text, "stands": "read of what was said", "corrects": True, "stored": False}
    found = strengths.standing(session, wish.id)
    settled = session.privacy(wish.id, None)
    known = {"corrects": wrong is not None, "stored": True}
    if found is None:
        return known | {"text": wish.id, "stands": f"{settled.tier or 'as private as its messages'}"}
    faded = "faded, left out of answers" if found.strength.archived else f"strength {found.strength.strength:.2f}"
    text = visible(found.record.content)
    return known | {"text": text, "stands": f"{found.record.kind}; {found.tier}; {faded}"}


def privacy(session: Session, wish: OfTier) -> Done:
    """Sets who may see a memory, the messages behind it included."""
    settled = session.privacy(wish.id, wish.tier)
    told = settled.tier or "as private as its messages"
    return {"told": f"{counted(settled.covered, 'memories')} set; it is {told} now.", "changed": True}


def restore(session: Session, wish: OfMemory) -> Done:
    """Brings back what is archived."""
    return {"told": f"{counted(session.store.restore([wish.id]), 'memories')} restored.", "changed": True}


def preview(session: Session, wish: OfMemory) -> Done:
    """What would be forgotten, and nothing else."""
    gone = session.store.would_forget(_selection(session, wish))
    told = NOTHING if gone.nothing else f"This would forget {upkeep.forgotten(gone)}, for good."
    return {"told": told, "changed": False, "some": not gone.nothing}


def forget(session: Session, wish: OfMemory) -> Done:
    """Forgets a memory and all that rests on it."""
    gone = session.forget(_selection(session, wish))
    return {"told": NOTHING if gone.nothing else f"Forgotten: {upkeep.forgotten(gone)}.", "changed": True}


def correct(session: Session, wish: OfText) -> Done:
    """Puts what the user states in the place of a wrong memory."""
    corrected = corrections.correct(session, wish.id, wish.text)
    told = f"{one_line(corrected.wrong)} → {one_line(corrected.stated)}. evermem undo takes it back."
    return {"told": told, "changed": True}


def merge(session: Session, wish: OfNames) -> Done:
    """Takes two names for one person."""
    relationships.merge(session, wish.one, wish.other)
    return {"told": visible(f"{wish.one} is also {wish.other} now."), "changed": True}


def split(session: Session, wish: OfName) -> Done:
    """Takes apart what was merged under a name."""
    relationships.split(session, wish.name)
    return {"told": visible(f"The names of {wish.name} are apart again."), "changed": True}


def ask(session: Session, wish: OfQuestion) -> Done:
    """An answer, as a piece of the page."""
    return {"html": write_reply(reply(session, wish.question, Mode.LIGHT if wish.light else Mode.STANDARD))}


DEEDS: dict[str, tuple[type[Wish], Callable[[Session, Any], Done]]] = {
    "look": (OfMemory, look),
    "privacy": (OfTier, privacy),
    "restore": (OfMemory, restore),
    "preview": (OfMemory, preview),
    "forget": (OfMemory, forget),
    "correct": (OfText, correct),
    "merge": (OfNames, merge),
    "split": (OfName, split),
    "ask": (OfQuestion, ask),
}


def _correctable(session: Session, memory_id: str) -> Correctable | None:
    with session.store.read() as reader, suppress(UsageError):  # what was said stays as it was said
        return reader.correctable(memory_id, session.settings.user)
    return None


def _selection(session: Session, wish: OfMemory) -> Selection:
    return Selection(user_id=session.settings.user, ids=(wish.id,))
