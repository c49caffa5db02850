"""Questions as they are typed or pasted."""

from evermem_cli.recollection.questions.question import read_question
from tests.support.chats import NINE


def test_a_question_over_two_lines_is_one_of_one_line() -> None:
    assert read_question("When\n and where\tis it?", NINE) == read_question("When and where is it?", NINE)
