"""How well time phrases are understood: `python -m tests.benchmarks.dates --data DIR` prints a table and a JSON line.

How a hit is counted. An answer is right if its start and end are exactly one of the values the set lists.
- Duckling: the phrase alone; items of grain day and coarser, and finer ones apart. The set gives start and grain: both
  must agree (the end is
  the start plus one grain).
- Recognizers: whole sentences, results of type date and daterange that have a value; a span that overlaps the result
  must have one of its values. With "since", "before" and the like only the closed side is compared. The set ends "May 5
  to May 7" with the 7th excluded where we include it: "hit" takes an end one named unit later as the same range,
  "strict" does not.
- LoCoMo: messages whose annotated wording is relative; the gold answer ("The week before 9 June 2023") is read by
  `gold_intervals` below, and one of the spans found in the message must be it; a time of day stands for its day.
- Chinese: two lists of twenty phrases alone, each written with its answers before the grammar had seen them; the
  second after the faults that the first showed had been mended.
Duckling and Recognizers are told in two halves, drawn by template: rules are written from the first alone.
Coverage is the share answered at all, precision the share of the answered that is right. Plain messages are LoCoMo
turns without a digit and without any of the words in `TIME_WORDS`.
"""

import argparse
import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dateutil import parser as dates
from dateutil.relativedelta import MO, relativedelta

from evermem_cli.timespan import Interval, find, resolve
from tests.benchmarks.dates_chinese import CHINESE, CHINESE_AT, CHINESE_LATER
from tests.benchmarks.dates_split import is_learned_from

Bounds = tuple[datetime | None, datetime | None]
DAY = timedelta(days=1)
TIME_WORDS = (
    "today tonight tonite tomorrow yesterday now day days week weeks weekend weekends month months year "
    "years decade century hour hours minute minutes second seconds morning afternoon evening night nights "
    "noon midnight spring summer autumn fall winter january february march april may june july august "
    "september october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday "
    "wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun ago since until "
    "till before after last next recently lately soon later early late birthday christmas xmas easter "
    "thanksgiving halloween valentine valentines holiday holidays season date o'clock am pm"
)

COUNTS = ("n", "answered", "hits", "strict")


@dataclass(slots=True)
class Score:
    """Counts of one set: items, those answered, those right."""

    name: str
    n: int = 0
    answered: int = 0
    hits: int = 0
    strict: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, label: str, answered: bool, hit: bool, strict: bool | None = None) -> None:
        self.n += 1
        self.answered += answered
        self.hits += hit
        self.strict += hit if strict is None else strict
        if not hit:
            self.misses.append(("wrong  " if answered else "silent ") + label)

    def row(self) -> dict[str, object]:
        return {
            "set": self.name,
            "n": self.n,
            "exact": round(100 * self.hits / self.n, 1),
            "strict": round(100 * self.strict / self.n, 1),
            "coverage": round(100 * self.answered / self.n, 1),
            "precision": round(100 * self.hits / max(1, self.answered), 1),
        }


@dataclass(slots=True)
class Halves:
    """The scores of a set's two halves (see `dates_split`)."""

    name: str
    learned: Score = field(init=False)
    reported: Score = field(init=False)

    def __post_init__(self) -> None:
        self.learned = Score(f"{self.name}, learning half")
        self.reported = Score(f"{self.name}, left-out half")

    def of(self, text: str) -> Score:
        return self.learned if is_learned_from(text) else self.reported

    @property
    def all(self) -> list[Score]:
        parts = self.learned, self.reported
        n, answered, hits, strict = (sum(getattr(part, key) for part in parts) for key in COUNTS)
        return [Score(self.name, n, answered, hits, strict, self.learned.misses), *parts]


def local(text: str) -> datetime:
    """A time without a zone, taken as UTC."""
    return dates.parse(text).replace(tzinfo=UTC)


def duckling(folder: Path) -> list[Halves]:
    coarse, fine = Halves("duckling, day and coarser"), Halves("duckling, hour and finer")
    for line in (folder / "duckling_en_dev.jsonl").read_text().splitlines():
        item = json.loads(line)
        score = (fine if item["grain"] in {"Hour", "Minute", "Second"} else coarse).of(item["text"])
        got = resolve(item["text"], datetime.fromisoformat(item["ref"]))
        start = got.start.replace(tzinfo=None).isoformat() if got and got.start else ""
        hit = got is not None and (start, got.grain) == (item["value"], item["grain"].lower())
        score.add(
            f"{item['text']!r} {item['value']} {item['grain']} got {got and (start, got.grain)}", got is not None, hit
        )
    return [coarse, fine]


