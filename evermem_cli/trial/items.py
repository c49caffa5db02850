"""The items of a trial, and how a reply to each is judged. The requests are those that evermem makes elsewhere."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from importlib import resources
from typing import Any

from evermem_cli import prompts
from evermem_cli.config import Doer, Settings, TaskName
from evermem_cli.consolidation.doubts import DOUBTFUL, doubts
from evermem_cli.engines import Completion, Request
from evermem_cli.engines.adapters import adapter_of
from evermem_cli.formation.extract import CellDraft, CellReplies, draft, finish
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role, Stance, Statement, Whose, content_id
from evermem_cli.reading.highlighter import Highlighter
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.recollection.generation.requests import ANSWER_TOKENS, adapted_request

_START = datetime(2025, 3, 3, 9, tzinfo=UTC)
_FEWEST = 3  # predictions of an item that have to hold


class Task(StrEnum):
    """A kind of request to a language model."""

    TITLES = "titles"
    STATEMENTS = "statements"
    ANSWERS = "answers"
    REFUSALS = "refusals"
    FORESIGHTS = "foresights"
    NARRATIVES = "narratives"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a trial. All its requests are sent, and `passes` judges the replies."""

    task: Task
    requests: Sequence[Request]
    passes: Callable[[Sequence[Completion]], bool] = field(repr=False)


def items(model: str) -> list[Item]:
    """All items, task by task, as this model (its name in the settings) is asked for them."""
    text = (resources.files(__package__) / "items.toml").read_text(encoding="utf-8")
    shipped: dict[str, list[dict[str, Any]]] = tomllib.loads(text)
    return [_MADE[task](item, model) for task in Task for item in shipped[task]]


def _titled(shipped: Mapping[str, Any], model: str) -> Item:
    made = _draft(shipped["chat"], "titles")

    def passes(replies: Sequence[Completion]) -> bool:
        title = replies[-1].text.rpartition(":")[2].strip(" .\n")
        narrative = finish(made, CellReplies(title=replies[-1]), Settings()).episodes[0]
        return bool(title) and narrative.subject == title

    return Item(Task.TITLES, [made.title] if made.title else [], passes)


def _doubted(shipped: Mapping[str, Any], model: str) -> Item:
    """The tagger is unsure what the last message of the chat says of its writer."""
    cell = _cell(shipped["chat"])
    message, value = cell.messages[-1], shipped["value"]
    start = message.text.index(value)
    statement = Statement(
        message_id=message.id,
        start=start,
        stop=start + len(value),
        kind=shipped["kind"],
        value=value,
        whose=Whose.ME,
        person="",
        stance=Stance(shipped.get("stance", "holds")),
        probability=DOUBTFUL[0],
    )
    [doubt] = doubts(cell, {message.id: [statement]})

    def passes(replies: Sequence[Completion]) -> bool:
        return doubt.verdict(replies[0].text).holds is shipped["holds"]

    return Item(Task.STATEMENTS, [doubt.request], passes)


def _foreseen(shipped: Mapping[str, Any], model: str) -> Item:
    """Some predictions hold, one of them is among those that anybody would expect, and none is absurd."""
    made = _draft(shipped["chat"], "foresights")
    expected, absurd = (re.compile("|".join(shipped[words]), re.IGNORECASE) for words in ("wants", "absurd"))

    def passes(replies: Sequence[Completion]) -> bool:
        formed = finish(made, CellReplies(predictions=replies[0]), Settings()).foresights
        predicted = [foresight.foresight for foresight in formed if foresight.predicted]
        return (
            len(predicted) >= _FEWEST
            and any(map(expected.search, predicted))
            and not any(map(absurd.search, predicted))
        )

    return Item(Task.FORESIGHTS, [made.predictions] if made.predictions else [], passes)


def _narrated(shipped: Mapping[str, Any], model: str) -> Item:
    """The model's narrative is kept, it tells all that matters, and nothing that is false or absurd."""
    made = _draft(shipped["chat"], "narratives")
    wanted = [re.compile(words, re.IGNORECASE) for words in shipped["wants"]]
    absurd = re.compile("|".join(shipped["absurd"]), re.IGNORECASE)

    def narrative(replies: CellReplies) -> str:
        return finish(made, replies, Settings()).episodes[0].episode

    def passes(replies: Sequence[Completion]) -> bool:
        written = narrative(CellReplies(narrative=replies[0]))
        is_kept = written != narrative(CellReplies())
        return is_kept and all(words.search(written) for words in wanted) and not absurd.search(written)

    return Item(Task.NARRATIVES, [made.narrative] if made.narrative else [], passes)


def _answer(shipped: Mapping[str, Any], model: str) -> Item:
    def passes(replies: Sequence[Completion]) -> bool:
        reply = replies[0].text.lower()
        return not refuses(replies[0].text) and any(word.lower() in reply for word in shipped["wants"])

    return Item(Task.ANSWERS, [_asked(shipped, model)], passes)


def _refusal(shipped: Mapping[str, Any], model: str) -> Item:
    return Item(Task.REFUSALS, [_asked(shipped, model)], lambda replies: refuses(replies[0].text))


_MADE: Mapping[Task, Callable[[Mapping[str, Any], str], Item]] = {
    Task.TITLES: _titled,
    Task.STATEMENTS: _doubted,
    Task.ANSWERS: _answer,
    Task.REFUSALS: _refusal,
    Task.FORESIGHTS: _foreseen,
    Task.NARRATIVES: _narrated,
}


def _asked(shipped: Mapping[str, Any], model: str) -> Request:
    """The question about the excerpt, as `ask` puts it to this model."""
    excerpt, question = shipped["excerpt"], shipped["question"]
    if adapter := adapter_of(model):
        return adapted_request(question, excerpt, "", adapter)
    system, passages = prompts.fill("reading", "en", passages=excerpt)
    _, task = prompts.fill("answer-plain", "en", question=question, about="")
    return Request(system=system, user=f"{passages}\n\n{task}", max_tokens=ANSWER_TOKENS)


def _draft(chat: Sequence[Sequence[str]], task: TaskName) -> CellDraft:
    """The draft of a chat in which the model does this task alone."""
    tasks: dict[TaskName, Doer] = {"titles": "code", "foresights": "code", task: "model"}
    return draft([_cell(chat)], Settings(tasks=tasks), Highlighter())[0]


def _cell(chat: Sequence[Sequence[str]]) -> MemCell:
    """The MemCell of a chat."""
    said = [
        Message(
            id=content_id("msg", speaker, text),
            conversation_id="trial",
            ordinal=place,
            external_id=str(place),
            speaker=speaker,
            user_id=speaker,
            role=Role.PARTICIPANT,
            text=text,
            said_at=_START + timedelta(minutes=place),
        )
        for place, (speaker, text) in enumerate(chat, start=1)
    ]
    return MemCell(
        event_id=content_id("cell", *(message.id for message in said)),
        conversation_id="trial",
        group_id="trial",
        kind=ChatKind.GROUP,
        messages=tuple(said),
        boundary_reason="end",
        open=False,
        policy=Policy.ALL,
    )
