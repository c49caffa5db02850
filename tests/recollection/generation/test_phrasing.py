"""How answers are put: what only repeats the question goes."""

from dataclasses import replace
from datetime import timedelta

import pytest

from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.generation.citations import cite, likeliest
from evermem_cli.recollection.generation.phrasing import AnswerStream
from evermem_cli.recollection.generation.told_dates import date_as_told
from evermem_cli.recollection.passages.lines import Line
from evermem_cli.recollection.questions.question import Question, read_question
from tests.consolidation.test_assertions import SAID_AT
from tests.recollection.asking import line_of


def asked(text: str) -> Question:
    """A question to a memory that knows nobody's name."""
    return read_question(text, SHIPPED.read_question(text), SAID_AT)


def put(answer: str, question: str) -> str:
    """The answer as it is told when it comes letter by letter."""
    told: list[str] = []
    stream = AnswerStream(asked(question), told.append)
    for letter in answer:
        stream(letter)
    whole = stream.end()
    assert whole == "".join(told).strip()
    return whole


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("What has John cooked?", "John has cooked soup and honey chicken.", "soup and honey chicken."),
        ("What does Ann say running has been great for?", "Ann says running has been great for her head.", "her head."),
        ("What might Bob's income be?", "Bob's income might be less than average", "less than average"),
        ("What did Ann donate in May?", "Ann donated her old car in May.", "her old car in May."),
        ("Who did Ann go to yoga with?", "Ann went to yoga with Rob.", "Rob."),
        ("Who did Ann meet in Canada?", "Ann met a Canadian nurse.", "a Canadian nurse."),
        ("Why did Ann leave after lunch?", "Ann left after lunch because it rained.", "because it rained."),
        ("Why did Ann run for office again?", "Ann wanted to help", "Ann wanted to help"),
        ("What did Ann paint?", "Painted shells", "Painted shells"),
        ("Who helped James and Sam move?", "James and Sam's parents", "James and Sam's parents"),
        ("Where does Ann work?", "At Orrery Labs", "At Orrery Labs"),
        ("Did Ann move to Leeds?", "Yes.", "Yes."),
        ("Where did Ann buy it?", "The excerpts do not say where Ann bought it.", "Memory does not say."),
        ("Where did Ann buy it?", "There is no information about that.", "Memory does not say."),
        ("Where did Ann buy it?", "Not mentioned in the excerpts.", "Memory does not say."),
        ("What is in the fridge?", "There is no milk in it.", "There is no milk in it."),
        ("What did Ann read?", "The excerpt of a novel", "The excerpt of a novel"),
        ("How is Ann?", "Not well.", "Not well."),
        ("What does Ann like?", "tea, old books, Tea, old books, tea, ol", "tea, old books"),
        ("What does Ann like?", "tea, teapots, tea and cake", "tea, teapots, tea and cake"),
        ("What does Ann like?", "sunflowers, sun", "sunflowers, sun"),
        ("Where was Ann?", "In May, in Rome, in May, at home.", "In May, in Rome, in May, at home."),
        ("Where was Ann?", "East Coast, East Coast.", "East Coast"),
        ("Where was Ann?", "Rome, Italy, and Milan, Italy", "Rome, Italy, and Milan, Italy"),
        ("Where was Ann?", "Oslo, Rome, Bonn, Oslo, Rome, Bo", "Oslo, Rome, Bonn"),
        ("What did it cost?", "$1,000 to $2,000", "$1,000 to $2,000"),
        ("安喜欢什么？", "茶、书、茶、书", "茶、书"),
        ("Who is Ann's friend?", "Ann's friend is Ann", "Ann's friend is Ann"),
        ("小雨住在哪里？", "小雨住在北京", "小雨住在北京"),
    ],
)
def test_an_answer_begins_where_it_says_more_than_the_question(question: str, answer: str, told: str) -> None:
    assert put(answer, question) == told


def line(text: str) -> Line:
    return line_of(text, text.partition(" [")[0])


def test_what_search_found_the_likelier_is_cited_before_what_was_said_later() -> None:
    often, once = line("Ann: The lake is where I go."), line("Ann: I swam in the lake.")
    often = replace(often, evidence=replace(often.evidence, id="often", score=2.0))
    once = replace(once, evidence=replace(once.evidence, id="once", said_at=SAID_AT + timedelta(days=9)))
    cited = cite("The lake.", asked("Where does Ann go?"), [once, often])
    assert [each.id for each in cited] == ["often", "once"]


def test_an_answer_in_another_form_of_the_questions_words_is_supported() -> None:
    assert cite("Ann lives close to it.", asked("Does Ann live close to the lake?"), [line("Ann: It is close.")])


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("11 April 2025", "11 April 2025"),
        ("no longer so since 11 April 2025", "11 April 2025"),
        ("[no longer so since 11 April 2025]", "11 April 2025"),
        ("12 May 2025", "1 March 2025"),  # in no excerpt: the day above the one that is most like the question
    ],
)
def test_when_what_an_excerpt_says_ended_is_not_when_something_was(written: str, told: str) -> None:
    lines = [
        line("I look for a place in Antwerp, to move there. [no longer so since 11 April 2025]"),
        line("Moved yesterday [11 April 2025]!"),
    ]
    assert date_as_told(written, asked("When did I move to Antwerp?"), lines) == told


def test_an_answer_in_words_of_its_own_rests_on_what_passed_the_check() -> None:
    lines = [with_margin(line_of(text), margin) for text, margin in (("from nine to one", 2.0), ("see you", -1.0))]
    assert not cite("Four hours", asked("How long was the power out?"), lines)
    assert likeliest("Four hours", lines) == [lines[0].evidence]
    assert likeliest("Memory does not say.", lines) == []
    assert likeliest("Four hours", lines[1:]) == []


def with_margin(line: Line, margin: float) -> Line:
    return replace(line, evidence=replace(line.evidence, answers=margin))
