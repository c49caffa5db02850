"""Values of profiles: which are the same, and which of their wordings is told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from evermem_cli.consolidation.attributes import key, replaces
from evermem_cli.consolidation.history import conflicts, histories, history
from evermem_cli.consolidation.statements import assert_statements
from evermem_cli.memory import Assertion, Stance, Statement, Whose, moment_in
from tests.consolidation.test_assertions import chat
from tests.consolidation.test_fact_support import said


@pytest.mark.parametrize(
    ("attribute", "one", "other", "is_same"),
    [
        ("allergies", "No walnuts", "walnuts", True),
        ("dislikes", "no tuna", "tuna", True),
        ("allergies", "no", "nuts", False),
        ("diet", "no meat", "meat", False),
    ],
)
def test_what_is_done_without_is_the_same_with_and_without_a_no(
    attribute: str, one: str, other: str, is_same: bool
) -> None:
    assert (key(attribute, one) == key(attribute, other)) is is_same


@pytest.mark.parametrize(
    ("new", "old", "ends"),
    [
        ("fish", "pescatarian", False),
        ("eggs", "vegetarian", False),
        ("eggs", "vegan", True),
        ("steak", "vegetarian", True),
        ("pescatarian", "meat", True),
        ("vegan", "pescatarian", True),
    ],
)
def test_a_food_ends_a_diet_unless_the_diet_leaves_it(new: str, old: str, ends: bool) -> None:
    assert replaces("diet", new, old) is ends


@pytest.mark.parametrize(
    ("text", "read", "told"),
    [
        ("I've been vegan since last Tuesday.", "vegan since last Tuesday", ["vegan"]),
        ("I rent a flat in Leith from 1 September.", "a flat in Leith from 1 September", ["a flat in Leith"]),
        ("I rent a flat in Leith from 1 September.", "a flat in Leith", ["a flat in Leith"]),
    ],
)
def test_a_value_ends_before_the_time_phrase_behind_it(text: str, read: str, told: list[str]) -> None:
    assert [assertion.value for assertion in of_diet(text, read, Stance.HOLDS)] == told


@pytest.mark.parametrize(
    ("between", "values"), [(", ", ["Dresden, Bautzner Straße 12"]), (" and ", ["Dresden", "Bautzner Straße 12"])]
)
def test_a_town_and_a_street_after_a_comma_are_one_address(between: str, values: list[str]) -> None:
    text = f"I live in Dresden{between}Bautzner Straße 12."
    (message,) = chat(text).messages
    places = [
        Statement(
            message_id=message.id, start=text.index(value), stop=text.index(value) + len(value), kind="location",
            value=value, whose=Whose.ME, person="", stance=Stance.HOLDS, probability=0.9,
        )
        for value in ("Dresden", "Bautzner Straße 12")
    ]  # fmt: skip
    assert [assertion.value for assertion in assert_statements(message, places, {})] == values


@pytest.mark.parametrize(
    ("attribute", "old", "new", "days", "changes"),
    [
        ("job", "分析主管", "analytics lead", 0, False),
        ("job", "analytics lead", "分析主管", 0, False),
        ("job", "分析主管", "chef", 5, True),
        ("job", "baker", "chef", 0, True),
        ("location", "Leeds", "上海", 0, False),
        ("salary", "58k", "7万", 0, True),
    ],
)
def test_a_value_in_another_language_is_no_change_unless_it_is_known_to_differ(
    attribute: str, old: str, new: str, days: int, *, changes: bool
) -> None:
    before, after = (replace(said(value, value, day), attribute=attribute) for value, day in ((old, 1), (new, 30)))
    facts = history(attribute, [before, replace(after, valid_at=after.said_at - timedelta(days))])
    assert len(facts) == 2
    assert bool(conflicts("default", attribute, facts)) is changes


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (("8th of march", "8 March 1992"), ["8 March 1992"]),
        (("8 March 1992", "on the 8th of March", "in March"), ["8 March 1992"]),
        (("on the 29th of February", "2000-02-29"), ["2000-02-29"]),
        (("8 March 1992", "8 March 1993"), ["8 March 1992", "8 March 1993"]),
        (("on Friday", "8 March"), ["on Friday", "8 March"]),
    ],
)
def test_a_birthday_with_its_year_completes_one_without(values: tuple[str, ...], shown: list[str]) -> None:
    days = [replace(said(value, value, day), attribute="birthday") for day, value in enumerate(values)]
    assert [fact.value for fact in history("birthday", days)] == shown


@pytest.mark.parametrize("stance", [Stance.HOLDS, Stance.DENIED])
@pytest.mark.parametrize(
    "text", ["I don't eat meat", "I can’t eat any meat", "I do not eat meat", "I eat no meat", "I cannot eat meat"]
)
def test_a_diet_that_says_what_it_leaves_out_is_held(text: str, stance: Stance) -> None:
    [assertion] = of_diet(text, text.removeprefix("I "), stance)
    assert (assertion.value, assertion.stance) == ("no meat", Stance.HOLDS)


@pytest.mark.parametrize(
    "value", ["eat fish but no meat", "eat a lot, no sugar", "no meat and fish", "eat meat", "don't eat"]
)
def test_another_diet_is_told_as_it_was_said(value: str) -> None:
    assert [assertion.value for assertion in of_diet(f"I {value}", value, Stance.HOLDS)] == [value]


@pytest.mark.parametrize(
    ("value", "told"),
    [("a Vespa", ["a Vespa"]), ("sold my Vespa", []), ("dropped the scooter", []), ("married", ["married"])],
)
def test_how_something_ended_is_nothing_that_held(value: str, told: list[str]) -> None:
    assert [
        fact.value for fact in history("car", [replace(said("over", value, 0), attribute="car", stance=Stance.ENDED)])
    ] == told


def of_diet(text: str, value: str, stance: Stance) -> list[Assertion]:
    """What a message asserts in which the tagger read a diet."""
    return of_kind("diet", text, value, stance)


def of_kind(kind: str, text: str, value: str, stance: Stance) -> list[Assertion]:
    """What a message asserts in which the tagger read a value of this kind."""
    (message,) = chat(text).messages
    start = text.index(value)
    statement = Statement(
        message_id=message.id,
        start=start,
        stop=start + len(value),
        kind=kind,
        value=value,
        whose=Whose.ME,
        person="",
        stance=stance,
        probability=0.9,
    )
    return list(assert_statements(message, [statement], {}))


def employers(*said: tuple[str, float] | tuple[str, float, Stance]) -> dict[str, str | None]:
    """The employers in a history of what was said day by day, each with the day of its end (None while it stands)."""
    assertions = [
        Assertion(
            id=f"a{day}",
            user_id="Ann",
            attribute="employer",
            value=value,
            stance=stance[0] if stance else Stance.HOLDS,
            valid_at=None,
            invalid_at=None,
            said_at=datetime(2025, 3, day, tzinfo=UTC),
            confidence=confidence,
            message_ids=(f"m{day}",),
        )
        for day, (value, confidence, *stance) in enumerate(said, 1)
    ]
    return {
        fact.value: f"{moment_in(fact.invalid_at, UTC):%d}" if fact.invalid_at else None
        for fact in history("employer", assertions[::-1])
    }


def test_the_later_value_stands_however_sure_the_earlier_was_read() -> None:
    assert employers(("Fennimore", 0.95), ("Calder", 0.68)) == {"Fennimore": "02", "Calder": None}


def test_who_eats_fish_but_no_meat_eats_meat_no_longer() -> None:
    facts = history("diet", [said("a", "meat", 0), said("b", "fish but no meat", 35)])
    assert [(fact.value, fact.invalid_at is None) for fact in facts] == [("meat", False), ("fish but no meat", True)]


def test_an_offer_that_was_read_doubtfully_counts_once_it_is_accepted() -> None:
    offered = replace(said("a", "Calder", 0), attribute="employer", stance=Stance.OFFERED, sure=False)
    taken = replace(said("b", "", 2), attribute="employer", stance=Stance.TAKEN)
    assert histories([offered]) == {"employer": []}
    assert [fact.value for fact in histories([offered, taken])["employer"]] == ["Calder"]


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("Callum and I split up", "Callum and I split", "Callum"),
        ("My ex Tom is in Leeds", "ex Tom", "Tom"),
        ("I broke up with my girlfriend", "broke up with my girlfriend", ""),
        ("My boyfriend and I broke up", "My boyfriend and I", "My boyfriend and I"),
    ],
)
def test_a_former_partner_is_told_by_the_name_alone(text: str, value: str, told: str) -> None:
    assert [assertion.value for assertion in of_kind("partner", text, value, Stance.ENDED)] == [told]


def test_an_earlier_employer_that_is_told_late_was_over_before_the_present_one() -> None:
    earlier = ("Siemens", 0.9, Stance.ENDED)
    assert employers(("Octopus", 0.95), earlier) == {"Siemens": "01", "Octopus": None}
    assert list(employers(("Octopus", 0.95), earlier)) == ["Siemens", "Octopus"], "oldest first"
    assert employers(earlier, ("Octopus", 0.95)) == {"Siemens": "01", "Octopus": None}
    assert employers(("Octopus", 0.95), ("Siemens", 0.6, Stance.ENDED)) == {"Octopus": None}
    assert employers(("Siemens", 0.95), ("Octopus", 0.95), earlier) == {"Siemens": "02", "Octopus": None}


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("I worked at Tesco from 2015 to 2019.", "2019-01-01"),
        ("I worked at Tesco until 2019.", "2019-01-01"),
        ("I was at Tesco between May and September 2024.", "2024-09-01"),
        ("I left Tesco in January.", "2025-01-01"),
        ("I used to work at Tesco.", "2025-03-01"),
    ],
)
def test_what_is_over_ended_with_the_last_of_its_time(text: str, over: str) -> None:
    [assertion] = of_kind("employer", text, "Tesco", Stance.ENDED)
    assert assertion.valid_at is not None
    assert f"{moment_in(assertion.valid_at, UTC):%Y-%m-%d}" == over


@pytest.mark.parametrize(("old", "new", "years", "differs"), [("34", "36", 2, False), ("34", "50", 2, True)])
def test_an_age_that_only_grew_is_no_conflict(old: str, new: str, years: int, differs: bool) -> None:
    ages = [replace(said(value, value, day), attribute="age") for value, day in ((old, 0), (new, years * 366))]
    assert bool(conflicts("default", "age", history("age", ages))) is differs
