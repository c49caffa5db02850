"""Which days a scale covers."""

from datetime import date, timedelta

import pytest

from evermem_cli.view.scale import scale

YEAR = {(date(2026, 1, 1) + timedelta(days=n)).isoformat(): 1 for n in range(300)}


@pytest.mark.parametrize(
    "outliers", [{}, {"1990-05-04": 2}, {"2028-12-01": 1}, {"1990-05-04": 1, "1991-05-04": 1, "2031-01-01": 3}]
)
def test_a_few_far_days_do_not_decide_a_scale(outliers: dict[str, int]) -> None:
    assert scale(YEAR | outliers) == (min(YEAR), max(YEAR))


def test_many_days_or_near_ones_are_on_the_scale() -> None:
    assert scale(YEAR | {"1990-05-04": 50})[0] == "1990-05-04"
    assert scale(YEAR | {"2025-06-01": 1})[0] == "2025-06-01"
    assert scale({"1990-05-04": 1, "2026-01-01": 1}) == ("1990-05-04", "2026-01-01")
