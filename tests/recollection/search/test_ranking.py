from dataclasses import dataclass, replace
from datetime import date

import numpy as np
import pytest

from evermem_cli.memory.pool import Ints, Pool, Views, inverse_document_frequency
from evermem_cli.recollection.questions.query import Query
from evermem_cli.recollection.search.ranking import (
    FEATURES,
    PARTS,
    SHORTLIST,
    WEIGHTS,
    features,
    question_share,
    rank,
    reasons,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A row of a pool: who said what, with how many words of the question and what cosine to it."""

    speaker: str
    text: str = "I see what you mean by that and I am glad."
    words: tuple[int, ...] = (0,)
    cosine: float = 0.0
    at: str = "2023-05-01T10:00"
    length: int = 10
    wanted: bool = True
    drawn: bool = False
    opens: bool = False


def pool_of(*rows: Said, position: list[int] | None = None) -> Pool:
    known = len(rows[0].words) if rows else 0
    return Pool(
        head=np.arange(len(rows)),
        position=np.array(position or range(len(rows)), dtype=np.int64),
        drawn=np.array([row.drawn for row in rows], dtype=np.bool_),
        opens=np.array([row.opens for row in rows], dtype=np.bool_),
        said_at=np.array([row.at for row in rows], dtype="datetime64[s]"),
        speaker=np.array([row.speaker for row in rows], dtype=np.str_),
        text=[row.text for row in rows],
        length=np.array([row.length for row in rows], dtype=np.float64),
        mean_length=10.0,
        counts=np.array([row.words for row in rows], dtype=np.float64).reshape(len(rows), known),
        idf=np.full(known, 5.0),
        cosine=np.array([row.cosine for row in rows], dtype=np.float64),
        wanted=np.array([row.wanted for row in rows], dtype=np.bool_),
    )


def asked(
    speakers: frozenset[str] = frozenset(),
    intervals: tuple[tuple[date, date], ...] = (),
    wants_time: bool = False,
    wants_name: bool = False,
    wants_number: bool = False,
    wants_advice: bool = False,
) -> Query:
    return Query(
        words=("word",),
        spoken="word?",
        stated="word",
        speakers=speakers,
        intervals=intervals,
        wants_time=wants_time,
        wants_name=wants_name,
        wants_number=wants_number,
        wants_advice=wants_advice,
    )


def feature(name: str, query: Query, pool: Pool) -> list[float]:
    _, matrix = features(query, pool, np.array(list(WEIGHTS.values())))
    return [round(float(value), 3) for value in matrix[:, FEATURES.index(name)]]


def best(query: Query, pool: Pool) -> int:
    return int(rank(query, pool)[0][0])


def test_a_message_with_the_words_comes_before_one_without() -> None:
    assert best(asked(), pool_of(Said("Ann"), Said("Bob", words=(1,)), position=[1, 50])) == 1


def test_what_was_drawn_from_messages_is_less_like_an_answer_than_a_message() -> None:
    same = Said("Ann", words=(1,), cosine=0.4)
    assert best(asked(), pool_of(replace(same, drawn=True), same, position=[1, 50])) == 1
    better = replace(same, drawn=True, words=(3,), cosine=0.9)
    assert best(asked(), pool_of(better, same, position=[1, 50])) == 0


def test_a_fact_and_an_episode_speak_for_their_message_and_without_them_nothing_changes() -> None:
    plain = pool_of(*[Said("Ann", words=(1,), cosine=0.4)] * 3, position=[1, 50, 100])

    def seen(fact: list[float], episode: list[float]) -> list[int]:
        def views(rows: Ints) -> Views:
            return Views(np.array(fact)[rows], np.array(episode)[rows])

        return [int(row) for row in rank(asked(), replace(plain, views=views))[0]]

    none = [np.nan] * 3
    assert seen([np.nan, 0.1, 0.9], none) == [2, 0, 1]
    assert seen(none, [np.nan, 0.1, 0.3]) == [2, 0, 1]
    assert not rank(asked(), plain)[1][:, [PARTS.index("fact"), PARTS.index("episode")]].any()


def test_words_and_meaning_reach_the_neighbours_but_no_other_sitting() -> None:
    rows = [Said("Ann", words=(1,), cosine=0.6), Said("Bob"), Said("Ann", at="2023-05-02T10:00")]
    words = feature("words", asked(), pool_of(*rows))
    assert words[0] > words[1] > words[2] == 0
    context = feature("context", asked(), pool_of(*rows))
    assert context[0] > context[1] > context[2]


def test_messages_of_different_conversations_are_no_neighbours() -> None:
    assert feature("words", asked(), pool_of(Said("Ann", words=(1,)), Said("Bob"), position=[1, 1000]))[1] == 0


def test_long_messages_lean_less_on_their_neighbours() -> None:
    def leaned(length: int) -> float:
        own, neighbour = feature(
            "words", asked(), pool_of(Said("Ann", words=(1,), length=length), Said("Bob", length=length))
        )
        return neighbour / own

    assert leaned(10) > leaned(25) > 3 * leaned(100)


def test_a_day_named_counts_on_it_and_fades_in_the_days_after() -> None:
    rows = [Said("Ann", at=f"2023-05-{day:02}T10:00") for day in (9, 10, 11, 16, 28)]
    question = asked(intervals=((date(2023, 5, 10), date(2023, 5, 11)),))
    assert feature("date", question, pool_of(*rows)) == [0, 1, 0.917, 0.5, 0]


def test_a_year_says_less_than_a_day_and_an_open_interval_has_no_end() -> None:
    row = Said("Ann", at="2023-05-09T10:00")
    assert feature("date", asked(intervals=((date(2023, 1, 1), date(2024, 1, 1)),)), pool_of(row)) == [0.5]
    assert feature("date", asked(intervals=((date(2020, 1, 1), date.max),)), pool_of(row)) == [0.5]
    assert feature("date", asked(intervals=((date.min, date(2020, 1, 1)),)), pool_of(row)) == [0]


def test_the_one_person_named_is_preferred() -> None:
    pool = pool_of(Said("Ann"), Said("Bob"))
    assert feature("speaker", asked(frozenset({"Ann"})), pool) == [1, 0]
    assert feature("speaker", asked(frozenset({"Ann", "Bob"})), pool) == [0.5, 0.5]
    assert feature("speaker", asked(), pool) == [0.5, 0.5]


def test_an_answer_inherits_the_match_of_the_question_before_it() -> None:
    question = Said("Bob", text="What is your cat called?", cosine=0.7)
    assert feature("reply", asked(), pool_of(question, Said("Ann"), Said("Ann"))) == [0, 0.7, 0]
    assert feature("reply", asked(), pool_of(question, Said("Bob"))) == [0, 0]
    assert best(asked(), pool_of(question, Said("Ann", text="She is called Oscar, after my uncle.", cosine=0.3))) == 1


def test_a_question_for_a_time_prefers_messages_that_tell_one() -> None:
    pool = pool_of(Said("Ann", text="I went there."), Said("Ann", text="I went there yesterday."), position=[1, 50])
    assert feature("time", asked(wants_time=True), pool) == [0, 1]
    assert feature("time", asked(), pool) == [0, 0]


def test_a_question_for_a_name_prefers_messages_with_names() -> None:
    pool = pool_of(Said("Ann", text="There was my doctor."), Said("Ann", text="It was Dr Ito from Osaka."))
    assert feature("names", asked(wants_name=True), pool)[0] == 0
    assert feature("names", asked(wants_name=True), pool)[1] == 2


def test_a_question_for_a_number_prefers_messages_that_tell_one() -> None:
    texts = ("I run a lot.", "I ran 5 km.", "I ran twice.", "我跑了三次。")
    pool = pool_of(*(Said("Ann", text=text) for text in texts))
    assert feature("number", asked(wants_number=True), pool) == [0, 1, 1, 1]
    assert feature("number", asked(), pool) == [0, 0, 0, 0]


def test_who_asks_for_advice_may_have_asked_for_some_before() -> None:
    pool = pool_of(Said("Ann", text="Can you suggest a recipe with basil?"), Said("Ann"))
    assert feature("asks", asked(), pool) == [1, 0]
    assert feature("asks", asked(wants_advice=True), pool) == [0, 0]


def test_the_first_message_of_a_conversation_and_of_a_later_sitting_open_one() -> None:
    later = [Said("Bob", at="2023-05-02T10:00"), Said("Ann", at="2023-05-03T10:00")]
    rows = [Said("Ann", opens=True), Said("Bob"), *later]
    assert feature("opens", asked(), pool_of(*rows, position=[1, 2, 3, 1000])) == [1, 0, 1, 0]


def test_the_share_of_a_text_that_asks() -> None:
    assert question_share("Are you there?") == 1
    assert question_share("I am here.") == 0
    assert 0 < question_share("I am here. Are you? [image: a door]") < 1
    assert question_share("") == 0


def test_words_nobody_else_says_weigh_most() -> None:
    weights = inverse_document_frequency(np.array([1, 50, 100]), 100)
    assert weights[0] > weights[1] > weights[2] > 0


def test_an_unknown_word_and_an_empty_pool_are_no_trouble() -> None:
    unknown = pool_of(Said("Ann", words=(), cosine=0.1), Said("Bob", words=(), cosine=0.5), position=[1, 50])
    assert best(asked(), unknown) == 1
    assert len(rank(asked(), pool_of())[0]) == 0


def test_no_more_than_the_shortlist_is_ranked() -> None:
    pool = pool_of(*(Said("Ann", cosine=number / 1000) for number in range(SHORTLIST + 50)))
    rows, parts = rank(asked(), pool)
    assert len(rows) == SHORTLIST
    scores = parts.sum(axis=1)
    assert list(scores) == sorted(scores, reverse=True)


def test_reasons_add_up_to_the_score_and_tell_the_rank_in_each_view() -> None:
    pool = pool_of(Said("Ann", words=(1,)), Said("Bob", cosine=0.9))
    rows, parts = rank(asked(), pool)
    why = dict(zip(rows.tolist(), reasons(parts), strict=True))
    assert sum(why[1].parts.values()) == pytest.approx(parts[list(rows).index(1)].sum())
    assert (why[0].rank_by_words, why[1].rank_by_meaning) == (1, 1)


def test_what_has_no_word_of_the_query_has_no_rank_by_words() -> None:
    pool = pool_of(Said("Ann", words=(), cosine=0.1), Said("Bob", words=(), cosine=0.5), position=[1, 50])
    assert {why.rank_by_words for why in reasons(rank(asked(), pool)[1])} == {None}


def test_what_is_only_context_lends_its_words_but_is_no_result() -> None:
    pool = pool_of(Said("Ann", words=(1,), cosine=0.9, wanted=False), Said("Bob"))
    rows, _ = rank(asked(), pool)
    assert list(rows) == [1]
    assert feature("words", asked(), pool)[0] > 0


def test_a_time_in_a_long_message_says_less_than_in_a_short_one() -> None:
    texts = [Said("Ann", text="We went there last May.", length=length) for length in (10, 50)]
    short, long = (feature("time", asked(wants_time=True), pool_of(said))[0] for said in texts)
    assert short == 1
    assert 0 < long < 0.5


def test_a_message_tells_of_the_time_asked_about_in_its_own_words() -> None:
    texts = ("I cleaned my shoes last month.", "I cleaned my shoes on April 3.", "I cleaned my shoes.", "Since 2020.")
    rows = [Said("Ann", text=text, at="2023-05-30T10:00") for text in texts]
    april = (date(2023, 4, 1), date(2023, 5, 1))
    assert feature("told", asked(intervals=(april,)), pool_of(*rows)) == [1, 0.033, 0, 0]
    assert feature("told", asked(intervals=((date.min, date(2023, 5, 1)),)), pool_of(*rows)) == [0, 0, 0, 0]
    assert feature("told", asked(), pool_of(*rows)) == [0, 0, 0, 0]
