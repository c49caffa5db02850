"""Of answers that were told at several times, the last one stands."""

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from evermem_cli.errors import ModelError
from evermem_cli.reading.shipped import ShippedModel
from evermem_cli.reading.standing import NAME, OUTPUTS, ROOM, Said, Standing

OFFER = Said(datetime(2025, 6, 8), "Ann", "start at the garage on monday, four days a week, 110 a day")
PARK = Said(datetime(2025, 6, 20), "Ben", "we were in the park with the dog")
RAISE = Said(datetime(2025, 7, 24), "Ann", "the garage has put me up to 125 a day from monday!")
QUESTION = "Ann asks: How much do I get a day at the garage now?"


@pytest.fixture(scope="module")
def standing() -> Standing:
    return Standing()


def test_an_answer_is_replaced_by_a_later_one_and_by_nothing_else(standing: Standing) -> None:
    assert standing.replaced(QUESTION, [OFFER, PARK, RAISE]) == [True, False, False]
    assert standing.replaced(QUESTION, [OFFER, PARK]) == [False, False]


def test_a_single_message_stands_and_is_not_read(tmp_path: Path) -> None:
    unread = Standing(ShippedModel(NAME, tmp_path))
    assert unread.replaced(QUESTION, [OFFER]) == [False]
    assert unread.replaced(QUESTION, []) == []


def test_odds_have_a_row_for_each_message_also_for_those_that_do_not_fit(standing: Standing) -> None:
    many = [PARK] * (ROOM.most // 4)
    [odds, few] = standing.log_odds([(QUESTION, many), (QUESTION, [OFFER, RAISE])])
    assert odds.shape == (len(many), OUTPUTS)
    assert np.isneginf(odds[-1]).all()
    assert few.shape == (2, OUTPUTS)


def test_weights_that_are_not_the_trained_ones_are_refused(tmp_path: Path) -> None:
    for name in (f"{NAME}.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((ShippedModel(NAME).folder / name).read_bytes())
    (tmp_path / f"{NAME}.onnx").write_bytes(b"other weights")
    with pytest.raises(ModelError, match="damaged"):
        Standing(ShippedModel(NAME, tmp_path)).replaced(QUESTION, [OFFER, RAISE])
