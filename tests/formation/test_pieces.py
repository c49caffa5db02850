from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.formation.pieces import mean_vectors, pieces, sentences, spoken_pieces
from evermem_cli.memory import Message, Role
from tests.support.fakes import WordEmbedder

HELLO = Message(
    id="m1",
    conversation_id="c",
    ordinal=1,
    external_id="1",
    speaker="Ann",
    user_id="ann",
    role=Role.PARTICIPANT,
    text="Hello.",
    said_at=datetime(2024, 5, 1, tzinfo=UTC),
)


def said(speaker: str, text: str) -> Message:
    return replace(HELLO, speaker=speaker, text=text)


def test_short_sentences_join_the_next_one() -> None:
    text = "Hey! Good to see you. I went to the zoo yesterday and saw the new lions there. They were asleep."
    assert pieces(text) == [
        "Hey! Good to see you. I went to the zoo yesterday and saw the new lions there.",
        "They were asleep.",
    ]


def test_chinese_sentences_are_told_apart_without_spaces() -> None:
    assert sentences("你好！最近怎么样？我下周三去北京。") == ["你好！", "最近怎么样？", "我下周三去北京。"]


def test_a_closing_note_is_no_sentence_but_stays_with_the_last_piece() -> None:
    text = "Look at her! [image: a cat on a sofa]"
    assert sentences(text) == ["Look at her!"]
    assert pieces(text) == [text]


def test_text_without_words_is_one_piece() -> None:
    assert pieces("") == [""]
    assert pieces("🎉🎉") == ["🎉🎉"]
    assert pieces("[image]") == ["[image]"]


def test_an_answer_is_embedded_with_the_question_before_it() -> None:
    question = said("Bob", "Nice to hear. What is your cat called? [image: a cat]")
    assert spoken_pieces(said("Ann", "Oscar."), question) == ["What is your cat called? Oscar."]


def test_only_a_question_of_somebody_else_goes_before_an_answer() -> None:
    answer = said("Ann", "Oscar.")
    assert spoken_pieces(answer, None) == ["Oscar."]
    assert spoken_pieces(answer, said("Ann", "Guess what?")) == ["Oscar."]
    assert spoken_pieces(answer, said("Bob", "Really? I see.")) == ["Oscar."]


def test_a_telling_statement_is_embedded_by_itself_too() -> None:
    text = "Hey! Good to see you. I went to the zoo yesterday with Tom. The lions were asleep. [image: a lion]"
    assert spoken_pieces(said("Ann", text), None) == [
        "Hey! Good to see you. I went to the zoo yesterday with Tom.",
        "The lions were asleep. [image: a lion]",
        "I went to the zoo yesterday with Tom.",
    ]


def test_an_answer_of_one_telling_sentence_is_embedded_with_and_without_its_question() -> None:
    answer = "He is called Oscar like my grandfather."
    assert spoken_pieces(said("Ann", answer), said("Bob", "What is your cat called?")) == [
        f"What is your cat called? {answer}",
        answer,
    ]


def test_a_question_is_not_embedded_by_itself() -> None:
    text = "Nice! And what do you do with all of it now? I would sell it."
    assert spoken_pieces(said("Ann", text), None) == [text]


def test_a_message_of_one_sentence_is_embedded_once() -> None:
    text = "I went to the zoo yesterday with Tom."
    assert spoken_pieces(said("Ann", text), None) == [text]
    assert len(spoken_pieces(said("Ann", f"{text} {text}"), None)) == 2


def test_a_message_is_about_what_its_pieces_say_and_statements_count_once() -> None:
    messages = [
        said("Ann", "Hey! Good to see you. I went to the zoo yesterday with Tom. The lions were asleep."),
        said("Bob", "Lovely."),
    ]
    texts = [spoken_pieces(message, None) for message in messages]
    assert [len(each) for each in texts] == [3, 1]
    vectors = WordEmbedder().embed([text for each in texts for text in each])
    first, second = mean_vectors(messages, [3, 1], vectors)
    assert first == pytest.approx((vectors[0] + vectors[1]) / np.linalg.norm(vectors[0] + vectors[1]))
    assert second == pytest.approx(vectors[3])
    assert mean_vectors([], [], vectors[:0]).shape == (0, vectors.shape[1])


@given(st.text(alphabet="ab ,.!?。？\n[]", max_size=200))
def test_pieces_keep_every_word_in_order(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(c for c in value if c in "ab")

    assert letters("".join(pieces(text))) == letters(text)
