"""Options that several commands share: times as they are written."""

from datetime import UTC

import pytest

from evermem_cli.cli.shared.options import moment
from evermem_cli.errors import UsageError


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2025-W13", "2025-03-24T00:00", "2025-03-30T23:59"),
        ("2025-W13-2", "2025-03-25T00:00", "2025-03-25T23:59"),
        ("2025-03-20", "2025-03-20T00:00", "2025-03-20T23:59"),
        ("2025-03", "2025-03-01T00:00", "2025-03-31T23:59"),
    ],
)
def test_a_week_a_day_and_a_month_mean_their_start_or_their_end(text: str, first: str, last: str) -> None:
    for end, expected in ((False, first), (True, last)):
        given = moment(text, UTC, end=end)
        assert given is not None
        assert given.isoformat().startswith(expected)


def test_a_week_at_the_end_of_the_calendar_is_refused() -> None:
    with pytest.raises(UsageError, match="not between the years"):
        moment("9999-W52", UTC, end=True)
