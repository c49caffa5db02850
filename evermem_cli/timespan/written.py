"""Dates in forms and languages that the grammars do not know, parsed by dateparser."""

import re
from datetime import datetime

from evermem_cli.timespan.interval import STEPS, YEARS, Interval, floor, lasting

# dateparser takes "one day" for yesterday and "we" for Wednesday. It may only read dates that contain a number and name
# a month.
_SETTINGS = {"PARSERS": ["absolute-time"], "REQUIRE_PARTS": ["month"], "RETURN_TIME_AS_PERIOD": True,
             "DATE_ORDER": "MDY"}  # fmt: skip
_SHORT_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_LONGEST = 200  # characters of a date; dateparser tries some 200 languages, which takes half a minute for 100,000
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)(?=.*[^\W\d_]{3})")


def written_date(phrase: str, at: datetime, *, begun: bool = False) -> Interval | None:
    """A date such as "12 de mayo de 2023" or "Fri, 12 May 2023 10:00:00 GMT", to the month, day or minute.

    Without a year it is the next one, or with `begun` the last one. Imports dateparser on the first call (about 0.3 s).
    """
    if len(phrase) > _LONGEST or not _LETTERS_AND_DIGITS.match(phrase):
        return None
    from dateparser.date import DateDataParser

    base = {"RELATIVE_BASE": at.replace(tzinfo=None), "PREFER_DATES_FROM": "past" if begun else "future"}
    reader = DateDataParser(settings=_SETTINGS | base)
    date = reader.get_date_data(phrase)
    if date.date_obj is None or date.period not in {"time", "day", "month", "year"}:
        return None
    if date.period == "month" and _SHORT_NUMBER.search(phrase):  # "Friday at 8" names no August
        return None
    grain = "minute" if date.period == "time" else date.period
    if date.date_obj.year not in YEARS:
        return None
    moment = date.date_obj.astimezone(at.tzinfo) if date.date_obj.tzinfo else date.date_obj.replace(tzinfo=at.tzinfo)
    return lasting(floor(moment, grain), STEPS[grain], grain)
