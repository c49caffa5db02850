"""Requests for advice, answered from what the asker said that matters to it."""

from pathlib import Path

import pytest

from tests.recollection.asking import answered
from tests.test_ingest import Memory

CHAT = """[2025-03-01 09:00] Maya: I love Scandinavian crime novels. The bus was late again.
[2025-03-01 09:01] Tom: I love romance novels.
[2025-03-02 09:02] Maya: I'm allergic to walnuts, so no walnut cake for me.
[2025-03-02 09:03] Tom: The new bakery opens at seven.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Could you recommend some novels?", 'You said on 1 March 2025: "I love Scandinavian crime novels."'),
        (
            "Could you suggest a cake without walnut?",
            'You said on 2 March 2025: "I\'m allergic to walnuts, so no walnut cake for me."',
        ),
        ("Can you recommend a tram line?", None),
        ("Can you recommend a novel for Tom?", 'Tom said on 1 March 2025: "I love romance novels."'),
    ],
)
def test_advice_is_what_those_asked_about_said_of_the_subject(tmp_path: Path, question: str, told: str | None) -> None:
    memory = Memory(tmp_path, me="Maya")
    memory.ingest(memory.file(CHAT))
    memory.annotate()
    assert answered(memory.store, question, "2025-04-01") == told
