"""Questions to whole chats as the product asks them of the model after its search, with the reply that is right."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from evermem_cli.ask import Inquiry, is_refused, responded
from evermem_cli.config import Settings
from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.languages.words import claims
from evermem_cli.memory import Filter
from evermem_cli.recollection.generation.lists import in_parts
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.generation.requests import answer_request
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.generation.writing import tokens_in
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from tests.benchmarks.refusals import asking_without_llm, memory_of, no_llm
from tests.training.chats import Asked, Chat
from tests.training.excerpts import LANGUAGE, Prompted


def rows_of(chat: Chat) -> list[list[dict[str, str]]]:
    """The rows of a chat as a transcript, a conversation for each day."""
    rows = [
        {
            "id": str(place),
            "speaker": said.who,
            "text": said.text,
            "timestamp": datetime.fromisoformat(said.at).replace(tzinfo=UTC).isoformat(),
            "conversation_id": chat.name,
        }
        for place, said in enumerate(chat.messages)
    ]
    return [list(day) for _, day in groupby(rows, lambda row: row["timestamp"][:10])]


def left_to_the_model(chat: Chat, work: Path, embedder: CatalogEmbed) -> Iterator[tuple[Asked, Question, Recollection]]:
    """The questions to a chat that code neither answers nor refuses, with what is recalled for them.

    The memory of the chat is kept in `work`.
    """
    store = memory_of(chat.name, rows_of(chat), work, embedder, chat.me)
    memory = MemoryView(store, Filter(user_id=Settings.load().user, as_of=chat.asked_at), chat.asked_at)
    asking = asking_without_llm(store, embedder)
    inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), asking.reader(memory))
    for asked in chat.questions:
        question = inquiry.read(asked.q)
        recollection = inquiry.recalled(question)
        if not responded(question, recollection) and not is_refused(question, recollection, taught=True):
            yield asked, question, recollection


def prompted(chat: Chat, work: Path, embedder: CatalogEmbed) -> Iterator[Prompted]:
    """What the model is asked of a chat. Left out is where it reads some of the messages that tell the answer alone."""
    for asked, question, recollection in left_to_the_model(chat, work, embedder):
        if (told := asked.now & places(recollection)) and told != asked.now:
            continue
        for part in _parts(question.form, recollection):
            if reply := _reply(asked, question.form, part):
                adapted, plain = (answer_request(question, part, used) for used in (Adapter(ANSWERS), None))
                yield Prompted(chat.name, asked.q, adapted, plain, reply)


def places(recollection: Recollection) -> frozenset[int]:
    """The places in the chat of the messages that are read."""
    return frozenset(int(line.message.external_id) for line in recollection.lines)


def _parts(form: Form, recollection: Recollection) -> Sequence[Recollection]:
    """What is read at once."""
    if form is not Form.SEVERAL:
        return [recollection]
    return [replace(recollection, passages=part) for part in in_parts(recollection.passages, tokens_in)]


def _reply(asked: Asked, form: Form, read: Recollection) -> str | None:
    """The right reply; None where no item of a list is in the words of the chat."""
    if asked.now.isdisjoint(places(read)):
        return NOT_KNOWN[LANGUAGE]
    if form is not Form.SEVERAL:
        return asked.answer
    said = claims(" ".join(line.text for line in read.lines))
    return ", ".join(item for item in asked.answer.split(", ") if claims(item) <= said) or None
