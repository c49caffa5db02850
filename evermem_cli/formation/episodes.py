"""Episodes of a MemCell: for all in the third person, and for each speaker in their own voice.

The model gives the title. The narrative is put together by code from what was stated, in order, with the questions that
were answered, and the summary from those of its sentences that say most: stories by the default model took longer to
write than all facts of a cell and half of what they told had not been said, and its summaries took one for another.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.formation.facts import Telling
from evermem_cli.formation.ground import Source, content_words, name_words
from evermem_cli.formation.statements import without_instructions
from evermem_cli.language import language
from evermem_cli.memory import ChatKind, MemCell, Message

_TOKENS = 24  # of a title
_READ = 480  # characters of a chat are read for its title
_TITLE_SUPPORT = 0.5  # share of a title's words that must have been said: it may name what they have in common
_LABEL = {"en": "Title: ", "zh": "标题："}
_SUMMARY = {"en": 240, "zh": 90}  # characters
_MARK = {"en": ": ", "zh": "："}
_TITLE = {"en": 60, "zh": 24}  # characters
_PARTED_QUOTE = '" "'  # between two sentences that both stand as they were said
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


def title_request(view: View) -> Request | None:
    """Asks for a title of the statements that say most; None when nothing was stated."""
    stated = [_stated(telling, view) for telling in view.tellings]
    told = list(filter(None, map(without_instructions, stated)))  # it reads no instruction, and so can follow none
    if not told:
        return None
    chat = "\n".join(_shortened(line, _READ) for line in _telling_most(told, view, _READ))
    system, user = prompts.fill("title", view.language, chat=chat)
    pattern = rf"{_LABEL[view.language]}[^\n]{{2,80}}"
    return Request(system=system, user=user, max_tokens=_TOKENS, pattern=pattern)


def _lines(view: View) -> list[str]:
    """The chat in short, in the view's person: what was stated, with the questions that it answers.

    In a chat with an assistant also what else was said, cut short; in any chat without a statement, what was said.
    """
    told = {telling.statement.message.id: telling for telling in view.tellings}
    lines: list[str] = []
    quoted: set[str] = set()
    for message in view.messages:
        if telling := told.get(message.id):
            asked = telling.statement.question
            lines += [] if asked is None or asked.id in quoted else telling.question.splitlines()
            lines.append(_stated(telling, view))
        elif not told or view.cell.kind is ChatKind.ASSISTANT:
            quoted.add(message.id)
            lines.append(f"{message.speaker}{_MARK[view.language]}{_shortened(message.text, _QUOTED[view.language])}")
    return lines


def _stated(telling: Telling, view: View) -> str:
    """A statement in the view's person, after its speaker's name where it does not say whose it is."""
    sentences = telling.statement.sentences if view.first_person else telling.told
    text = ("" if view.language == "zh" else " ").join(sentences).replace(_PARTED_QUOTE, " ")
    if view.first_person or telling.name in sentences[0]:
        return text
    return f"{telling.name}{_MARK[view.language]}{text}"


def is_readable(reply: str, language: str) -> bool:
    """Whether a reply is a title."""
    return bool(_title(reply, language))


def _title(reply: str, language: str) -> str:
    match = re.match(rf"\s*{_LABEL[language]}(.+)", reply)
    return match.group(1).strip(" .") if match else ""


def narrate(view: View, reply: str = "") -> tuple[Narrative, int]:
    """The narrative of a view, and how much of the reply was dropped because it was not said.

    Where the chat does not support the title, or the model was not asked, the sentence that says most heads it.
    """
    title = _title(reply, view.language)
    kept = title if title and _is_said(title, view) else ""
    said = _clear(view) or _sentences(view)
    narrative = Narrative(
        subject=kept or _heading(said, view),
        summary=_summary(said, view),
        episode=_story(view),
    )
    return narrative, kept != title


def _clear(view: View) -> list[str]:
    """Those sentences of the view that can be understood alone."""
    return [
        sentence
        for telling in view.tellings
        for sentence, told in zip(
            telling.statement.sentences if view.first_person else telling.told, telling.told, strict=True
        )
        if told in telling.clear
    ]


def _summary(said: Sequence[str], view: View) -> str:
    return ("" if view.language == "zh" else " ").join(_telling_most(said, view, _SUMMARY[view.language]))


def _heading(said: Sequence[str], view: View) -> str:
    limit = _TITLE[view.language]
    [best] = _telling_most([sentence for sentence in said if len(sentence) <= limit] or said[:1], view, room=0)
    return _shortened(best, limit).rstrip(".。")


def _telling_most(said: Sequence[str], view: View, room: int) -> list[str]:
    """The one that says most and, in order, as many more as fit: each next is that with the most words not yet said."""
    names = name_words(*view.cell.participants)
    words = {sentence: set(content_words(sentence, names)) for sentence in said}
    chosen = [max(said, key=lambda sentence: len(words[sentence]))]
    told = set(words[chosen[0]])
    while len(chosen) < len(words):
        fitting = [each for each in words if each not in chosen and len(" ".join([*chosen, each])) <= room]
        best = max(fitting, key=lambda sentence: len(words[sentence] - told), default="")
        if not words.get(best, set()) - told:
            break
        chosen.append(best)
        told |= words[best]
    return sorted(chosen, key=said.index)


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


def _is_said(title: str, view: View) -> bool:
    """Whether every name and number of a title and most of its words were said, by the one it names if it names one."""
    asked = [telling.statement.question for telling in view.tellings if telling.statement.question]
    names = name_words(*view.cell.participants, *(telling.name for telling in view.tellings))
    texts: dict[str, list[str]] = {}
    for message in (*view.messages, *asked):
        texts.setdefault(message.speaker, []).append(without_instructions(message.text))
    for telling in view.tellings:
        if telling.statement.question:
            texts[telling.statement.message.speaker].append(telling.statement.question.text)
    named = [speaker for speaker in texts if speaker.lower() in title.lower()]
    meant = texts[named[0]] if len(named) == 1 else [text for own in texts.values() for text in own]
    return Source(meant, names).supports_mostly(title, _TITLE_SUPPORT)
