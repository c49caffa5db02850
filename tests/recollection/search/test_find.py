"""What a question is compared with messages by; tests of what is found stand with what they are about."""

import numpy as np
import pytest

from evermem_cli.recollection.search.find import as_one


def test_a_question_and_its_statement_are_one_unit_vector_nearer_to_the_question() -> None:
    spoken, stated = np.eye(2, dtype=np.float32)
    both = as_one(spoken, stated)
    assert np.linalg.norm(both) == pytest.approx(1)
    assert both @ spoken > both @ stated > 0


def test_a_question_without_words_has_no_direction() -> None:
    nothing = np.zeros(2, dtype=np.float32)
    assert as_one(nothing, nothing).tolist() == [0, 0]