def recognizers(folder: Path) -> list[Halves]:
    """The dates and ranges; and how many of the spans found name a time at all: one that the set has under any type."""
    halves, times = Halves("recognizers, dates and ranges"), Halves("recognizers, spans found are times")
    for item in json.loads((folder / "recognizers_datetime_dev.json").read_text()):
        reference = item.get("Context", {}).get("ReferenceDateTime")
        if not reference:
            continue
        gold = [result for result in item["Results"] if wanted(result)]
        spans = find(item["Input"], local(reference))
        for span in spans:
            is_time = any(span.start_offset <= r["End"] and span.end_offset > r["Start"] for r in item["Results"])
            times.of(item["Input"]).add(f"{item['Input']!r} {span.text!r}", True, is_time)
        score = halves.of(item["Input"])
        for result in gold:
            near = [s.interval for s in spans if s.start_offset <= result["End"] and s.end_offset > result["Start"]]
            values = [value for value in result["Resolution"]["values"] if "timex" in value]
            strict = any(same(interval, value, lenient=False) for interval in near for value in values)
            hit = any(same(interval, value, lenient=True) for interval in near for value in values)
            label = f"{item['Input']!r} {result['Text']!r} {shown(values)} got {[brief(i) for i in near]}"
            score.add(label, bool(near), hit, strict)
    return [halves, times]


def wanted(result: dict[str, Any]) -> bool:
    values = (result.get("Resolution") or {}).get("values", [])
    resolved = any(
        {"start", "end", "value"} & value.keys() and value.get("value") != "not resolved" for value in values
    )
    return resolved and result["TypeName"].split(".")[1] in {"date", "daterange"}


def same(got: Interval, value: dict[str, str], lenient: bool) -> bool:
    """Whether an interval is a listed value; `lenient` allows the last unit named to belong to the range."""
    if "value" in value:
        start = local(value["value"])
        return (got.start, got.end) == (start, start + DAY)
    start_ok = got.start == local(value["start"]) if "start" in value else got.start is None
    if "end" not in value:
        return start_ok and got.end is None
    end = local(value["end"])
    ends = {end, end + DAY, *(end + relativedelta(months=months) for months in (1, 3, 12))} if lenient else {end}
    included = value["timex"].startswith("(") or "start" not in value
    return start_ok and got.end in (ends if included else {end})


def shown(values: list[dict[str, str]]) -> str:
    return " or ".join(" ".join(v.get(key, "") for key in ("value", "start", "end", "Mod")).strip() for v in values)


def brief(interval: Interval) -> str:
    return "..".join(f"{side:%F %R}" if side else "" for side in (interval.start, interval.end))


def locomo(folder: Path) -> Score:
    score = Score("locomo, relative wording")
    for line in (folder / "locomo_dates_dev.jsonl").read_text().splitlines():
        item = json.loads(line)
        relative = {word.casefold() for word in item["rel"]} - {"just", "since", "recently"}
        if item["audit"] or not relative:
            continue
        said = local(item["session_datetime"])
        spans = find(item["text"], said)
        gold = gold_intervals(item["answer"])
        hit = any(is_gold(span.interval, bounds) for span in spans for bounds in gold)
        found = [(span.text, brief(span.interval)) for span in spans]
        label = f"{item['session_datetime']} {sorted(relative)} {item['answer']!r} got {found}"
        score.add(label, bool(spans), hit)
    return score


def is_gold(got: Interval, gold: Bounds) -> bool:
    if got.grain in {"hour", "minute", "second"} and got.start is not None:
        midnight = got.start.replace(hour=0, minute=0)
        got = Interval(midnight, midnight + DAY, "day")
    return got.start == gold[0] and got.end in (gold[1], None)


def gold_intervals(answer: str) -> list[Bounds]:
    """The intervals that a LoCoMo answer can mean; weeks both as calendar weeks and as the seven days before."""
    text = re.sub(r"^(in|around|the|on the|a|last(?= week before))\s+", "", answer.strip().rstrip(".").casefold())
    if match := re.match(r"night of (\w+ \d+) to \d+, (\d{4})", text):
        return [whole(f"{match[1]} {match[2]}")]
    if match := re.match(r"(.+?) (?:before|of) (.*\d.*)$", text):
        what, anchor = match[1], match[2]
        if bounds := around(what, anchor):
            return bounds
    if match := re.match(r"summer (?:of )?(\d{4})", text):
        return [(local(f"{match[1]}-06-01"), local(f"{match[1]}-09-01"))]
    return [whole(text)]


