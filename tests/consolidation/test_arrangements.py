"""What people say of things that are arranged, by sentence."""

import pytest

from evermem_cli.consolidation.arrangements import read_arrangements
from tests.consolidation.test_assertions import chat


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The meeting is on Friday at three.", {"the meeting day": "2025-03-07", "the meeting time": "three"}),
        ("our flight leaves at 6:40", {"the flight time": "6:40"}),
        ("The rent went up to £950, by the way.", {"the rent price": "£950"}),
        ("The exam has been moved to 12 May.", {"the exam day": "2025-05-12"}),
        ("The launch moves from 1 to 15 September.", {"the launch day": "2025-09-15"}),
        ("The review is postponed from 5 to 12 September.", {"the review day": "2025-09-12"}),
        ("Our exam has been pushed back from the 3rd to the 10th of May.", {"the exam day": "2025-05-10"}),
        ("The course is from 1 to 15 September.", {"the course day": "2025-09-01"}),
        ("The office moves to Leeds.", {}),
        ("会议改到下午四点了。", {"the 会议 time": "四点"}),
        ("The meeting might be at three.", {}),
        ("Is the meeting at three?", {}),
        ("The meeting was fun.", {}),
        ("The concert was on 3 May 2024.", {}),
    ],
)
def test_days_times_and_prices_are_read_where_they_are_told_for_sure(text: str, told: dict[str, str]) -> None:
    assert {each.attribute: each.value for each in read_arrangements(chat(text), [])} == told
