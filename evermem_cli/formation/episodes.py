"""Episodes of a MemCell: one for everybody in the third person, and one per speaker in their own voice.

The model proposes a title, which is kept if the messages support it, and, if it is trusted with that, everybody's
narrative (`narratives.py`). Code builds every other narrative from statements in order, with the questions that they
answer, and the summary from the sentences that tell the outcome; the summaries of the default model confused people.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.formation.facts import Retelling
from evermem_cli.formation.grounding import name_words
from evermem_cli.formation.sentences.statements import (
    instructs,
    is_question,
    split_sentences,
    without_instructions,
)
from evermem_cli.formation.summaries import SummarySentence, heading, summary, telling_most
from evermem_cli.formation.titles import TitleCandidate, is_supported
from evermem_cli.languages.language import language
from evermem_cli.memory import ChatKind, MemCell, Message

_MARK = {"en": ": ", "zh": "："}
_SHORT_TITLE = {"en": 60, "zh": 24}  # characters that a title has where code can choose one
_LONGEST_TITLE = {"en": 120, "zh": 48}  # characters that are stored; screens cut a title to their width
_PARTED_QUOTE = '" "'  # separates two sentences that are quoted as said
_QUOTED = {"en": 160, "zh": 60}  # characters quoted where nothing is stated


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """The narrative of a MemCell, before it has an id."""

    subject: str
    summary: str
    episode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Whose narrative it is: `speaker` None for everybody; `first_person` in that speaker's own voice.

    `candidates` are those for its title.
    """

    cell: MemCell
    retellings: tuple[Retelling, ...]
    candidates: tuple[TitleCandidate, ...]
    speaker: str | None
    first_person: bool

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that the view covers."""
        return tuple(message for message in self.cell.messages if self.speaker in {None, message.speaker})

    @property
    def language(self) -> str:
        """The language of the chat: zh or en."""
        return language(" ".join(message.text for message in self.messages))


def view(
    cell: MemCell,
    retellings: Iterable[Retelling],
    candidates: Iterable[TitleCandidate],
    speaker: str | None,
    *,
    first_person: bool,
) -> View:
    """The view of one speaker, or of everybody (None)."""
    return View(
        cell=cell,
        retellings=tuple(one for one in retellings if speaker in {None, one.statement.message.speaker}),
        candidates=tuple(one for one in candidates if speaker in {None, one.speaker}),
        speaker=speaker,
        first_person=first_person,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What the model may write about a MemCell.

    `step` names the prompt, `labels` are what a reply begins with, by language. Of the chat up to `room` characters are
    read. The text has `length` characters, least and most, and a reply up to `tokens`.
    """

    step: str
    labels: Mapping[str, str]
    room: int
    length: tuple[int, int]
    tokens: int

    def request(self, view: View) -> Request | None:
        """A request with the most informative statements; None where nothing was stated."""
        lines = read_lines(view, self.room)
        if not lines:
            return None
        system, user = prompts.fill(self.step, view.language, chat="\n".join(line for line, _ in lines))
        least, most = self.length
        pattern = rf"{self.labels[view.language]}[^\n]{{{least},{most}}}"
        return Request(system=system, user=user, max_tokens=self.tokens, pattern=pattern)

    def text(self, reply: str, language: str) -> str:
        """What a reply has after its label, on one line; empty where it cannot be used."""
        begun, label = reply.strip(), self.labels[language]
        lines = begun.removeprefix(label).splitlines() if begun.startswith(label) else []
        return lines[0].strip() if lines else ""


TITLE = Writing(step="title", labels={"en": "Title: ", "zh": "标题："}, room=480, length=(2, 80), tokens=24)


def read_lines(view: View, room: int) -> list[tuple[str, Retelling]]:
    """The most informative statements that fit within `room` characters, in order, each as the model reads it.

    Instructions in the chat are left out, so the model cannot follow them.
    """
    sayings_of = [(without_instructions(stated(retelling, view)), retelling) for retelling in view.retellings]
    lines = [(_alone(line, retelling.statement.message), retelling) for line, retelling in sayings_of if line]
    sayings = [saying for saying, _ in lines]
    most = telling_most(sayings, name_words(*view.cell.participants), room) if sayings else []
    kept = {sayings.index(saying) for saying in most}
    return [(_shortened(saying.text, room), of) for place, (saying, of) in enumerate(lines) if place in kept]


