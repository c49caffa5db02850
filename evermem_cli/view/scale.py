"""The days that a scale of the page covers. A few far outliers, such as a date read wrongly, do not decide it."""

from collections.abc import Mapping
from datetime import date
from itertools import accumulate, pairwise

FEW = 0.05  # of all that has a day
FAR = 365  # days between the outliers and the rest, which are also more than half of the scale


def scale(counts: Mapping[str, int]) -> tuple[str, str]:
    """The first and the last day of a scale, for how much there is on each day. Days are ISO texts; none is empty."""
    days = sorted(counts)
    while len(days) > 1:
        numbers = [date.fromisoformat(day).toordinal() for day in days]
        gaps = [later - earlier for earlier, later in pairwise(numbers)]
        before = [*accumulate(counts[day] for day in days)]
        widest = max(range(len(gaps)), key=gaps.__getitem__)
        early, late = before[widest], before[-1] - before[widest]
        is_far = gaps[widest] > max(FAR, (numbers[-1] - numbers[0]) / 2)
        if not is_far or min(early, late) > FEW * before[-1]:
            break
        days = days[widest + 1 :] if early < late else days[: widest + 1]
    return days[0], days[-1]
