"""English words about time, and the tokenizer that labels them."""

import re
from collections.abc import Callable, Iterator

from evermem_cli.timespan.grammar import MOST_DIGITS, Token, labelled, words

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT_WEEKDAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_UNITS = {
    "second": "seconds sec secs",
    "minute": "minutes min mins",
    "hour": "hours hr hrs h",
    "day": "days night nights",
    "week": "weeks wk wks",
    "weekend": "weekends wknd",
    "month": "months mth mths mo",
    "quarter": "quarters qtr qtrs",
    "year": "years yr yrs y",
    "decade": "decades",
    "century": "centuries",
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_CARDINALS = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = dict(zip(words("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True))
_ORDINALS = words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
SPELLED = {name: number for number, name in enumerate(_CARDINALS)} | _TENS
_GROUPS = {"couple": 2, "pair": 2, "handful": 4, "dozen": 12}
_DECADES = {"noughties": 2000, "aughts": 2000, "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50,
            "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90}  # fmt: skip
_TOWARDS = {"last": -1, "past": -1, "previous": -1, "preceding": -1, "prior": -1, "this": 0, "current": 0,
            "next": 1, "nxt": 1, "following": 1, "coming": 1, "upcoming": 1}  # fmt: skip
# Duckling's hours of the parts of a day.
_DAYPARTS = {"morning": (4, 12), "afternoon": (12, 19), "evening": (18, 24), "night": (18, 24), "lunchtime": (11, 14),
             "morn": (4, 12), "mornin": (4, 12), "arvo": (12, 19), "eve": (18, 24), "nite": (18, 24)}  # fmt: skip

# Minutes east of Greenwich; where several zones share a name, the American one.
_ZONES = {"gmt": 0, "utc": 0, "bst": 60, "cet": 60, "cest": 120, "eet": 120, "eest": 180, "est": -300, "edt": -240,
          "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "jst": 540, "aest": 600,
          "aedt": 660}  # fmt: skip

# The range of units that a vague count can mean.
_VAGUE = {"few": (2, 5), "several": (3, 7), "some": (2, 5)}

# Words that are mostly not about time: without a capital they need a neighbour that shows it.
_AMBIGUOUS = frozenset({"may", "march", "mar", "sun", "sat", "wed", "mon", "jan", "dec", "fall", "spring"})
# Months that are also first names: after one of these words they are names.
_NAMES = frozenset("jan april may june august".split())
_PERSONS = frozenset(
    "colleague friend sister brother daughter son wife husband partner boyfriend girlfriend cousin aunt uncle niece "
    "nephew neighbour neighbor boss manager flatmate roommate dear hi hello hey".split()
)
_STOPS = frozenset(".!?")
_LICENCE = frozenset(
    words("in of since until till by before after last next early mid late during on from between every first")
)
_JOINING = frozenset({"and", "or", "&", ",", "/"})  # licence what follows if a time stands before them
_CALENDAR = frozenset({"MONTH", "WEEKDAY", "SEASON", "YEAR", "NUM"})


# Long names, which are known with a letter too much, too little, wrong, or in the place of its neighbour. No other word
# is so near to one of them; "sundry" is to a shorter one.
_LONG_NAMES = [name for name in (*WEEKDAYS, *MONTHS, "tomorrow", "yesterday") if len(name) > 6]


def _shortened(word: str) -> set[str]:
    """A word, and the word without any one of its letters."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


_NAME_OF = {short: name for name in _LONG_NAMES for short in _shortened(name)}
_MISSPELLED = range(min(map(len, _LONG_NAMES)) - 1, max(map(len, _LONG_NAMES)) + 2)  # letters

_UNIT_OF = {form: grain for grain, forms in _UNITS.items() for form in (grain, *forms.split())}
WORDS = labelled({
    "WEEKDAY": {name: number for number, name in enumerate(WEEKDAYS)} | _SHORT_WEEKDAYS,
    "WEEKDAYS": {name + "s": number for number, name in enumerate(WEEKDAYS)},
    "MONTH": {form: number for number, name in enumerate(MONTHS, 1) for form in (name, name[:3])} | {"sept": 9},
    "UNIT": _UNIT_OF,
    "ONE": {form: grain for form, grain in _UNIT_OF.items() if not form.endswith("s")},
    "UNITS": {form: grain for form, grain in _UNIT_OF.items() if form.endswith("s")},
    "NUM": SPELLED | _GROUPS,
    "SPELLED": SPELLED,
    "ORD": {name: number for number, name in enumerate(_ORDINALS, 1)} | {"thirtieth": 30},
    "SEASON": _SEASONS,
    "SEASONS": {name + "s": month for name, month in _SEASONS.items()},
    "MONTHS": {name + "s": number for number, name in enumerate(MONTHS, 1)},
    "DECADE": _DECADES,
    "TOWARDS": _TOWARDS,
    "DAYPART": _DAYPARTS,
    "VAGUE": _VAGUE,
    "PARTOF": {"½": 0.5, "¼": 0.25, "¾": 0.75},
    "ZONE": _ZONES,
    "AMPM": {"am": False, "pm": True},
})  # fmt: skip

_TOKEN = r"""
    (?P<address>(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]+\.[a-z]\S+|\+\d[\d ()-]{6,}\d|\$[a-z]+)
  | (?P<ymd>(?<![\w./-])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d/]|-\d))
  | (?P<compact>(?<![\w./])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\w))
  | (?P<dmy>(?<![\w./])(?!(?<=-)\d+[-.])(?P<a>\d{1,2})(?P<t>[-/.])(?P<b>\d{1,2})(?P=t)(?P<c>\d{4}|\d\d)(?![\w/-]))
  | (?P<ym>(?<![\w./-])(?P<ym_y>(?:19|20)\d\d)[-/](?P<ym_m>0?[1-9]|1[0-2])(?![\w/-]))
  | (?P<my>(?<![\w./-])(?P<my_m>0?[1-9]|1[0-2])/(?P<my_y>(?:19|20)\d\d)(?![\w/-]))
  | (?P<md>(?<![\w./$])(?P<md_a>\d{1,2})/(?P<md_b>\d{1,2})(?![\w/]))
  | (?P<clock>(?<![\d:.])(?P<hh>[01]?\d|2[0-4])(?::(?P<mm>[0-5]\d)(?::(?P<ss>[0-5]\d))?|h(?P<hm>[0-5]\d))
      (?:-?ish\b|(?![\d:])))
  | (?P<chatty>2(?:nite|night|moro|morrow)\b)
  | (?P<decade>(?<!\w)(?P<dec>\d{4}|\d\d)['’]?s\b)
  | (?P<ordinal>(?<!\w)(?P<ord>\d{1,3})(?:st|nd|rd|th)\b)
  | (?P<number>(?<![\d.,])(?P<figure>\d+(?:\.\d+)?)(?:-?ish\b|(?!\d)))
  | (?P<half>[ap]\.\s?m\b\.?)
  | (?P<word>[^\W\d_]+(?:['’][^\W\d_]+|(?<=s)['’](?=\s))*)
  | (?P<sign>[^\s\w]|_|\d+)
    """


def _full_year(year: int) -> int:
    """The full year of two digits, from 1950 to 2049."""
    return year if year > 99 else year + (1900 if year >= 50 else 2000)


def _month_and_day(first: int, second: int, between: str = "/") -> tuple[int, int]:
    """Month and day from two numbers: the month first, as Americans write, unless that is impossible or dots part them.

    Nobody who writes dots puts the month first.
    """
    day_first = first > 12 or (between == "." and second <= 12)
    return (second, first) if day_first else (first, second)


def _number(text: str) -> dict[str, object]:
    if "." in text:
        whole, part = text.split(".")
        is_time = len(part) == 2 and int(part) < 60 and len(whole) < 3
        return {"FRACTION": float(text)} | ({"DOTTED": (int(whole), int(part), 0)} if is_time else {})
    if len(text) > MOST_DIGITS:
        return {}
    number = int(text)
    labels: dict[str, object] = {"NUM": number}
    if len(text) == 4 and 1000 <= number < 2100:
        labels["YEAR"] = number
    if len(text) == 2:
        labels["YY"] = _full_year(number)
    if len(text) in {3, 4} and number % 100 < 60 and number < 2400:
        labels["MILITARY"] = divmod(number, 100)
        if text.startswith("0") and len(text) == 4:
            labels["MILITARYZERO"] = labels["MILITARY"]
    return labels


def _clock(hour: str, minute: str, second: str) -> dict[str, object]:
    """A time of day in figures; "05:30" tells by its zero that the hours are those of 24."""
    hms = int(hour), int(minute), int(second)
    return {"HHMM": hms, "ZEROED": hms} if hour.startswith("0") else {"HHMM": hms}


def _hours(hour: str, minute: str) -> dict[str, object]:
    """18h30: a time of day, or a length."""
    return _clock(hour, minute, "0") | {"LASTING": 60 * int(hour) + int(minute)}


def _fraction(text: str, first: int, second: int) -> dict[str, object]:
    """3/4: a day of a month, or a share; "24/7" is always."""
    return {} if text == "24/7" else {"MONTHDAY": _month_and_day(first, second)} | _share(first, second)


def _share(part: int, whole: int) -> dict[str, object]:
    """A half, a third, three quarters."""
    return {"PARTOF": part / whole} if part < whole and whole in {2, 3, 4} else {}


def _spelled_well(word: str) -> str:
    """A long name without its slip of the pen ("wendesday"), and any other word as it is."""
    if len(word) not in _MISSPELLED or word in WORDS:
        return word
    names = {_NAME_OF[short] for short in _shortened(word) if short in _NAME_OF}
    return names.pop() if len(names) == 1 else word


_NUMERIC: dict[str, Callable[[re.Match[str]], dict[str, object]]] = {
    "ymd": lambda m: {"DATE": (int(m["y"]), int(m["m"]), int(m["d"]))},
    "compact": lambda m: {"DATE": (int(m[0][:4]), int(m[0][4:6]), int(m[0][6:]))},
    "dmy": lambda m: {"DATE": (_full_year(int(m["c"])), *_month_and_day(int(m["a"]), int(m["b"]), m["t"]))},
    "ym": lambda m: {"YEARMONTH": (int(m["ym_y"]), int(m["ym_m"]))},
    "my": lambda m: {"YEARMONTH": (int(m["my_y"]), int(m["my_m"]))},
    "md": lambda m: _fraction(m[0], int(m["md_a"]), int(m["md_b"])),
    "clock": lambda m: _hours(m["hh"], m["hm"]) if m["hm"] else _clock(m["hh"], m["mm"], m["ss"] or "0"),
    "decade": lambda m: {"DECADE": int(m["dec"])} if int(m["dec"]) % 10 == 0 else {},
    "ordinal": lambda m: {"ORD": int(m["ord"]), "NTH": int(m["ord"])},
    "number": lambda m: _number(m["figure"]) | ({"ISH": int(m["figure"])} if m[0].endswith("ish") else {}),
    "half": lambda m: {"AMPM": m[0][0].casefold() == "p"},
}


def tokenize(text: str, running: bool) -> list[Token]:
    """The tokens of a text.

    In `running` text a word like "may" or "sun" needs a capital or a neighbour that shows it.
    """
    tokens = list(_joined_numbers(list(_raw(text))))
    return [_doubted(tokens, i, text) for i in range(len(tokens))] if running else tokens


def _raw(text: str) -> Iterator[Token]:
    for match in re.finditer(_TOKEN, text, re.VERBOSE | re.IGNORECASE):
        kind = match.lastgroup or "sign"
        word = match[0].casefold().replace("’", "'")
        if kind in {"word", "chatty"}:
            word = _spelled_well(word.removesuffix("'s").removesuffix("'"))
            yield Token(word, match.start(), match.end(), WORDS.get(word, {}))
        else:
            yield Token(word, match.start(), match.end(), _NUMERIC[kind](match) if kind in _NUMERIC else {})


def _doubted(tokens: list[Token], i: int, text: str) -> Token:
    token = tokens[i]
    before = tokens[i - 1] if i else None
    if token.word in _NAMES and before and before.word in _PERSONS:
        return Token(token.word, token.start, token.end)
    if token.word not in _AMBIGUOUS:
        return token
    if text[token.start].isupper() and before and before.word not in _STOPS:
        return token
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    numbers = {"NUM", "ORD"}
    if before and (before.word in _LICENCE or numbers & before.labels.keys() or "WEEKDAY" in before.labels):
        return token
    if before and before.word in _JOINING and i > 1 and _CALENDAR & tokens[i - 2].labels.keys():
        return token
    if after and numbers & after.labels.keys():
        return token
    return Token(token.word, token.start, token.end)


def _joined_numbers(tokens: list[Token]) -> Iterator[Token]:
    """The tokens with number words combined: "twenty-five", "thirty first", "nineteen ninety six"."""
    i = 0
    while i < len(tokens):
        end, labels = _spelled(tokens, i)
        if end > i + 1:
            word = " ".join(token.word for token in tokens[i:end])
            yield Token(word, tokens[i].start, tokens[end - 1].end, labels)
        else:
            yield tokens[i]
        i = max(end, i + 1)


def _spelled(tokens: list[Token], i: int) -> tuple[int, dict[str, object]]:
    """A spelled number of several words from token `i`: the token after it, and its labels."""
    year_end, year = _spelled_year(tokens, i)
    if year:
        return year_end, {"NUM": year, "YEAR": year}
    tens = _TENS.get(tokens[i].word)
    after = i + 2 if i + 1 < len(tokens) and tokens[i + 1].word == "-" else i + 1
    if tens and after < len(tokens):
        word = tokens[after].word
        if word in _CARDINALS[1:10]:
            number = tens + _CARDINALS.index(word)
            return after + 1, {"NUM": number, "SPELLED": number}
        if word in _ORDINALS[:9]:
            return after + 1, {"ORD": tens + _ORDINALS.index(word) + 1}
    return i + 1, {}


_SPELLED_YEAR = (
    r"(?:(?P<century>nineteen|twenty|eighteen) (?:hundred (?:and )?)?|(?P<thousand>two thousand)(?: and)? ?)"
    r"(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:(?: | - )(?P<ones>one|two|three|four|five|"
    r"six|seven|eight|nine))?|(?P<teen>ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
    r"|oh (?P<oh>one|two|three|four|five|six|seven|eight|nine)|(?P<few>(?<=and )(?:one|two|three|four|five|six|seven|"
    r"eight|nine)))?(?= |$)"
)


def _spelled_year(tokens: list[Token], i: int) -> tuple[int, int]:
    """A year in words from token `i` ("nineteen ninety six"): the token after it, and the year, or 0."""
    if tokens[i].word not in {"eighteen", "nineteen", "twenty", "two"}:
        return i, 0
    text = " ".join(token.word for token in tokens[i : i + 7])
    match = re.match(_SPELLED_YEAR, text)
    if not match or not (match["thousand"] or match["tens"] or match["teen"] or match["oh"]):
        return i, 0
    century = 2000 if match["thousand"] else 100 * _value(match["century"])
    rest = sum(_value(match[name]) for name in ("tens", "ones", "teen", "oh", "few"))
    return i + len(match[0].split()), century + rest


def _value(word: str | None) -> int:
    return 0 if word is None else _TENS.get(word) or _CARDINALS.index(word)