def _lines(view: View) -> list[str]:
    """The chat in short from the view: the statements with the questions that they answer.

    In a chat with an assistant also everything else, shortened. In a chat without statements, what was said.
    """
    by_message = {retelling.statement.message.id: retelling for retelling in view.retellings}
    lines: list[str] = []
    quoted: set[str] = set()
    for message in view.messages:
        if retelling := by_message.get(message.id):
            asked = retelling.statement.question
            lines += [] if asked is None or asked.id in quoted else retelling.question.splitlines()
            lines.append(stated(retelling, view))
        elif not by_message or view.cell.kind is ChatKind.ASSISTANT:
            quoted.add(message.id)
            lines.append(f"{message.speaker}{_MARK[view.language]}{_shortened(message.text, _QUOTED[view.language])}")
    return lines


def stated(retelling: Retelling, view: View) -> str:
    """A statement in the view's person, after the speaker's name where it does not name its subject."""
    sentences = retelling.statement.stated if view.first_person else retelling.sentences
    text = ("" if view.language == "zh" else " ").join(sentences).replace(_PARTED_QUOTE, " ")
    if view.first_person or retelling.name in sentences[0]:
        return text
    return f"{retelling.name}{_MARK[view.language]}{text}"


def title_of(reply: str, language: str) -> str:
    """The title of a reply; empty where it cannot be used."""
    return TITLE.text(reply, language).strip(" .")


def narrate(view: View, reply: str = "", story: str = "") -> tuple[Narrative, int]:
    """The narrative of a view, and how much of the reply was dropped because nobody said it.

    Where the statements do not support the title of the reply, or the model was not asked, the best candidate is the
    title, in Chinese the most informative sentence. `story` is the narrative that the model wrote; where it is empty,
    code writes one.
    """
    title = title_of(reply, view.language)
    kept = title if title and is_supported(title, view.retellings) else ""
    sayings = _sayings(view)
    names = name_words(*view.cell.participants)
    short, longest = _SHORT_TITLE[view.language], _LONGEST_TITLE[view.language]
    day = written_date(view.cell.messages[0].local_time, view.language)
    narrative = Narrative(
        subject=kept or _shortened(_best_candidate(view) or heading(sayings, names, short), longest).rstrip(".。"),
        summary=summary(sayings, names, view.language),
        episode="\n".join([day, *([story] if story else _lines(view))]),
    )
    return narrative, kept != title


def _best_candidate(view: View) -> str:
    """The best candidate for the title, in the view's person; empty where there is none, as in Chinese."""
    if not view.candidates or view.language == "zh":
        return ""
    best = max(view.candidates, key=lambda candidate: candidate.odds)
    return best.for_speaker if view.first_person else best.for_all


def _sayings(view: View) -> list[SummarySentence]:
    """The view's statements, sentence by sentence, in its own person; everything said where nothing is stated.

    What instructs the memory is left out; where nothing else is said, the names of who talked.
    """
    stated = [_saying(view, retelling, at) for retelling in view.retellings for at in range(len(retelling.sentences))]
    said = [
        _alone(sentence, message)
        for message in view.messages
        for sentence in split_sentences(message.text)
        if not instructs(sentence)
    ]
    return stated or said or [_alone(", ".join(view.cell.participants), view.cell.messages[0])]


def _saying(view: View, retelling: Retelling, place: int) -> SummarySentence:
    """One sentence of a statement; after its speaker and its question where it is not clear."""
    said, retold, message = (
        retelling.statement.stated[place],
        retelling.sentences[place],
        retelling.statement.message,
    )
    asked = retelling.statement.question if place == 0 else None
    clear = retold in retelling.clear
    own = said if view.first_person else retold
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
    """A text without context."""
    return SummarySentence(text, text, message.local_time, True, False)


def written_date(moment: datetime, language: str) -> str:
    """A date in words: "Monday, 3 June 2024", "2024年6月3日"."""
    if language == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日"
    return f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def _shortened(text: str, limit: int) -> str:
    """The text on one line, cut to `limit` characters at the end of a word."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return (cut if language(cut) == "zh" else cut.rsplit(" ", 1)[0]).rstrip(" ,;:-，、") + " …"
