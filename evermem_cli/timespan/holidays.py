"""Holidays that people name instead of a date, and when they fall."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache

from evermem_cli.timespan.composed import nth_weekday
from evermem_cli.timespan.interval import Reading, day, easter, unit

InYear = Callable[[datetime], Reading | None]  # maps any time in a year to the holiday of that year


def _fixed(month: int, number: int) -> InYear:
    return lambda at: day(at.replace(month=month, day=number))


def _weekday(nth: int, number: int, month: int, days_later: int = 0) -> InYear:
    def in_year(at: datetime) -> Reading | None:
        feast = nth_weekday(unit(at.replace(month=month, day=1), "month"), nth, number)
        return feast and day(feast.start, days_later)

    return in_year


def _easter(days_later: int) -> InYear:
    def in_year(at: datetime) -> Reading:
        month, number = easter(at.year)
        return day(at.replace(month=month, day=number) + timedelta(days=days_later))

    return in_year


@cache
def _first_day(country: str, name: str, year: int) -> date | None:
    """The first day of a country's holiday in a year, by the library `holidays` (imported on the first call)."""
    from holidays import country_holidays

    known = country_holidays(country, years=year, language="en_US").get_named(name, lookup="exact")
    return min((feast for feast in known if feast.year == year), default=None)


def _by_moon(country: str, name: str) -> InYear:
    def in_year(at: datetime) -> Reading | None:
        first = _first_day(country, name, at.year)
        return day(at.replace(month=first.month, day=first.day)) if first else None

    return in_year


ENGLISH: dict[str, InYear] = {
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 25),
    "xmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new year eve": _fixed(12, 31),
    "new year eve's": _fixed(12, 31),
    "new years eve": _fixed(12, 31),
    "nye": _fixed(12, 31),
    "new year day": _fixed(1, 1),
    "new years day": _fixed(1, 1),
    "new year": _fixed(1, 1),
    "new years": _fixed(1, 1),
    "valentine day": _fixed(2, 14),
    "valentines day": _fixed(2, 14),
    "valentine": _fixed(2, 14),
    "saint|st patrick day": _fixed(3, 17),
    "saint|st patrick": _fixed(3, 17),
    "april fools day": _fixed(4, 1),
    "april fool day": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "labour day": _fixed(5, 1),
    "may day": _fixed(5, 1),
    "workers|workers' day": _fixed(5, 1),
    "juneteenth": _fixed(6, 19),
    "independence day": _fixed(7, 4),
    "halloween": _fixed(10, 31),
    "all saints day": _fixed(11, 1),
    "all souls day": _fixed(11, 2),
    "guy fawkes night|day?": _fixed(11, 5),
    "bonfire night": _fixed(11, 5),
    "remembrance|armistice day": _fixed(11, 11),
    "saint|st nicholas day": _fixed(12, 6),
    "epiphany": _fixed(1, 6),
    "australia day": _fixed(1, 26),
    "groundhog day": _fixed(2, 2),
    "international? women|women's|womens day": _fixed(3, 8),
    "pi day": _fixed(3, 14),
    "anzac day": _fixed(4, 25),
    "cinco de mayo": _fixed(5, 5),
    "canada day": _fixed(7, 1),
    "bastille day": _fixed(7, 14),
    "veterans day": _fixed(11, 11),
    "martin luther king day": _weekday(3, 0, 1),
    "mlk day": _weekday(3, 0, 1),
    "presidents|presidents' day": _weekday(3, 0, 2),
    "mother|mothers|mothers' day": _weekday(2, 6, 5),
    "memorial day": _weekday(-1, 0, 5),
    "father|fathers|fathers' day": _weekday(3, 6, 6),
    "labor day": _weekday(1, 0, 9),
    "columbus day": _weekday(2, 0, 10),
    "thanksgiving day": _weekday(4, 3, 11),
    "thanksgiving": _weekday(4, 3, 11),
    "black friday": _weekday(4, 3, 11, 1),
    "cyber monday": _weekday(4, 3, 11, 4),
    "shrove tuesday": _easter(-47),
    "pancake day": _easter(-47),
    "mardi gras": _easter(-47),
    "ash wednesday": _easter(-46),
    "palm sunday": _easter(-7),
    "maundy thursday": _easter(-3),
    "good friday": _easter(-2),
    "easter sunday": _easter(0),
    "easter monday": _easter(1),
    "easter": _easter(0),
    "ascension day": _easter(39),
    "pentecost": _easter(49),
    "whit sunday": _easter(49),
    "whit monday": _easter(50),
    "corpus christi": _easter(60),
    "chinese|lunar new year": _by_moon("SG", "Chinese New Year"),
    "diwali|deepavali": _by_moon("SG", "Diwali"),
    "eid al|ul - fitr": _by_moon("SG", "Eid al-Fitr"),
    "eid al|ul - adha": _by_moon("SG", "Eid al-Adha"),
    "rosh hashanah": _by_moon("IL", "Rosh Hashanah"),
    "yom kippur": _by_moon("IL", "Yom Kippur"),
    "passover|pesach": _by_moon("IL", "Pesach"),
}
CHINESE: dict[str, InYear] = {
    "元旦": _fixed(1, 1),
    "春节": _by_moon("SG", "Chinese New Year"),
    "清明节": _by_moon("CN", "Tomb-Sweeping Day"),
    "端午节": _by_moon("CN", "Dragon Boat Festival"),
    "中秋节": _by_moon("CN", "Mid-Autumn Festival"),
    "情人节": _fixed(2, 14),
    "妇女节": _fixed(3, 8),
    "劳动节": _fixed(5, 1),
    "儿童节": _fixed(6, 1),
    "教师节": _fixed(9, 10),
    "国庆节": _fixed(10, 1),
    "国庆": _fixed(10, 1),
    "圣诞节": _fixed(12, 25),
    "圣诞": _fixed(12, 25),
    "母亲节": _weekday(2, 6, 5),
    "父亲节": _weekday(3, 6, 6),
    "感恩节": _weekday(4, 3, 11),
}
