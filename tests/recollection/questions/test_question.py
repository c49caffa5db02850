"""Questions as they are typed or pasted."""

from tests.recollection.asking import read


def test_a_question_over_two_lines_is_one_of_one_line() -> None:
    assert read("When\n and where\tis it?") == read("When and where is it?")
