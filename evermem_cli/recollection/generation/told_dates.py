"""Dates in the words of the excerpts.

A small model answers "23 August 2023" after it has read "the week before 23 August 2023". The dates given here all
stand in the passages.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from evermem_cli.languages.words import words_of
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.passages.lines import OVER, Line
from evermem_cli.recollection.questions.question import Question

# The brackets of an excerpt: the day on which something happened, or when its content ended. The latter answers no
# "when".
_BRACKET = re.compile(rf"\[(?!{OVER['en']})([^\]]*\d{{4}})\]")
_OVER = re.compile(rf"\[?{OVER['en']} ([^\]]*\d{{4}})\]?")
_YEAR = re.compile(r"\d{4}")
_DATES = (
    re.compile(r"(?P<day>\d{1,2}) (?P<month>[A-Z]\w+),? (?P<year>\d{4})"),
    re.compile(r"(?P<month>[A-Z]\w+) (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"),
)


def date_as_told(text: str, question: Question, lines: Sequence[Line]) -> str:
    """A date in the words of the line that shares most words with the question: "the week before 23 August 2023".

    Other texts are returned unchanged. A day that no line names is a slip ("2 June 2025" for "Tuesday 3 June 2025"),
    and so is a year if the lines name only days in it. Such a date is replaced by that of the line that shares
    most words with the question.
    """
    text = _OVER.sub(r"\1", text)
    if bracket := _BRACKET.search(text):
        return bracket[1]
    date, hits = _plain(text), [line for line in lines if line.is_hit]
    asked = question.terms.words
    if year := _YEAR.fullmatch(text.strip(" .")):
        told_alone = any(year[0] in _BRACKET.findall(line.text) or year[0] in line.message.text for line in lines)
        of_that_year = [line for line in hits if year[0] in f"{line.date} {line.text}"]
        return text if "year" in asked or told_alone or not of_that_year else _told_in(of_that_year, asked)
    if not date or not hits:
        return text
    if not any(spelt in f"{line.date} {line.text}" for line in lines for spelt in (date, _in_chinese(date))):
        return _told_in(hits, asked)
    of_that_day = [line for line in hits if date == line.date or date in line.text]
    told_there = _BRACKET.findall(_most_of(asked, of_that_day).text) if of_that_day else []
    longer = [longer_one for longer_one in told_there if longer_one.endswith(date) and longer_one != date]
    return longer[0] if longer and date not in told_there else text


def _told_in(lines: Sequence[Line], asked: frozenset[str]) -> str:
    """The time that is named by the line with most of these words."""
    best = _most_of(asked, lines)
    bracket = _BRACKET.search(best.text)
    return bracket[1] if bracket else best.date


def _in_chinese(date: str) -> str:
    try:
        return day(datetime.strptime(date, "%d %B %Y"), "zh")
    except ValueError:
        return date  # there is no 31 June in any language


def _most_of(asked: frozenset[str], lines: Sequence[Line]) -> Line:
    """The first of the lines that have most of these words."""
    return max(lines, key=lambda line: len(asked & set(words_of(line.text))))


def _plain(text: str) -> str:
    """The day that the text consists of, as the excerpts write days; "" where it is not a day."""
    for form in _DATES:
        if match := form.fullmatch(text.strip(" .")):
            return f"{int(match['day'])} {match['month']} {match['year']}"
    return ""
