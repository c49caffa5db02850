"""The scenarios and the sample transcripts are consistent in themselves: dates, weekdays, references."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from tests.benchmarks.claims import Check, contains, holds, matching_rows, values
from tests.benchmarks.scenarios import Scenario, chosen, load_scenarios, part_text

SAMPLES = Path(__file__).parents[1] / "sample_transcripts"
SCENARIOS = load_scenarios()
STORIES = [scenario for scenario in SCENARIOS if scenario.drawn]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
ENGLISH_DAY = re.compile(rf"({'|'.join(WEEKDAYS)}) (\d{{1,2}}) ({'|'.join(MONTHS)})(?: (\d{{4}}))?")
CHINESE_DAY = re.compile(r"(\d{1,2})月(\d{1,2})日(?:周|星期)([一二三四五六日])")


def named_days(text: str) -> Iterator[tuple[str, date, int]]:
    """Each date that is named with its weekday, of 2025 where no year is: the words, the date, the weekday from 0."""
    for found in ENGLISH_DAY.finditer(text):
        weekday, day, month, year = found.groups()
        yield found[0], date(int(year or 2025), MONTHS.index(month) + 1, int(day)), WEEKDAYS.index(weekday)
    for found in CHINESE_DAY.finditer(text):
        yield found[0], date(2025, int(found[1]), int(found[2])), "一二三四五六日".index(found[3])


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_weekdays_in_the_samples_fit_their_dates(path: Path) -> None:
    for words, day, weekday in named_days(path.read_text("utf-8")):
        assert day.weekday() == weekday, words


def test_the_samples_name_enough_days_for_that_to_mean_something() -> None:
    assert sum(1 for path in SAMPLES.glob("*-*") for _ in named_days(path.read_text("utf-8"))) >= 15


def test_the_sample_table_lists_each_file() -> None:
    listed = set(re.findall(r"^\| `([^`]+)`", (SAMPLES / "README.md").read_text("utf-8"), re.MULTILINE))
    assert listed == {path.name for path in SAMPLES.glob("*-*")}


def test_scenario_ids_are_unique() -> None:
    ids = [scenario.id for scenario in SCENARIOS]
    assert len(ids) == len(set(ids))


def test_only_takes_a_scenario_with_its_variants() -> None:
    assert [scenario.id for scenario in chosen(SCENARIOS, "S1,S23")] == ["S1", "S1-reversed", "S1-might", "S23"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_ingests_name_files_of_the_scenario(scenario: Scenario) -> None:
    names = {part.name for part in scenario.part}
    assert all(arguments[0] in names for arguments in scenario.ingests)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_every_check_claims_something(scenario: Scenario) -> None:
    claims: list[str] = []
    for check in scenario.check:
        assert check.claim not in claims
        assert not check.same_as or check.same_as in claims
        assert not (check.any_of or check.none_of) or check.field
        claims.append(check.claim)
    assert claims


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_dates_and_weekdays_of_a_scenario_are_real(scenario: Scenario) -> None:
    for check in scenario.check:
        for option, value in zip(check.run, check.run[1:], strict=False):
            if option in ("--as-of", "--at", "--known-at"):
                datetime.fromisoformat(value)
    for part in scenario.part:
        text = part_text(part)
        for words, day, weekday in named_days(text):
            assert day.weekday() == weekday, words
        for line in text.splitlines() if part.name.endswith(".jsonl") else ():
            assert datetime.fromisoformat(json.loads(line)["timestamp"]).tzinfo is not None


def test_phrases_match_whole_words_and_numbers_in_any_spelling() -> None:
    assert contains("She earns £31,000 now.", "31k")
    assert contains("No, you can't.", "cant")
    assert contains("2025-04-11T09:00:00Z", "2025-04-11")
    assert contains("他吃素火锅", "素火锅")
    assert not contains("I don't know.", "no")
    assert not contains("131,000", "31k")
    assert not contains("pescatarians", "vegan")


def test_a_phrase_between_slashes_is_a_regular_expression_on_the_text_as_it_is() -> None:
    assert contains("Lives in Porto", "/^lives in (porto|lisbon)/")
    assert contains("从星图科技离职", "/星图|蓝鲸/")
    assert not contains("sold the Golf", "/^(?!.*sold).*golf/")


def test_attributes_are_found_by_any_of_their_names() -> None:
    profile = {"explicit_facts": {"Home City": {"value": "Ghent"}, "employer": {"value": "Holt"}}}
    assert list(values(profile, "explicit_facts.@home.value")) == ["Ghent"]
    assert list(values(profile, "explicit_facts.employer|company.value")) == ["Holt"]
    assert list(values(profile, "explicit_facts.*.value")) == ["Ghent", "Holt"]


def test_rows_are_lists_or_single_and_a_missing_part_is_told_from_an_empty_one() -> None:
    now = {"explicit_facts": {"city": {"value": "Porto", "valid_at": "2025-05"}}}
    history = {
        "explicit_facts": {"city": [{"value": "Porto", "valid_at": "2025-05"}, {"value": "Ghent", "valid_at": None}]}
    }
    check = Check(claim="", run=("profile",), rows="explicit_facts.@home", field="value", in_order=("Ghent", "Porto"))
    assert matching_rows(check, now) == [now["explicit_facts"]["city"]]
    ordered = [row["value"] for row in matching_rows(check, history) or []]
    assert ordered == ["Ghent", "Porto"]
    assert holds(check, 2, ordered, {})
    assert not holds(check, 2, ordered[::-1], {})
    assert matching_rows(check, {"explicit_facts": {}}) == []
    assert matching_rows(check, {}) is None


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)
def test_a_story_is_read_out_of_order_from_files_named_by_their_first_day(story: Scenario) -> None:
    assert [name for arguments in story.ingests for name in arguments if name in story.files] != sorted(story.files)
    assert set(story.ingests[0]) - set(sorted(story.files)[: len(story.ingests[0]) - len(story.options)])
    for part in story.part:
        assert part.name[:10] == min(re.findall(r"2025-\d\d-\d\d", part.text))


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)
def test_a_story_has_checks_enough_and_no_broken_expression(story: Scenario) -> None:
    assert len(story.check) >= 8
    for check in story.check:
        for phrase in (*check.any_of, *check.none_of, *check.in_order, *check.where.values()):
            assert phrase[0] != "/" or phrase[-1] == "/"
            contains("", phrase)


def test_a_path_goes_through_lists_and_skips_what_is_missing() -> None:
    assert list(values({"a": [{"b": 1}, {"c": 2}, {"b": None}]}, "a.b")) == [1, None]
    assert list(values({"a": [[1], [2]]}, "a")) == [[[1], [2]]]
