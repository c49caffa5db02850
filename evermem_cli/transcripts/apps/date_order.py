"""Which of day, month and year comes first in a file's numeric dates, as far as the dates themselves tell."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from itertools import groupby, pairwise

from evermem_cli.transcripts.options import DateOrder

YEARS = range(2009, 2050)  # of chats on phones; what falls outside was read in the wrong order
BUDDHIST_ERA = 543  # years that Thailand counts more
DISORDER = timedelta(days=2)  # messages sent while offline may stand a little too late
WORDS = {DateOrder.DMY: "day/month/year", DateOrder.MDY: "month/day/year", DateOrder.YMD: "year/month/day"}

_NUMBER = re.compile(r"\d+")
_PLACES = {DateOrder.DMY: (2, 1, 0), DateOrder.MDY: (2, 0, 1), DateOrder.YMD: (0, 1, 2)}  # of year, month, day


def read_day(written: str, order: DateOrder) -> date | None:
    """The day that a date like "13. 6. 18" means in `order`; None if there is none such."""
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
    """The orders that the dates `written` one after the other can be in: more than one where they do not tell.

    An order is out if fewer dates exist in it, or if they jump back in it and do not in another. A date with dots is
    nowhere written month first. A year of two digits stands at the end, but in dates like "18. 6. 13." may come first.
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
    """Those of `orders` in which the most dates exist, if any does."""
    counts = {order: sum(read_day(day, order) is not None for day in dates) for order in orders}
    most = max(counts.values(), default=0)
    return [order for order, count in counts.items() if count == most > 0]


def _in_sequence(dates: Sequence[str], order: DateOrder) -> bool:
    days = [day for written in dates if (day := read_day(written, order))]
    return all(later >= earlier - DISORDER for earlier, later in pairwise(days))
