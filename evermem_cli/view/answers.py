"""Answers on the page: each with its evidence highlighted in the chat that it stands in."""

from dataclasses import dataclass
from itertools import groupby

from evermem_cli.cli import lookups
from evermem_cli.cli.output import ignore
from evermem_cli.cli.session import Session
from evermem_cli.cli.words import day
from evermem_cli.language import language
from evermem_cli.memory import Message, Mode
from evermem_cli.view.quotes import Quote, quote

AROUND = 3  # messages before and after one that an answer rests on


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one chat, with the evidence in it marked."""

    chat: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A question with its answer as of a day, and where in the chats it stands."""

    question: str
    text: str
    tongue: str
    is_known: bool
    as_of: str
    passages: tuple[Passage, ...]


def reply(session: Session, question: str, mode: Mode) -> Reply:
    """What memory answers. Raises ModelError, StoreError, StoreBusy."""
    said = lookups.ask(session, question, session.filter(as_of=None, known_at=None), mode, ignore)
    lookups.note_shown(session, said.citations)
    cited = {message.id for each in said.citations for message in each.messages}
    titles = {message.conversation_id: each.conversation for each in said.citations for message in each.messages}
    with session.store.read() as reader:
        near = reader.neighbours(cited, AROUND)
    order = sorted(near.values(), key=lambda each: (each.conversation_id, each.ordinal))
    return Reply(
        question=question,
        text=said.text or ("This is what was found." if said.known else "Nothing was found."),
        tongue=language(said.text),
        is_known=said.known,
        as_of=day(said.as_of, session.zone),
        passages=tuple(
            Passage(
                titles[chat],
                tuple(quote(each, session.zone, whole=each.id in cited, is_evidence=each.id in cited) for each in found),
            )
            for (chat, _), found in groupby(_stretches(order), key=lambda each: (each[0].conversation_id, each[1]))
            for found in [[message for message, _ in found]]
        ),
    )


def _stretches(order: list[Message]) -> list[tuple[Message, int]]:
    """Each message with the number of the stretch that it is in: where places are skipped a new one begins."""
    found: list[tuple[Message, int]] = []
    stretch = 0
    for place, message in enumerate(order):
        before = order[place - 1] if place else None
        if before and (before.conversation_id, before.ordinal + 1) != (message.conversation_id, message.ordinal):
            stretch += 1
        found.append((message, stretch))
    return found
