"""What was expected to end by the day of the question, asked of a real memory."""

from pathlib import Path

import pytest

from tests.recollection.asking import answered
from tests.test_consolidate import chat, remember
from tests.test_ingest import Memory

SAID = (
    ("2025-03-06T08:00:00Z", "I have a parking permit for two weeks."),
    ("2025-03-06T10:00:00Z", "My colleague Jan is on leave for two weeks."),
)


@pytest.mark.parametrize(
    ("question", "as_of", "answer"),
    [
        (
            "Do I have a parking permit?",
            "2025-03-27",
            'No: said on 6 March 2025: "I have a parking permit for two weeks.", expected until 20 March 2025',
        ),
        ("Do I have a parking permit?", "2025-03-08", None),
        ("Did I have a parking permit?", "2025-03-27", None),
        ("Do I have a gold parking permit?", "2025-03-27", None),
        ("Is Jan on leave?", "2025-03-19", None),
    ],
)
def test_what_was_expected_to_end_holds_no_more(tmp_path: Path, question: str, as_of: str, answer: str | None) -> None:
    memory = remember(Memory(tmp_path), chat(SAID))
    assert answered(memory.store, question, as_of) == answer
