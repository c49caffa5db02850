"""What was to be and was called off, asked of a real memory."""

from pathlib import Path

import pytest

from tests.recollection.asking import answered
from tests.test_consolidate import chat
from tests.test_ingest import Memory

RACE = (
    ("2025-01-06T19:04:00Z", "I signed up for the Harbour Half. It's on Sunday 11 May."),
    ("2025-01-07T19:04:00Z", "I'll run the Forth Half on 28 September."),
    ("2025-05-07T17:34:00Z", "No half-marathon on Sunday, I've withdrawn."),
)
NO = 'No: "No half-marathon on Sunday, I\'ve withdrawn." (7 May 2025)'


@pytest.mark.parametrize(
    ("question", "as_of", "told"),
    [
        ("Did I run the Harbour Half?", "2025-06-01", NO),
        ("Did I run the Harbour Half?", "2025-05-01", None),
        ("Did I run the Forth Half?", "2025-10-01", None),
    ],
)
def test_what_was_called_off_did_not_happen(tmp_path: Path, question: str, as_of: str, told: str | None) -> None:
    memory = Memory(tmp_path)
    for number, line in enumerate(chat(RACE)):
        memory.ingest(memory.file(line, f"{number}.jsonl"))
    assert answered(memory.store, question, as_of) == told
