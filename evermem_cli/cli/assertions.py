"""`list assertions`: what was read of people, attribute by attribute, oldest first."""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from evermem_cli.cli.documents import CONFIDENCE_DIGITS, external, plain
from evermem_cli.cli.output import show
from evermem_cli.cli.session import Session
from evermem_cli.cli.words import DIM
from evermem_cli.memory import Assertion, Message
from evermem_cli.store import Store


def list_assertions(session: Session, as_json: bool) -> None:
    """Shows the assertions of everybody in the user's memory, and how many an agent may not see."""
    found, messages = _look_up(session.store, session.settings.user)
    hidden = None
    if session.settings.agent:
        everything, _ = _look_up(Store(session.settings.db, session.settings.busy_timeout), session.settings.user)
        hidden = len(everything) - len(found)
    show(_document(found, messages), _screen(found, messages, session.zone), as_json=as_json, withheld=hidden)


def _look_up(store: Store, user: str) -> tuple[list[Assertion], dict[str, Message]]:
    with store.read() as reader:
        found = reader.assertions(reader=user)
        return found, reader.messages({each for assertion in found for each in assertion.message_ids})


def _document(found: Sequence[Assertion], messages: Mapping[str, Message]) -> dict[str, Any]:
    return {
        "assertions": [
            {
                "id": each.id,
                "person": _person(each, messages),
                "attribute": each.attribute,
                "value": each.value,
                "stance": each.stance.value,
                "valid_at": plain(each.valid_at),
                "invalid_at": plain(each.invalid_at),
                "said_at": plain(each.said_at),
                "confidence": round(each.confidence, CONFIDENCE_DIGITS),
                "messages": external(messages[message_id] for message_id in each.message_ids),
            }
            for each in found
        ]
    }


def _screen(found: Sequence[Assertion], messages: Mapping[str, Message], zone: tzinfo) -> RenderableType:
    if not found:
        return Text("none")
    table = Table(box=None, pad_edge=False, show_header=False)
    for each in found:
        said = f"{each.said_at.astimezone(zone):%-d %b %Y}"
        table.add_row(_person(each, messages), each.attribute, each.value, each.stance.value, said, Text(each.id, DIM))
    return table


def _person(assertion: Assertion, messages: Mapping[str, Message]) -> str:
    """The name of whoever it is of: who said the last message cited, unless that corrects what somebody else said."""
    said = messages[assertion.message_ids[-1]]
    return said.speaker if said.user_id == assertion.user_id else assertion.user_id
