"""Which model is recommended."""

import struct

import pytest

from evermem_cli.trial.recommendation import BESIDE, Candidate, MemoryStatus, fits, machine_memory, recommended
from evermem_cli.trial.trial import Trial

DEFAULT = "qwen2.5-coder-1.5b"


def candidate(name: str, *, passed: int | None = None, pace: float = 30.0, room: bool | None = True) -> Candidate:
    """A model that passed so many of ten items; None where it was not tried."""
    trial = None
    if passed is not None:
        trial = Trial(name, {"answers": passed}, {"answers": 10}, seconds=10, written_tokens=int(10 * pace))
    return Candidate(name=name, size=1_000_000_000, here=passed is not None, fits=room, trial=trial)


@pytest.mark.parametrize(
    ("candidates", "chosen", "reason"),
    [
        ([candidate("good", passed=8), candidate("better", passed=9)], "better", "passed 90% of the items"),
        ([candidate("good", passed=8), candidate("slow", passed=9, pace=9)], "good", "passed 80%"),
        ([candidate("slow", passed=8, pace=9), candidate("slower", passed=9, pace=5)], "slow", "and slow"),
        ([candidate("good", passed=5), candidate("large", passed=9, room=False)], "good", "passed 50%"),
        ([candidate("weak", passed=4), candidate(DEFAULT)], DEFAULT, "this one is measured"),
        ([candidate("weak", passed=4), candidate(DEFAULT, room=None)], DEFAULT, "this one is measured"),
        ([candidate("weak", passed=4), candidate(DEFAULT)], DEFAULT, "no installed model passes half"),
        ([candidate(DEFAULT)], DEFAULT, "no model was tried here"),
        ([candidate(DEFAULT)], DEFAULT, f"`evermem models pull {DEFAULT}` fetches it"),
        ([candidate(DEFAULT, room=False)], None, "no model of the catalogue fits"),
    ],
)
def test_the_best_that_is_fast_enough_is_chosen(candidates: list[Candidate], chosen: str | None, reason: str) -> None:
    made = recommended(candidates, 8_000_000_000)
    assert made.chosen == chosen
    assert reason in made.reason
    assert made.cores > 0


def test_a_model_fits_beside_its_context() -> None:
    assert fits(1_000_000_000, 1_000_000_000 + BESIDE) is True
    assert fits(1_000_000_001, 1_000_000_000 + BESIDE) is False
    assert fits(1, None) is None


def test_the_memory_of_the_machine_is_read() -> None:
    memory = machine_memory()
    assert memory is None or memory > 500_000_000


def test_what_windows_says_of_its_memory_is_read_where_it_stands() -> None:
    said = struct.pack("<2I7Q", 64, 37, 8_000_000_000, *range(6))
    assert MemoryStatus.from_buffer_copy(said).physical == 8_000_000_000
