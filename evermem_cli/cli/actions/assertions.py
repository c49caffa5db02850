"""`list assertions` and `show` of an assertion: what people state about themselves, and the messages behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from rich.console import Group, RenderableType
from rich.text import Text

from evermem_cli import visibility
from evermem_cli.cli.lookups import people
from evermem_cli.cli.presentation.documents import CONFIDENCE_DIGITS, Document, external, pick
from evermem_cli.cli.presentation.records import ground_document, ground_line
from evermem_cli.cli.shared.formatting import DIM, day, heading, value_shown
from evermem_cli.cli.shared.output import show
from evermem_cli.cli.shared.session import Session
from evermem_cli.cli.shared.terminal import joined, styled
from evermem_cli.consolidation.attributes import TIMELESS, is_arrangement
from evermem_cli.memory import Assertion, Message, Stance
from evermem_cli.memory.privacy import Ground
from evermem_cli.recollection.people.histories import histories_of_all
from evermem_cli.store import Store
from evermem_cli.terminal.visible import one_line
from evermem_cli.visibility import CountedAs

STANCES = {Stance.TAKEN: "accepted"}  # other stances are shown by their own names
ONLY_WORDS = "nothing beyond the words was understood"


@dataclass(frozen=True, slots=True)
class Understanding:
    """The assertions that were read from one message, and the messages that they cite."""

    assertions: Sequence[Assertion]
    messages: Mapping[str, Message]

    @property
    def document(self) -> Document:
        """The assertions as `list assertions --json` has them."""
        return _document(self.assertions, self.messages)

    def screen(self, zone: tzinfo) -> RenderableType:
        """What was understood, as indented lines."""
        return styled("\n".join(f"  {line}" for line in self.lines(zone)))

    def lines(self, zone: tzinfo) -> list[str]:
        """Who, what, and since when; or that nothing was understood."""
        known = [self._line(assertion, zone) for assertion in self.assertions]
        return known or [f"{ONLY_WORDS}; `evermem search` finds them"]

    def _line(self, assertion: Assertion, zone: tzinfo) -> str:
        attribute = heading(assertion.attribute)
        what = f"{_person(assertion, self.messages)}, {attribute}"
        if _is_whole_text(assertion, self.messages):
            return one_line(f"{ONLY_WORDS}; all of them are now the value of {what}")
        parts = [
            f"understood: {what}: {_value(assertion)}",
            *([_stance(assertion)] if assertion.stance is not Stance.HOLDS else []),
            *_times(assertion, zone),
            *([] if assertion.sure else ["too doubtful for profiles"]),
        ]
        return one_line(", ".join(parts))


def read_from(session: Session, message_id: str | None) -> Understanding:
    """What was understood of a message; of None, nothing."""
    assertions, messages = _look_up(session.store, session.settings.user)
    return Understanding(_with_ends([one for one in assertions if message_id in one.message_ids], session), messages)


def list_assertions(session: Session, person: str | None, as_json: bool) -> None:
    """Shows the assertions about a person, or about everybody in the user's memory, and how many an agent may not see.

    Raises UsageError.
    """
    ids = None if person is None else people.ids_of(session, person)
    known, messages = _look_up(session.store, session.settings.user, ids)
    assertions = _with_ends(known, session)
    hidden = visibility.withheld(
        session,
        lambda seen: (assertion.id for assertion in _look_up(seen.store, session.settings.user, ids)[0]),
        CountedAs.WORKED_OUT,
    )
    show(_document(assertions, messages), _screen(assertions, messages, session.zone), as_json=as_json, withheld=hidden)


def is_assertion(session: Session, prefix: str) -> bool:
    """Whether the one id that begins with the prefix is that of an assertion. Raises UsageError for an unknown id."""
    with replace(session.store, access=None).read() as owner:  # it is no secret that such a memory exists
        return owner.records.is_assertion(owner.records.resolve(prefix, assertions=True))


def show_assertion(session: Session, prefix: str, ground: Ground | None, as_json: bool) -> None:
    """Shows one assertion and the messages behind it, and to the owner why an agent is not shown it.

    To an agent that may not see it, says that it is withheld.
    """
    known, messages = _found_with_ends(session, prefix)
    line = ground_line(known[0].id, ground) if known else ""
    screen = Group(*(_whole(assertion, messages, session.zone) for assertion in known), *filter(None, [line]))
    show(
        _shown(known, messages) | ground_document(ground), screen, as_json=as_json, withheld=_withheld(session, prefix)
    )


def assertion_document(session: Session, prefix: str) -> tuple[Document, int | None]:
    """`show --json` of an assertion, which is null where it is withheld; and how many an agent may not see."""
    return _shown(*_found_with_ends(session, prefix)), _withheld(session, prefix)


def _shown(known: Sequence[Assertion], messages: Mapping[str, Message]) -> Document:
    [shown] = _document(known, messages)["assertions"] or [None]
    if shown:
        said = [messages[message_id] for message_id in known[0].message_ids]
        quoted = [pick(message, "id", "speaker", "said_at", "text") for message in said]
        shown |= {"message_ids": [message.id for message in said], "original_data": quoted}
    return {"memory": None, "memcells": [], "assertion": shown}


def _withheld(session: Session, prefix: str) -> int | None:
    return visibility.withheld(
        session, lambda seen: (assertion.id for assertion in _find(seen.store, prefix)[0]), CountedAs.WORKED_OUT
    )


def _find(store: Store, prefix: str) -> tuple[list[Assertion], dict[str, Message]]:
    """The assertion whose id begins with the prefix; none where it is withheld."""
    with store.read() as reader:
        known = [assertion for assertion in reader.consolidation.assertions() if assertion.id.startswith(prefix)]
        cited = {message_id for assertion in known for message_id in assertion.message_ids}
        return known, reader.messages.by_id(cited)


def _found_with_ends(session: Session, prefix: str) -> tuple[list[Assertion], dict[str, Message]]:
    known, messages = _find(session.store, prefix)
    return _with_ends(known, session), messages


def _whole(assertion: Assertion, messages: Mapping[str, Message], zone: tzinfo) -> RenderableType:
    said = (messages[message_id] for message_id in assertion.message_ids)
    quoted = (
        joined(
            (f"\n{message.id}", DIM), f"  {one_line(message.speaker)}, {day(message.said_at, zone)}\n  ", message.text
        )
        for message in said
    )
    return Group(_lines(assertion, messages, zone), *quoted)


def _look_up(
    store: Store, user: str, person: frozenset[str] | None = None
) -> tuple[list[Assertion], dict[str, Message]]:
    """The assertions that a user may read, of everybody or of a person by ids in lower case, and their messages."""
    with store.read() as reader:
        everybodys = reader.consolidation.assertions(reader=user)
        assertions = [one for one in everybodys if person is None or one.user_id.lower() in person]
        return assertions, reader.messages.by_id(
            {message_id for assertion in assertions for message_id in assertion.message_ids}
        )


def _with_ends(assertions: Sequence[Assertion], session: Session) -> list[Assertion]:
    """The assertions; of what something later ended or replaced, as far as the asker may know, with that end."""
    facts = (
        fact
        for known in histories_of_all(session.store, session.settings.user).values()
        for facts in known.values()
        for fact in facts
    )
    ends = {stated.id: fact.invalid_at for fact in facts for stated in fact.assertions}
    return [
        replace(assertion, invalid_at=ends.get(assertion.id, assertion.invalid_at))
        if assertion.stance is Stance.HOLDS
        else assertion
        for assertion in assertions
    ]


def _document(assertions: Sequence[Assertion], messages: Mapping[str, Message]) -> Document:
    return {
        "assertions": [
            {
                "id": assertion.id,
                "person": _person(assertion, messages),
                "attribute": assertion.attribute,
                "value": assertion.value,
                "stance": assertion.stance.value,
                "sure": assertion.sure,
                **pick(assertion, "valid_at", "invalid_at", "said_at"),
                "confidence": round(assertion.confidence, CONFIDENCE_DIGITS),
                "messages": external(messages[message_id] for message_id in assertion.message_ids),
            }
            for assertion in assertions
        ]
    }


def _screen(assertions: Sequence[Assertion], messages: Mapping[str, Message], zone: tzinfo) -> RenderableType:
    if not assertions:
        return Text("none; `evermem status` says what is still to do")
    return Group(*(_lines(assertion, messages, zone) for assertion in assertions))


def _lines(assertion: Assertion, messages: Mapping[str, Message], zone: tzinfo) -> Text:
    state = _state(assertion, zone) if assertion.sure else f"{_state(assertion, zone)} (not in profiles)"
    said = f"{state}, said {day(assertion.said_at, zone)}"
    attribute = heading(assertion.attribute)
    line = one_line(f"{_person(assertion, messages)}  {attribute}: {_value(assertion)}")
    return joined(line, (f"\n    {said} · {assertion.id}", DIM))


def _stance(assertion: Assertion) -> str:
    return STANCES.get(assertion.stance, assertion.stance.value)


def _state(assertion: Assertion, zone: tzinfo) -> str:
    """The stance; of what held and is over, until when it held. Neither a birthday nor its day is ever over."""
    lasts = assertion.attribute in TIMELESS or is_arrangement(assertion)
    end = None if lasts else assertion.invalid_at
    is_over = assertion.stance is Stance.HOLDS and end and end <= datetime.now(UTC)
    return f"held until {day(end, zone)}" if end and is_over else _stance(assertion)


def _is_whole_text(assertion: Assertion, messages: Mapping[str, Message]) -> bool:
    """Whether the value is all that a message says, as it is where nothing was read of a correction."""
    return any(messages[message_id].text.rstrip(".。") == assertion.value for message_id in assertion.message_ids)


def _times(assertion: Assertion, zone: tzinfo) -> list[str]:
    """Since when it holds or is over, and until when it holds, as far as known."""
    since, until = assertion.valid_at, assertion.invalid_at
    return [f"{word} {day(time, zone)}" for word, time in (("since", since), ("until", until)) if time]


def _value(assertion: Assertion) -> str:
    """The value in the person's words. A message that accepts an offer or ends something often names none."""
    return value_shown(assertion.value) or ("(the latest offer)" if assertion.stance is Stance.TAKEN else "(not named)")


def _person(assertion: Assertion, messages: Mapping[str, Message]) -> str:
    """The name of the person: the speaker of the last message cited, unless that message corrects another person's."""
    said = messages[assertion.message_ids[-1]]
    return said.speaker if said.user_id == assertion.user_id else assertion.user_id
