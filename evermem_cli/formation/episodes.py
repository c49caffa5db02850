"""Episodes of a MemCell: for all in the third person, and for each speaker in their own voice.

The model gives the title and the summary. The narrative is put together by code from what was stated, in order, with
the questions that were answered: stories by the default model took longer to write than all facts of a cell, left most
of them out, and half of what they told had not been said.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import prompts
from evermem_cli.engines import Llm, Request
from evermem_cli.formation.facts import Telling
from evermem_cli.formation.ground import Source, name_words
from evermem_cli.formation.statements import without_instructions
from evermem_cli.language import language
from evermem_cli.memory import ChatKind, MemCell, Message

_TOKENS = 112  # title and summary
_TEMPLATE_TOKENS = 32  # what the chat template adds
_TITLE_SUPPORT = 0.5  # share of a title's words that must have been said: it may name what they have in common
_SUPPORT = 0.75  # the same of the summary
_LABELS = {"en": ("Title: ", "Summary: "), "zh": ("标题：", "摘要：")}
_MARK = {"en": ": ", "zh": "："}
_TITLE = {"en": 60, "zh": 24}  # characters
_QUOTED = {"en": 160, "zh": 60}  # characters of what states nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """A told MemCell, before it has an id."""

    subject: str
    summary: str
    episode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Whose narrative it is: `speaker` None for all; `first_person` in that speaker's own voice."""

    cell: MemCell
    tellings: tuple[Telling, ...]
    speaker: str | None
    first_person: bool

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages it tells."""
        return tuple(message for message in self.cell.messages if self.speaker in {None, message.speaker})

    @property
    def language(self) -> str:
        """That of the chat: zh or en."""
        return language(" ".join(message.text for message in self.messages))


def view(cell: MemCell, tellings: Iterable[Telling], speaker: str | None, *, first_person: bool) -> View:
    """The view of one speaker, or of all (None)."""
    own = tuple(telling for telling in tellings if speaker in {None, telling.statement.message.speaker})
    return View(cell=cell, tellings=own, speaker=speaker, first_person=first_person)


def episode_request(view: View, llm: Llm) -> Request | None:
    """Asks for title and summary; None when nothing was stated. Of a chat longer than the context, its beginning."""
    if not view.tellings:
        return None
    system, _ = prompts.fill("episode", view.language, chat="")
    room = llm.context_tokens - llm.count_tokens(system) - _TOKENS - _TEMPLATE_TOKENS
    told = filter(None, map(without_instructions, _lines(view)))  # it reads no instruction, and so can follow none
    lines = _fitting([f"{line}\n" for line in told], llm, room)
    title, summary = _LABELS[view.language]
    stop = "。" if view.language == "zh" else "."
    inner = r"(?:[^\n.。]|\.\d)"
    pattern = rf"{title}[^\n]{{2,80}}\n{summary}{inner}{{5,240}}{re.escape(stop)}"
    user = prompts.fill("episode", view.language, chat="".join(lines).rstrip("\n"))[1]
    return Request(system=system, user=user, max_tokens=_TOKENS, pattern=pattern)


def _lines(view: View) -> list[str]:
    """The chat in short, in the view's person: what was stated, with the questions that it answers.

    In a chat with an assistant also what else was said, cut short; in any chat without a statement, what was said.
    """
    told = {telling.statement.message.id: telling for telling in view.tellings}
    lines = []
    for message in view.messages:
        if telling := told.get(message.id):
            lines += [*telling.question.splitlines(), _stated(telling, view)]
        elif not told or view.cell.kind is ChatKind.ASSISTANT:
            lines.append(f"{message.speaker}{_MARK[view.language]}{_shortened(message.text, _QUOTED[view.language])}")
    return lines


def _stated(telling: Telling, view: View) -> str:
    """A statement in the view's person, after its speaker's name where it does not say whose it is."""
    sentences = telling.statement.sentences if view.first_person else telling.told
    text = ("" if view.language == "zh" else " ").join(sentences)
    if view.first_person or telling.name in sentences[0]:
        return text
    return f"{telling.name}{_MARK[view.language]}{text}"


def _fitting(lines: Sequence[str], llm: Llm, room: int) -> list[str]:
    """The first of the lines that fit `room` tokens; those that alone are too long are left out."""
    chosen = []
    for line in lines:
        size = llm.count_tokens(line)
        if size <= room:
            chosen.append(line)
            room -= size
    return chosen


def is_readable(reply: str, language: str) -> bool:
    """Whether a reply has a title and a summary."""
    return _read(reply, language) is not None


def _read(reply: str, language: str) -> tuple[str, str] | None:
    title, summary = _LABELS[language]
    match = re.match(rf"\s*{title}(.+)\n+{summary}(.+)", reply)
    return (match.group(1).strip(" ."), match.group(2).strip()) if match else None


def narrate(view: View, reply: str = "") -> tuple[Narrative, int]:
    """The narrative of a view, and how much of the reply was dropped because it was not said.

    Where the chat does not support them, or the model was not asked, its first and its longest sentence head it.
    """
    title, summary = _read(reply, view.language) or ("", "")
    checks = _Checks(view)
    kept_title = title if title and checks.hold(title, _TITLE_SUPPORT) else ""
    kept_summary = summary if summary and checks.hold(summary, _SUPPORT) else ""
    said = _sentences(view)
    narrative = Narrative(
        subject=kept_title or _shortened(said[0], _TITLE[view.language]),
        summary=kept_summary or max(said, key=len),
        episode=_story(view),
    )
    return narrative, (kept_title != title) + (kept_summary != summary)


def _sentences(view: View) -> list[str]:
    """What the view states, in its own person; what was said, if it states nothing."""
    if view.first_person:
        stated = [sentence for telling in view.tellings for sentence in telling.statement.sentences]
    else:
        stated = [sentence for telling in view.tellings for sentence in telling.told]
    return stated or [message.text for message in view.messages]


def _story(view: View) -> str:
    day = written_date(view.cell.messages[0].local_time, view.language)
    return "\n".join([day, *_lines(view)])


def written_date(moment: datetime, language: str) -> str:
    """A day as people write it: "Monday, 3 June 2024", "2024年6月3日"."""
    if language == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日"
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def _shortened(text: str, limit: int) -> str:
    """The text on one line, cut to `limit` characters at a word's end."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut if language(cut) == "zh" else cut.rsplit(" ", 1)[0]).rstrip(" ,;:-，、") + " …"


class _Checks:
    """What title and summary must pass: every name and number was said, and most words by those it names."""

    def __init__(self, view: View) -> None:
        asked = [telling.statement.question for telling in view.tellings if telling.statement.question]
        self._names = name_words(*view.cell.participants, *(telling.name for telling in view.tellings))
        self._texts: dict[str, list[str]] = {}
        for message in (*view.messages, *asked):
            self._texts.setdefault(message.speaker, []).append(without_instructions(message.text))
        for telling in view.tellings:
            if telling.statement.question:
                self._texts[telling.statement.message.speaker].append(telling.statement.question.text)

    def hold(self, sentence: str, share: float) -> bool:
        """Whether the sentence is made of what was said; of one person's words where it names one person."""
        named = [speaker for speaker in self._texts if speaker.lower() in sentence.lower()]
        texts = self._texts[named[0]] if len(named) == 1 else [text for own in self._texts.values() for text in own]
        return Source(texts, self._names).supports_mostly(sentence, share)
