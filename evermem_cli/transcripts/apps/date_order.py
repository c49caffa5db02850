"""The order of day, month and year in a file's numeric dates, inferred from the dates themselves."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import groupby, pairwise

from evermem_cli.transcripts.options import DateOrder

YEARS = range(2009, 2050)  # years of chats on phones; other years show that the order is wrong
BUDDHIST_ERA = 543  # offset of Thailand's calendar in years
DISORDER = timedelta(days=2)  # tolerance, since messages sent while offline may be slightly late
WORDS = {DateOrder.DMY: "day/month/year", DateOrder.MDY: "month/day/year", DateOrder.YMD: "year/month/day"}

_NUMBER = re.compile(r"\d+")
# positions of year, month, day
_PLACES = {DateOrder.DMY: (2, 1, 0), DateOrder.MDY: (2, 0, 1), DateOrder.YMD: (0, 1, 2)}


def read_day(written: str, order: DateOrder) -> date | None:
    """The day of a date like "13. 6. 18" in `order`; None if it does not exist."""
    numbers = _NUMBER.findall(written)
    if len(numbers) != 3 or len(max(numbers, key=len)) > 4:
        return None
    year, month, day = (int(numbers[place]) for place in _PLACES[order])
    year += 2000 if year < 100 else 0
    year -= BUDDHIST_ERA if year - BUDDHIST_ERA in YEARS else 0
    with suppress(ValueError):
        return date(year, month, day) if year in YEARS else None
    return None


def infer(written: Sequence[str]) -> tuple[DateOrder, ...]:
    """The orders in which the dates `written` one after another can be read; several where the dates are ambiguous.

    An order is excluded if fewer dates exist in it, or if dates go back in it but not in another order. Dates with dots
    never begin with the month. A two-digit year is at the end, except in dates like "18. 6. 13.".
    """
    dates = [day for day, _ in groupby(written)]
    orders = _longest([DateOrder.DMY, DateOrder.MDY], dates)
    if not orders or _may_begin_with_year(dates[0]):
        orders = _longest([*orders, DateOrder.YMD], dates)
    orders = [order for order in orders if _in_sequence(dates, order)] or orders
    if len(orders) > 1 and "." in dates[0]:
        orders = [order for order in orders if order is not DateOrder.MDY]
    return tuple(orders)


def _may_begin_with_year(written: str) -> bool:
    return re.match(r"\d\d\. ", written) is not None


def _longest(orders: Sequence[DateOrder], dates: Sequence[str]) -> list[DateOrder]:
    """The `orders` in which the most dates exist, if any exist."""
    counts = {order: sum(read_day(day, order) is not None for day in dates) for order in orders}
    most = max(counts.values(), default=0)
    return [order for order, count in counts.items() if count == most > 0]


def _in_sequence(dates: Sequence[str], order: DateOrder) -> bool:
    days = [day for written in dates if (day := read_day(written, order))]
    return all(later >= earlier - DISORDER for earlier, later in pairwise(days))
