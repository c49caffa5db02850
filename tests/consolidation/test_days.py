"""What was told as a day, month or year is the same one for whoever looks, wherever they are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli import timespan
from evermem_cli.cli.presentation.documents import pick
from evermem_cli.cli.shared.formatting import day
from evermem_cli.consolidation.history import histories, history
from evermem_cli.memory import Assertion, CalendarTime, Filter, Kind
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.people.histories import local_histories
from evermem_cli.store.schema import rows
from tests.consolidation.test_assertions import asserted, chat
from tests.recollection.searching import search
from tests.support.chats import AFTER_14
from tests.test_consolidate import chat as chat_of
from tests.test_consolidate import remember
from tests.test_ingest import Memory

ZONES = st.integers(-11 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))


def said(text: str, at: datetime) -> list[Assertion]:
    """What is asserted by a message of Ann's, as it is read back from the file."""
    cell = chat(text)
    offset = at.utcoffset() or timedelta()
    (message,) = (replace(each, said_at=at.astimezone(UTC), utc_offset=offset) for each in cell.messages)
    found = asserted(replace(cell, messages=(message,)))
    return [
        rows.assertion(
            rows.aware(rows.filed(rows.plain(each))) | {"utc_offset": offset.total_seconds()}, each.message_ids
        )
        for each in found
    ]


@given(st.datetimes(datetime(2025, 1, 1), datetime(2026, 12, 31)), ZONES, ZONES)
def test_the_day_told_in_one_zone_is_told_in_every_other(at: datetime, here: timezone, there: timezone) -> None:
    (told,) = said("I moved to York yesterday.", at.replace(tzinfo=here))
    date = (at - timedelta(days=1)).date()
    (fact,) = local_histories(histories([told]), there)["location"]
    assert fact.valid_at is not None
    assert since_when(fact.valid_at) == f"{date.day} {date:%B %Y}"
    assert day(fact.valid_at, there) == f"{date.day} {date:%b %Y}"
    assert pick(fact, "valid_at") == {"valid_at": f"{date}T00:00:00Z", "valid_grain": "day"}
    first = datetime.combine(date, datetime.min.time(), there)
    assert (fact.holds_at(first), fact.holds_at(first - timedelta(microseconds=1))) == (True, False)


@given(ZONES, ZONES)
def test_what_is_told_again_from_another_zone_is_the_same_day(one: timezone, other: timezone) -> None:
    told = [
        *said("I'm moving to York on 3 November 2025.", datetime(2025, 9, 1, 9, tzinfo=one)),
        *said("I'm moving to York on 3 November 2025.", datetime(2025, 10, 30, 9, tzinfo=other)),
    ]
    (fact,) = history("location", [replace(each, id=str(n)) for n, each in enumerate(told)])
    assert fact.valid_at == CalendarTime(datetime(2025, 11, 3), "day")


@pytest.mark.parametrize(
    ("text", "shown", "value", "grain"),
    [
        ("I moved to York in March.", "Mar 2025", "2025-03-01T00:00:00Z", "month"),
        ("I moved to York in 2019.", "2019", "2019-01-01T00:00:00Z", "year"),
        ("I've been vegan for two years.", "2023", "2023-05-12T00:00:00Z", "year"),
        ("I live in York.", "12 May 2025", "2025-05-12T09:00:00Z", None),
    ],
)
def test_a_month_and_a_year_are_told_as_such(text: str, shown: str, value: str, grain: str | None) -> None:
    found = said(text, datetime(2025, 5, 12, 9, tzinfo=UTC))
    (told,) = (each for each in found if each.attribute in ("location", "diet"))
    assert told.valid_at is not None
    assert day(told.valid_at, UTC) == shown
    assert pick(told, "valid_at") == {"valid_at": value, "valid_grain": grain}


def test_a_search_as_of_a_day_counts_days_where_the_asker_is(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat_of([("2025-05-06T09:00:00+01:00", "I'm on antibiotics until 11 May.")]))
    for zone in ("Pacific/Niue", "Pacific/Kiritimati"):
        where = Filter(kinds=(Kind.FORESIGHT,))
        on = datetime(2025, 5, 11, 23, 30, tzinfo=ZoneInfo(zone))
        for hours, count in ((0, 1), (1, 0)):
            then = replace(where, as_of=on + timedelta(hours=hours))
            assert len(search("antibiotics", memory.store, memory.embedder, then, 3)) == count


@pytest.mark.parametrize(
    ("phrase", "at", "first"),
    [
        ("since Easter", "2025-03-01", "2024-03-31"),
        ("since Easter", "2025-11-01", "2025-04-20"),
        ("since Good Friday", "2025-11-01", "2025-04-18"),
        ("since Thanksgiving", "2025-11-01", "2024-11-28"),
        ("since Christmas", "2025-11-01", "2024-12-25"),
    ],
)
def test_since_a_feast_is_since_the_last_one(phrase: str, at: str, first: str) -> None:
    found = timespan.resolve(phrase, datetime.fromisoformat(at).replace(tzinfo=UTC))
    assert found is not None
    assert (str(found.start)[:10], found.end) == (first, None)


def test_an_older_file_has_the_days_of_those_who_named_them(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat_of([("2025-07-06T23:05:00+01:00", "I've been vegan since last Tuesday.")]))
    memory.store.path.chmod(0o600)
    with duckdb.connect(str(memory.store.path)) as opened:
        for table, column in (("assertions", "valid_at"), ("event_logs", "valid_at"), ("foresights", "start_time")):
            grain = f"{column.rpartition('_')[0]}_grain"
            opened.execute(f"update {table} set {column} = {column} - interval 1 hour where {grain} is not null")
        for undone in AFTER_14:
            opened.execute(undone)
        opened.execute("update meta set value = '14' where key = 'schema_version'")
    with memory.store.read() as reader:
        (told,) = (each for each in reader.consolidation.assertions("default") if each.attribute == "diet")
        (fact,) = reader.topics.facts()
    assert told.valid_at == fact.valid_at == CalendarTime(datetime(2025, 7, 1), "day")
