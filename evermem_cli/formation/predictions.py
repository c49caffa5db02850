"""Foresights that the model predicts: what may follow from people's statements, which nobody has said.

The model writes what may follow, from which line, roughly when, and how sure it is. Code looks up the evidence, finds
the dates, and drops a prediction that does not rest on its line. A prediction says "may", so that nobody takes it for a
plan wherever it is shown.
"""

import re
from collections.abc import Sequence

from evermem_cli import prompts, timespan
from evermem_cli.engines import Request
from evermem_cli.formation.episodes import View, read_lines, written_date
from evermem_cli.formation.facts import Retelling
from evermem_cli.formation.foresights import Expectation, Window, edges, is_over
from evermem_cli.formation.grounding import CitedWords, content_words, is_repeated, name_words
from evermem_cli.formation.sentences.clarity import is_clear_about
from evermem_cli.languages.language import HAN, language
from evermem_cli.languages.words import words_of
from evermem_cli.naming import NAME

# Predictions asked for, which a reply has to have. Nobody has to invent any for that: what is unfounded or repeated is
# dropped afterwards. The default model, free to write one line, writes four of every item of the trial all the same.
FEWEST, MOST = 4, 10
_READ = 1500  # characters of a chat that are read
_TOKENS = 400
_LINE = {
    "en": r"\[(?P<line>NUMBERS)\] (?P<text>(?P<who>[^\n;:.\[\]]{2,40}) may [^\n;.]{4,120}); "
    r"(?P<when>within \d{1,2} (?:days|weeks|months)|at that time|open); (?P<sure>likely|possible)",
    "zh": r"\[(?P<line>NUMBERS)\] (?P<text>(?P<who>[^\n；：。\[\]]{1,20})可能[^\n；。]{2,60})；"
    r"(?P<when>\d{1,2}(?:天|周|个月)内|那时|不定)；(?P<sure>很可能|也许)",
}
_CONFIDENCE = {"likely": 0.7, "possible": 0.4, "很可能": 0.7, "也许": 0.4}
_THEN = ("at that time", "那时")  # the time that the line tells
_OPEN = ("open", "不定")


def predictions_request(view: View) -> Request | None:
    """A request for predictions, with the most informative statements; None where nothing was stated."""
    lines = read_lines(view, _READ)
    if not lines:
        return None
    chat = "\n".join(f"[{number}] {line}" for number, (line, _) in enumerate(lines, start=1))
    day = written_date(view.cell.messages[0].local_time, view.language)
    system, user = prompts.fill("foresights", view.language, chat=f"{day}\n{chat}")
    line = re.sub(r"\?P<\w+>", "?:", _LINE[view.language]).replace("NUMBERS", _numbers(len(lines)))
    return Request(
        system=system, user=user, max_tokens=_TOKENS, pattern=rf"{line}(?:\n{line}){{{FEWEST - 1},{MOST - 1}}}"
    )


def predictions(view: View, reply: str, expected: Sequence[Expectation]) -> tuple[list[Expectation], int]:
    """The predictions of a reply that hold, in order, and how many do not.

    `expected` are the foresights that were stated; a prediction that repeats one is dropped.
    """
    lines = [retelling for _, retelling in read_lines(view, _READ)]
    proposed = list(re.finditer(_LINE[view.language].replace("NUMBERS", r"\d+"), reply))[:MOST]
    kept: list[Expectation] = []
    for proposal in proposed:
        place = int(proposal["line"]) - 1
        made = _prediction(proposal, lines[place], view) if 0 <= place < len(lines) else None
        if made and not is_repeated(made.text, [other.text for other in (*expected, *kept)]):
            kept.append(made)
    return kept, len(proposed) - len(kept)


def _prediction(proposal: re.Match[str], line: Retelling, view: View) -> Expectation | None:
    """A prediction with its evidence and dates; None where it does not rest on its line, or is over."""
    text = proposal["text"].strip()
    window = _window(proposal["when"], line)
    if window is None or not _rests_on(text, proposal["who"], line, view):
        return None
    own_words = content_words(text, line.source.names)
    said = line.statement.stated
    evidence = max(said, key=lambda sentence: sum(map(CitedWords([sentence], frozenset()).has, own_words)))
    return Expectation(
        text=f"{text}。" if view.language == "zh" else f"{text.rstrip('.')}.",
        evidence=evidence,
        statement=line.statement,
        window=window,
        confidence=_CONFIDENCE[proposal["sure"]],
        predicted=True,
    )


def _rests_on(text: str, who: str, line: Retelling, view: View) -> bool:
    """Whether a prediction can be understood alone, is about somebody of its line, and adds to the chat.

    Its names and numbers are the chat's. What only retells one statement ("may decide to be pescatarian" of "I decided
    to be pescatarian") is no prediction.
    """
    names = name_words(*view.cell.participants)
    chat = CitedWords([message.text for message in view.cell.messages], names)
    own = CitedWords([*line.sentences, line.statement.text], name_words(line.name))
    return (
        language(text) == view.language
        and is_clear_about(text, who)
        and all(map(chat.has, _numbers_in(text)))
        and all(_is_known(name, chat) for name in NAME.findall(text))
        and _concerns(who, own, view.language)
        and not any(_retells(text, retelling) for retelling in view.retellings)
    )


def _numbers_in(text: str) -> list[str]:
    return [word for word in words_of(text) if word.isdecimal()]


def _is_known(name: str, chat: CitedWords) -> bool:
    return not (words := name_words(name)) or words <= chat.names or all(map(chat.has, words))


def _concerns(who: str, own: CitedWords, tongue: str) -> bool:
    """Whether the line names whom or what the prediction is about."""
    if tongue == "zh":
        return not own.unsupported(who)
    words = content_words(who)
    return bool(words) and all(word in own.names or own.has(word) for word in words)


def _retells(text: str, retelling: Retelling) -> bool:
    """Whether the statement has all content words of the text."""
    source = CitedWords([*retelling.sentences, retelling.statement.text], name_words(retelling.name))
    unsaid = source.unsupported(text.replace("可能", ""))
    return not (set(unsaid) & set(HAN.findall(text)) if language(text) == "zh" else unsaid)


def _window(when: str, line: Retelling) -> Window | None:
    """When a prediction is expected. "At that time" is when the line expects something; None if it does not say."""
    message = line.statement.message
    if when in _THEN:
        at = message.local_time
        periods = (timespan.validity(sentence, at) for sentence in line.statement.stated)
        stated = (edges(period, at) for period in periods if period and not is_over(period, at))
        start, end = next((edge for edge in stated if edge[0] != at), (None, None))
        return Window(start=start, end=end, duration_type="fixed" if end else "ongoing") if start else None
    if when in _OPEN:
        return Window(start=message.local_time, end=None, duration_type="ongoing")
    until = timespan.resolve(when.removeprefix("within ").removesuffix("内"), message.local_time)
    return Window(start=message.local_time, end=until.stated_end, duration_type="fixed") if until else None


def _numbers(count: int) -> str:
    return "|".join(str(number) for number in range(1, count + 1))
