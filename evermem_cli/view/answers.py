"""Answers on the page, each with its evidence highlighted in the chat."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import tzinfo

from evermem_cli.cli.lookups import memories
from evermem_cli.cli.shared.formatting import day
from evermem_cli.cli.shared.output import ignore
from evermem_cli.cli.shared.session import Session
from evermem_cli.languages.language import language
from evermem_cli.memory import Message, Mode
from evermem_cli.view.quotes import Quote, quote

AROUND = 3  # messages shown before and after each piece of evidence
OPENED_BY = "evermem view --include-private"
FOUND = 5  # the best pieces of evidence shown where no model has chosen among them


@dataclass(frozen=True, slots=True)
class ChatExcerpt:
    """Consecutive messages of one chat, with the evidence among them marked."""

    chat: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question, its answer as of a day, and the parts of chats that support it.

    `text` is blank where only evidence was asked for. `left_out` says what memory the answer does without, and
    `opened_by` is the command that lets it in; they are blank where nothing is missing and where nobody may let it in.
    """

    question: str
    text: str
    tongue: str
    is_known: bool
    as_of: str
    passages: tuple[ChatExcerpt, ...]
    left_out: str = ""
    opened_by: str = ""


def reply(session: Session, question: str, mode: Mode) -> AnsweredQuestion:
    """Answers a question from memory, without a model as far as code can. Raises ModelError, StoreError, StoreBusy."""
    said = memories.ask(session, question, session.filter(as_of=None, known_at=None), mode, ignore)
    said = said.by_code or said
    citations = said.citations if said.text else said.citations[:FOUND]
    memories.note_shown(session, citations)
    cited = {message.id for citation in citations for message in citation.messages}
    names = {message.conversation_id: citation.conversation for citation in citations for message in citation.messages}
    with session.store.read() as reader:
        near = reader.messages.neighbours(cited, AROUND).values()
        lacks = reader.withheld.count_messages() > 0
    agent = session.settings.agent
    left_out = f"What {agent} may not read is left out here." if agent else "Private memories are left out here."
    return AnsweredQuestion(
        question=question,
        text=said.text,
        tongue=language(said.text),
        is_known=bool(said.known),
        as_of=day(said.as_of, session.zone),
        passages=tuple(
            ChatExcerpt(names[part[0].conversation_id], tuple(_quote(message, cited, session.zone) for message in part))
            for part in _stretches(near)
        ),
        left_out=left_out if lacks else "",
        opened_by=OPENED_BY if lacks and not agent else "",
    )


def _quote(message: Message, cited: Collection[str], zone: tzinfo) -> Quote:
    is_evidence = message.id in cited
    return quote(message, zone, whole=is_evidence, is_evidence=is_evidence)


def _stretches(messages: Iterable[Message]) -> list[list[Message]]:
    """Groups messages into runs without a gap, in the order of their chats."""
    stretches: list[list[Message]] = []
    for message in sorted(messages, key=lambda message: (message.conversation_id, message.ordinal)):
        before = stretches[-1][-1] if stretches else None
        if before and (before.conversation_id, before.ordinal + 1) == (message.conversation_id, message.ordinal):
            stretches[-1].append(message)
        else:
            stretches.append([message])
    return stretches