def whole(text: str) -> Bounds:
    """A year, month or day written out."""
    if re.fullmatch(r"\d{4}", text):
        return local(f"{text}-01-01"), local(f"{int(text) + 1}-01-01")
    text = re.sub(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*", r"\1", text.replace(".", " "))
    start = dates.parse(text, default=datetime(2000, 1, 1)).replace(tzinfo=UTC)
    has_day = re.search(r"\b\d{1,2}\b", text)
    return start, start + (DAY if has_day else relativedelta(months=1))


def around(what: str, anchor: str) -> list[Bounds]:
    """Weeks, weekends, weekdays and days before or around a date."""
    start, end = whole(anchor)
    assert start is not None and end is not None
    monday = start + relativedelta(weekday=MO(-1))
    week = timedelta(weeks=1)
    weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    if what in weekdays:
        back = (start.weekday() - weekdays.index(what) - 1) % 7 + 1
        return [(start - DAY * back, start - DAY * (back - 1))]
    if what == "first week":
        return [(monday + week * i, monday + week * (i + 1)) for i in (0, 1)]
    if what == "last week" and end - start > 2 * week:
        last = end + relativedelta(weekday=MO(-1))
        return [(last - week * i, last - week * (i - 1)) for i in (0, 1)]
    if what == "end":
        return [(start, end)]
    if "few days" in what:
        return [(start - DAY * first, start - DAY * last) for first in range(2, 8) for last in range(first)]
    named: dict[str, list[Bounds]] = {
        "week": [(monday - week, monday), (start - week, start), (monday, monday + week)],
        "weekend": [(monday - 2 * DAY, monday)],
        "two weekends": [(monday - week - 2 * DAY, monday - week)],
        "two weeks": [(start - 2 * week, start - 2 * week + DAY), (monday - 2 * week, monday - week)],
    }
    return named.get(what, [])


def chinese(name: str, phrases: list[tuple[str, list[tuple[str, str]]]]) -> Score:
    score = Score(f"chinese, {name}")
    for phrase, listed in phrases:
        got = resolve(phrase, CHINESE_AT)
        values = [(local(start) if start else None, local(end) if end else None) for start, end in listed]
        score.add(
            f"{phrase} {listed} got {got and brief(got)}",
            got is not None,
            got is not None and (got.start, got.end) in values,
        )
    return score


def turns(folder: Path) -> Iterable[str]:
    for conversation in json.loads((folder / "locomo_dev.json").read_text()):
        for name, session in conversation["conversation"].items():
            if re.fullmatch(r"session_\d+", name):
                yield from (turn["text"] for turn in session)


def false_alarms(messages: list[str]) -> dict[str, object]:
    plain = [text for text in messages if names_no_time(text)]
    flagged = [(text, [span.text for span in find(text, CHINESE_AT)]) for text in plain if find(text, CHINESE_AT)]
    return {
        "plain": len(plain),
        "flagged": len(flagged),
        "percent": round(100 * len(flagged) / len(plain), 2),
        "which": flagged,
    }


def names_no_time(text: str) -> bool:
    words = set(re.findall(r"o'clock|[a-z]+", text.casefold().replace("’", "'")))
    return not re.search(r"\d", text) and not words & set(TIME_WORDS.split())


def speed(messages: list[str]) -> dict[str, object]:
    begun = time.perf_counter()
    for text in messages:
        find(text, CHINESE_AT)
    return {"messages": len(messages), "ms": round(1000 * (time.perf_counter() - begun) / len(messages), 3)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--misses", action="store_true", help="print what is no hit, of learning halves only")
    chosen = options.parse_args()
    halved = [*duckling(chosen.data), *recognizers(chosen.data)]
    scores = [locomo(chosen.data), *(half for halves in halved for half in halves.all)]
    scores += [chinese("first list", CHINESE), chinese("second list", CHINESE_LATER)]
    for score in scores:
        if chosen.misses and not score.name.endswith("half"):
            print(f"== {score.name}", *score.misses, sep="\n")
    messages = list(turns(chosen.data))
    alarms, cost = false_alarms(messages), speed(messages)
    print(f"{'':52}{'n':>5}{'exact':>8}{'strict':>8}{'coverage':>10}{'precision':>11}")
    for score in scores:
        row = score.row()
        print(
            f"{score.name:52}{row['n']:>5}{row['exact']:>8}{row['strict']:>8}{row['coverage']:>10}{row['precision']:>11}"
        )
    print(f"plain messages flagged: {alarms['flagged']} of {alarms['plain']} ({alarms['percent']} %) {alarms['which']}")
    print(f"speed: {cost['ms']} ms a message over {cost['messages']} messages")
    print(json.dumps({"dates": [score.row() for score in scores], "alarms": alarms, "speed": cost}))


if __name__ == "__main__":
    main()
