"""Episodes of a MemCell: for all in the third person, and for each speaker in their own voice.

The model gives the title, which is kept where it was said. The narrative is put together by code from what was stated,
in order, with the questions that were answered, and the summary from those sentences that tell what came of it.
Stories by the default model took longer to write than all facts of a cell and half of what they told had not been said,
and its summaries took one for another.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.formation.facts import Claim, Retelling
from evermem_cli.formation.grounding import name_words
from evermem_cli.formation.sentences.statements import is_question, split_sentences, without_instructions
from evermem_cli.formation.summaries import SummarySentence, heading, summary, telling_most
from evermem_cli.formation.titles import is_supported
from evermem_cli.languages.language import language
from evermem_cli.memory import ChatKind, MemCell, Message

_TOKENS = 24  # of a title
_READ = 480  # characters of a chat are read for its title
_LABEL = {"en": "Title: ", "zh": "标题："}
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
    retellings: tuple[Retelling, ...]
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


def view(cell: MemCell, retellings: Iterable[Retelling], speaker: str | None, *, first_person: bool) -> View:
    """The view of one speaker, or of all (None)."""
    own = tuple(retelling for retelling in retellings if speaker in {None, retelling.statement.message.speaker})
    return View(cell=cell, retellings=own, speaker=speaker, first_person=first_person)


def title_request(view: View) -> Request | None:
    """Asks for a title of the statements that say most; None when nothing was stated."""
    stated = [(without_instructions(_stated(each, view)), each.statement.message) for each in view.retellings]
    lines = [_alone(line, message) for line, message in stated if line]  # no instruction is read, so none is followed
    if not lines:
        return None
    most = telling_most(lines, name_words(*view.cell.participants), _READ)
    chat = "\n".join(_shortened(saying.text, _READ) for saying in sorted(most, key=lines.index))
    system, user = prompts.fill("title", view.language, chat=chat)
    pattern = rf"{_LABEL[view.language]}[^\n]{{2,80}}"
    return Request(system=system, user=user, max_tokens=_TOKENS, pattern=pattern)


def _lines(view: View) -> list[str]:
    """The chat in short, in the view's person: what was stated, with the questions that it answers.

    In a chat with an assistant also what else was said, cut short; in any chat without a statement, what was said.
    """
    by_message = {retelling.statement.message.id: retelling for retelling in view.retellings}
    lines: list[str] = []
    quoted: set[str] = set()
    for message in view.messages:
        if retelling := by_message.get(message.id):
            asked = retelling.statement.question
            lines += [] if asked is None or asked.id in quoted else retelling.question.splitlines()
            lines.append(_stated(retelling, view))
        elif not by_message or view.cell.kind is ChatKind.ASSISTANT:
            quoted.add(message.id)
            lines.append(f"{message.speaker}{_MARK[view.language]}{_shortened(message.text, _QUOTED[view.language])}")
    return lines


def _stated(retelling: Retelling, view: View) -> str:
    """A statement in the view's person, after its speaker's name where it does not say whose it is."""
    sentences = retelling.statement.sentences if view.first_person else retelling.told
    text = ("" if view.language == "zh" else " ").join(sentences).replace(_PARTED_QUOTE, " ")
    if view.first_person or retelling.name in sentences[0]:
        return text
    return f"{retelling.name}{_MARK[view.language]}{text}"


def is_readable(reply: str, language: str) -> bool:
    """Whether a reply is a title."""
    return bool(_title(reply, language))


def _title(reply: str, language: str) -> str:
    match = re.match(rf"\s*{_LABEL[language]}(.+)", reply)
    return match.group(1).strip(" .") if match else ""


def narrate(view: View, reply: str = "", claims: Iterable[Claim] = ()) -> tuple[Narrative, int]:
    """The narrative of a view, and how much of the reply was dropped because it was not said.

    Where what was stated does not support the title, or the model was not asked, the sentence that says most heads it.
    `claims` tell what sentences mean that are not clear by themselves.
    """
    title = _title(reply, view.language)
    kept = title if title and is_supported(title, view.retellings) else ""
    sayings = _sayings(view, {} if view.first_person else _meanings(claims))
    names = name_words(*view.cell.participants)
    limit = _TITLE[view.language]
    narrative = Narrative(
        subject=kept or _shortened(heading(sayings, names, limit), limit).rstrip(".。"),
        summary=summary(sayings, names, view.language),
        episode=_story(view),
    )
    return narrative, kept != title


def _meanings(claims: Iterable[Claim]) -> dict[tuple[str, int], str]:
    """What is meant by a sentence, by its message and place."""
    meant: dict[tuple[str, int], str] = {}
    for claim in claims:
        place = (claim.statement.message.id, claim.place)
        meant[place] = " ".join(filter(None, (meant.get(place), claim.text)))
    return meant


def _sayings(view: View, meanings: Mapping[tuple[str, int], str]) -> list[SummarySentence]:
    """What the view states, a sentence each, in its own person; what was said, if it states nothing."""
    stated = [_saying(view, each, at, meanings) for each in view.retellings for at in range(len(each.told))]
    return stated or [_alone(message.text, message) for message in view.messages]


def _saying(view: View, retelling: Retelling, place: int, meanings: Mapping[tuple[str, int], str]) -> SummarySentence:
    """One sentence of a statement: as it is meant where that is known, else after its speaker and what it answers."""
    said, retold, message = retelling.statement.sentences[place], retelling.told[place], retelling.statement.message
    meant = meanings.get((message.id, place))
    asked = retelling.statement.question if place == 0 else None
    clear = bool(meant) or retold in retelling.clear
    own = said if view.first_person else meant or retold
    if not clear and not view.first_person:
        own = own if retelling.name in own else f"{retelling.name}{_MARK[view.language]}{own}"
        own = f"{_last_question(asked)} {own}" if asked else own
    return SummarySentence(own, said, message.local_time, clear, asked is not None)


def _last_question(asked: Message) -> str:
    questions = [sentence for sentence in split_sentences(asked.text) if is_question(sentence)]
    mark = _MARK[language(asked.text)]
    ends = "" if questions and questions[-1].endswith(("?", "？")) else "?"
    return f"{asked.speaker}{mark}{questions[-1]}{ends}" if questions else ""


def _alone(text: str, message: Message) -> SummarySentence:
    """A text as it stands."""
    return SummarySentence(text, text, message.local_time, True, False)


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
