"""The shipped models of outcomes: whether a message moves an arrangement or calls it off."""

from pathlib import Path

import pytest

from evermem_cli.engines import Embedder
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.reading.outcomes import PlanOutcome, outcomes
from tests.consolidation.test_assertions import chat
from tests.support.fakes import WordEmbedder

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Flights changed to Friday 13 June.", PlanOutcome.MOVED),
        ("The 10th is taken, so the picnic is the 12th now.", PlanOutcome.MOVED),
        ("We're not going to Rome any more.", PlanOutcome.OFF),
        ("They cancelled the concert.", PlanOutcome.OFF),
        ("小雨的航班改到22日了。", PlanOutcome.MOVED),
        ("What do you want for dinner?", None),
        ("太好了", None),
    ],
)
def test_a_message_moves_an_arrangement_calls_it_off_or_neither(
    text: str, outcome: PlanOutcome | None, minilm: Path
) -> None:
    said, embedder = chat(text).messages[0], CatalogEmbed(minilm, DEFAULT_EMBEDDER)
    assert outcomes([said], embedder) == ({said.id: {outcome}} if outcome else {})


def test_with_another_embedder_the_words_alone_tell() -> None:
    said = chat("We're not going to Rome any more.").messages[0]
    other: Embedder = WordEmbedder()
    assert outcomes([said], other) == {said.id: {PlanOutcome.OFF}}
