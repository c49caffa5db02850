from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from evermem_cli import timespan
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.questions.query import Query, by_name, read_query

AT = datetime(2023, 10, 20, 12, tzinfo=UTC)
SPEAKERS = ("Caroline", "Melanie Smith", "小明")


def read(text: str, asker: str | None = None) -> Query:
    return read_query(text, SHIPPED.read_question(text), SPEAKERS, timespan.find(text, AT), asker)


def test_function_words_are_not_looked_up() -> None:
    assert read("What new book did Caroline read for the first time?").words == (
        "new", "book", "caroline", "read", "first", "time",
    )  # fmt: skip


def test_the_people_named_say_i_in_the_question_that_is_embedded() -> None:
    question = read("When did Caroline show her sister Caroline's painting?")
    assert question.spoken == "When did I show her sister my painting?"
    assert question.speakers == {"Caroline"}


def test_a_speaker_is_known_by_the_first_name() -> None:
    question = read("Where did melanie go?")
    assert question.speakers == {"Melanie Smith"}
    assert question.spoken == "Where did I go?"


def test_a_name_inside_another_word_names_nobody() -> None:
    assert read("Is Carolines a shop?").speakers == frozenset()


def test_chinese_names_need_no_spaces_around_them() -> None:
    question = read("小明什么时候去北京？")
    assert question.speakers == {"小明"}
    assert question.spoken == "我什么时候去北京？"
    assert question.wants_time


def test_who_asks_is_meant_by_i_and_only_then() -> None:
    assert read("Where did I park?", asker="Melanie Smith").speakers == {"Melanie Smith"}
    assert read("Where did Caroline park?", asker="Melanie Smith").speakers == {"Caroline"}


def test_the_time_named_becomes_whole_days() -> None:
    assert read("What did Caroline do in July 2023?").intervals == ((date(2023, 7, 1), date(2023, 8, 1)),)
    assert read("What happened since August 2023?").intervals == ((date(2023, 8, 1), date.max),)
    assert read("What does Caroline like?").intervals == ()


@pytest.mark.parametrize("text", ["When did she leave?", "What year was it?", "How long has he been away?"])
def test_questions_for_a_time_are_known(text: str) -> None:
    assert read(text).wants_time


@pytest.mark.parametrize("text", ["Who is her doctor?", "Which city did they visit?", "What is the dog called?"])
def test_questions_for_a_name_are_known(text: str) -> None:
    assert read(text).wants_name


@pytest.mark.parametrize("text", ["How many bikes do I own?", "How old is she?", "我有几辆车？"])
def test_questions_for_a_number_are_known(text: str) -> None:
    assert read(text).wants_number


def test_who_counts_what_was_done_told_no_number() -> None:
    assert not read("How many model kits have I bought?").wants_number
    assert not read("How many weddings did we go to in May?").wants_number
    assert read("How many siblings do I have?").wants_number


def test_what_advice_is_wanted_for_is_no_time_when_something_was_said() -> None:
    text = "What should I cook this weekend?"
    spans, asked = timespan.find(text, AT), SHIPPED.read_question(text)
    assert read_query(text, replace(asked, advice=False), SPEAKERS, spans).intervals
    assert read_query(text, replace(asked, advice=True), SPEAKERS, spans).intervals == ()


def test_how_far_away_a_time_is_is_not_looked_up_and_names_of_times_are() -> None:
    assert read("What race did I run two weeks ago?").words == ("race", "run", "two")
    assert read("What did I buy last June, and what did I do next?").words == ("buy", "june", "next")
    assert read("How many weeks did the course last?").words == ("weeks", "course", "last")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我上个月买了茶？", "买了 了茶"),
        ("上上周买了茶", "买了 了茶"),
        ("今年买了茶，这个月买了茶", "买了 了茶"),
        ("这周末买了茶", "周末 末买 买了 了茶"),
        ("去年夏天买了茶", "夏天 天买 买了 了茶"),
        ("三天前买了茶", "买了 了茶"),
        ("两个月之前买了茶", "买了 了茶"),
        ("最近三个月买了茶", "买了 了茶"),
        ("上周六买了茶", "周六 六买 买了 了茶"),
        ("5月3日买了茶", "5 月 3 日买 买了 了茶"),
        ("最近怎么样", "最近 近怎 怎么 么样"),  # no time phrase
    ],
)
def test_how_far_away_a_time_is_is_not_looked_up_in_chinese_either(text: str, words: str) -> None:
    assert read(text).words == tuple(words.split())


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        ("How many model kits have I bought?", "model kits I bought"),
        ("Which streaming service did Caroline start with?", "streaming service I start with"),
        ("Can you recommend a film?", "recommend a film"),
        ("小明什么时候去北京？", "我什么时候去北京"),
        ("What?", "What?"),
    ],
)
def test_a_question_is_also_embedded_as_a_statement(asked: str, stated: str) -> None:
    assert read(asked).stated == stated


def test_other_questions_want_none_of_these() -> None:
    question = read("Why did Caroline cry?")
    assert not question.wants_time
    assert not question.wants_name
    assert not question.wants_number


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("What is my cat called?", "What is the name of my cat?"),
        (
            "What's the lab that Bob joined called, and where is it?",
            "What's the name of the lab that Bob joined, and where is it?",
        ),
        ("Who called me?", "Who called me?"),
        ("What is the boy named Tim like?", "What is the boy named Tim like?"),
    ],
)
def test_what_something_is_called_is_its_name(asked: str, meant: str) -> None:
    assert by_name(asked) == meant


def test_what_is_left_of_a_contraction_is_no_word_and_the_word_like_it_is_one() -> None:
    assert read("Who won the quiz?").words == ("won", "quiz")
    assert read("Why won’t Ann come, and why don't I?").words == ("ann", "come")
    assert read("Where does Don live?").words == ("don", "live")
