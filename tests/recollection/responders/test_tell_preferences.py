"""A request for advice, asked of a real memory: what the asker likes and may not do is told, in their own words."""

from pathlib import Path

import pytest

from evermem_cli.annotate import Annotation
from evermem_cli.reading.tagger import Tagger
from evermem_cli.store import Store
from tests.recollection.asking import answered
from tests.test_consolidate import chat, remember
from tests.test_ingest import Memory

SAID = (
    ("2025-03-06T08:00:00Z", "Which film is on? I love Scandinavian crime films. I hate horror films."),
    ("2025-03-07T08:00:00Z", "I'm allergic to peanuts."),
    ("2025-03-08T08:00:00Z", "The film of the camera is stuck."),
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = remember(Memory(tmp_path), chat(SAID)).store
    Annotation(store, Tagger(), lambda *_: None).run()
    return store


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Can you recommend a film for tonight?",
            'You said on 6 March 2025: "I love Scandinavian crime films. I hate horror films."',
        ),
        (
            "Any suggestions for a film?",
            'You said on 6 March 2025: "I love Scandinavian crime films. I hate horror films."',
        ),
        ("What should I not eat?", None),
        ("Which film is on?", None),
    ],
)
def test_advice_is_given_from_what_the_asker_said(store: Store, question: str, answer: str | None) -> None:
    assert answered(store, question, "2025-03-10") == answer
