"""Whether a question asks for advice, by the tagger that ships."""

import pytest

from evermem_cli.reading.statements.tagger import SHIPPED


@pytest.mark.parametrize(
    "text",
    [
        "What should I cook this weekend?",
        "Can you recommend a film for tonight?",
        "I'm going to Denver next week. Any good tips?",
        "Would a rabbit suit us?",
        "有什么适合周末去的地方推荐吗？",
    ],
)
def test_questions_of_what_to_do_ask_for_advice(text: str) -> None:
    assert SHIPPED.read_question(text).advice


@pytest.mark.parametrize(
    "text",
    [
        "What did you recommend last week?",
        "Did the doctor give me any advice in May?",
        "What are some books that I have read?",
        "Where do I live?",
        "医生建议我几点吃药？",
        "我住在哪里？",
    ],
)
def test_what_was_said_is_no_advice(text: str) -> None:
    assert not SHIPPED.read_question(text).advice
