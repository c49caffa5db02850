"""What people say of themselves, by sentence: what the tagger reads as asserted, and what only looks so."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.consolidation.attributes import TIES
from evermem_cli.consolidation.periods import Period
from evermem_cli.consolidation.statements import assert_statements, window
from evermem_cli.memory import Assertion, ChatKind, MemCell, Message, Policy, Role, Stance, Statement, Whose, wall
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.timespan import resolve

SAID_AT = datetime(2025, 3, 1, 9, tzinfo=UTC)  # a Saturday


def chat(*said: str) -> MemCell:
    """A MemCell of "Speaker: text", Ann where no speaker is named; all said at once."""
    parts = [text.partition(": ") if text.startswith(("Assistant: ", "Ann: ")) else ("Ann", "", text) for text in said]
    messages = tuple(
        Message(
            id=f"m{n}", conversation_id="c", ordinal=n, external_id=str(n), speaker=speaker, user_id=speaker.lower(),
            role=Role.ASSISTANT if speaker == "Assistant" else Role.USER, text=text, said_at=SAID_AT,
        )
        for n, (speaker, _, text) in enumerate(parts, 1)
    )  # fmt: skip
    return MemCell(
        event_id="e", conversation_id="c", group_id="g", kind=ChatKind.ASSISTANT, messages=messages,
        boundary_reason="end", open=False, policy=Policy.V1_1,
    )  # fmt: skip


TAGGER = Tagger(threads=1)


def read(*said: str) -> set[str]:
    """What a profile rests on, of messages that answer nothing; see `told`."""
    return told(shown(chat(*said)))


def shown(cell: MemCell) -> list[Assertion]:
    """What a profile rests on."""
    return [each for each in asserted(cell) if each.sure]


def asserted(cell: MemCell) -> list[Assertion]:
    """All that is asserted in a MemCell by what the tagger reads in its messages."""
    passages = [Passage(message.id, message.text, "") for message in cell.messages if message.role is Role.USER]
    statements = dict(zip([passage.message_id for passage in passages], TAGGER.read(passages), strict=True))
    return read_assertions(cell, statements, [], CONDITION_DAYS)


def told(assertions: Iterable[Assertion]) -> set[str]:
    """Assertions as "attribute: value", "not" before what has ended, and the day where that is another one."""
    lines = set()
    for each in assertions:
        if each.attribute in TIES:
            continue
        prefix = {"ended": "not ", "offered": "offered ", "taken": "taken "}.get(each.stance, "")
        day = wall(each.valid_at or SAID_AT).date()
        lines.add(f"{prefix}{each.attribute}: {each.value}{f' @{day}' if day != SAID_AT.date() else ''}")
    return lines


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hi! I'm Priya, a nurse in Bristol.", {"name: Priya", "job: nurse"}),
        ("I work at the Sparkasse.", {"employer: Sparkasse"}),
        ("My boss is German.", set()),
        ("Helen is my boss's sister.", set()),
        ("我老板是个好人。", set()),
        ("I've got a hire car for the week.", set()),
        ("We've got a car for the trip.", set()),
        ("We picked up the car at the airport.", set()),
        ("I've got a car.", {"car: car"}),
        ("we've relocated to austin", {"location: austin"}),
        ("I'm moving to Lyon in June.", {"location: Lyon @2025-06-01"}),
        ("My salary went up to 48,000 euros.", {"salary: 48,000 euros"}),
        ("I've gone pescatarian, fish only now.", {"diet: pescatarian"}),
        ("I gave up meat in January.", {"diet: gave up meat @2025-01-01"}),
        ("Anna and I got engaged last night!", {"relationship: engaged @2025-02-28"}),
        ("We adopted a greyhound named Comet.", {"pets: Comet (greyhound)"}),
        ("We sold the Golf last week.", {"not car: Golf @2025-02-17"}),
        ("I've taken up bouldering.", {"hobbies: bouldering"}),
        ("I'm allergic to penicillin.", {"allergies: penicillin"}),
        ("You can reach me at kim.lee@example.org from now on.", {"email: kim.lee@example.org"}),
        ("我住在上海。", {"location: 上海"}),
        ("我在腾讯上班。", {"employer: 腾讯"}),
        ("我从腾讯辞职了", {"not employer: "}),
        ("月薪两万八", {"salary: 月薪两万八"}),
        ("I'm a nurse in Bristol, any tips for night shifts?", {"job: nurse", "location: Bristol"}),
        ("I quit smoking.", {"not smoking: quit smoking"}),
        ("I work at Acme as a nurse.", {"employer: Acme"}),
        ("I started Spanish last week.", {"languages: Spanish @2025-02-17"}),
        ("I was a teacher, now I'm a nurse.", {"not job: teacher", "job: nurse"}),
        ("I'm allergic to bees though.", {"allergies: bees"}),
        ("我对花生过敏，能吃这个吗？", {"allergies: 对花生过敏"}),
    ],
)  # fmt: skip
def test_what_is_said_of_oneself_is_read(text: str, told: set[str]) -> None:
    assert told <= read(text)


@pytest.mark.parametrize(
    "text",
    [
        "I might try vegan next month.",
        "I wish I lived in Rome.",
        "If we get the loan, we'll buy a house in Kent.",
        "Maybe I'll adopt a dog.",
        "She said I should move to Bonn.",
        "vegan soup and sympathy",
        "Should I quit smoking?",
        "有时候真想去上海重新开始",
        "Pretend I'm a doctor in Leeds and ask me questions.",
        "I have a dentist appointment on the 24th.",
        "You keep telling people I'm a doctor.",
        "Proofread this: 'I am Petra and I work as an architect in Basel'.",
        "If I lived in Leeds, would the rent be lower?",
        "假装你是面试官，我是护士。",
    ],
)
def test_nothing_is_asserted_by_wishes_questions_and_what_others_do(text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My sister lives in Leeds and works at Google.", {"family: sister"}),
        ("My friend Tom quit smoking and moved to Paris.", {"contacts: Tom (friend)"}),
        ("My sister got a dog! A whippet called Pim.", {"family: sister"}),
    ],
)
def test_of_somebody_else_only_who_it_is_is_ones_own(text: str, told: set[str]) -> None:
    assert read(text) == told


def test_an_illness_ends_when_such_do_and_a_course_when_it_was_told_to() -> None:
    cell = chat("I have the flu. I'm on antibiotics for ten days.")
    ends = {each.attribute: str(each.invalid_at)[:10] for each in asserted(cell)}
    assert ends == {"health": "2025-03-11", "medication": "2025-03-11"}


def test_a_day_to_come_is_no_beginning_of_who_is_family() -> None:
    assert read("My cousin Xiaoyu is coming at Christmas.") == {"family: Xiaoyu (cousin)"}


def test_what_an_illness_forbids_is_over_with_it() -> None:
    cell = chat("I have a sinus infection. The doctor says no flying.")
    known = {each.attribute: each.invalid_at for each in asserted(cell)}
    assert known["restrictions"] == known["health"] is not None


def test_allergic_alone_is_no_allergy() -> None:
    assert not any(
        line.endswith(": allergic") for line in told(asserted(chat("No walnuts! I'm allergic, I told you.")))
    )


def test_a_day_is_no_place_to_live() -> None:
    assert not read("I rang them. It moved to Thurs 6 March, 10am.", "The fair moved to Sat 27 June!")


def test_a_price_is_no_year_in_which_somebody_lived() -> None:
    began = [each.valid_at for each in asserted(chat("I sold my car to my neighbour for 1500."))]
    assert began
    assert all(time and wall(time).year == 2025 for time in began)


@pytest.mark.parametrize(
    ("text", "stance", "time", "began"),
    [
        ("I'm 58, retired in 2022", Stance.HOLDS, "in 2022", None),
        ("I'm 58 since last October", Stance.HOLDS, "last October", 2024),
        ("I turned 58 in February 2024", Stance.BEGAN, "in February 2024", 2024),
        ("I turned 58 in 2020", Stance.BEGAN, "in 2020", 2020),
        ("I hit 58 in 2022", Stance.HOLDS, "in 2022", 2022),
    ],
)
def test_somebody_is_of_an_age_since_a_year_long_over_only_if_it_began_then(
    text: str, stance: Stance, time: str, began: int | None
) -> None:
    [message] = chat(text).messages
    place = text.index("58")
    age = Statement(
        message_id=message.id, start=place, stop=place + 2, kind="age", value="58", whose=Whose.ME, person="",
        stance=stance, probability=0.9,
    )  # fmt: skip
    times = window(age, Period(resolve(time, SAID_AT), None), message, {})
    assert times
    start = times[0]
    assert (start == SAID_AT) if began is None else (start and wall(start).year == began)


@pytest.mark.parametrize(
    ("text", "began"),
    [
        ("been living in york for ages, six years in may", "location: york 2019-05"),
        ("i'm at lidl, 3 years in april", "employer: lidl 2022-04"),
        ("I live in Leeds now, two years today", "location: Leeds 2023-03"),
    ],
)
def test_how_long_it_will_be_by_a_day_tells_a_beginning_and_no_end(text: str, began: str) -> None:
    known = [
        (f"{each.attribute}: {each.value} {str(each.valid_at)[:7]}", each.invalid_at) for each in asserted(chat(text))
    ]
    assert known == [(began, None)]


def test_in_the_first_year_of_the_calendar_a_beginning_is_one() -> None:
    first = chat("I moved to York last week.")
    said = replace(first.messages[0], said_at=datetime(1, 1, 20, tzinfo=UTC))
    assert asserted(replace(first, messages=(said,)))


def test_a_friend_stays_one_after_a_holiday_together() -> None:
    text = "Portugal with my friend Ioana from 24 to 31 August!"
    friend = Statement(
        message_id="m1", start=17, stop=29, kind="contacts", value="friend Ioana", whose=Whose.ME, person="",
        stance=Stance.HOLDS, probability=0.9,
    )  # fmt: skip
    read_ones = read_assertions(chat(text), {"m1": [friend]}, [], {})
    assert [each.invalid_at for each in read_ones if each.attribute == "contacts"] == [None]


@pytest.mark.parametrize(
    ("text", "values", "shown_as"),
    [
        ("Ugh. I've got six weeks in a cast!", ["six weeks"], ['"I\'ve got six weeks in a cast"']),
        ("My hairline fracture and six weeks", ["hairline fracture", "six weeks"], ["hairline fracture"]),
        ("Tom Hardy has six weeks in jail", ["six weeks"], ["six weeks"]),
        (
            "A hairline fracture. Six weeks of rest.",
            ["hairline fracture", "Six weeks"],
            ["hairline fracture", '"Six weeks of rest"'],
        ),
        (f"Six weeks {'and then some ' * 6}in a cast", ["Six weeks"], ["Six weeks"]),
    ],
)
def test_a_value_that_says_nothing_alone_is_told_by_its_clause(
    text: str, values: list[str], shown_as: list[str]
) -> None:
    [message] = chat(text).messages
    read_ones = [
        Statement(
            message_id=message.id, start=text.index(value), stop=text.index(value) + len(value), kind="health",
            value=value, whose=Whose.ME, person="", stance=Stance.HOLDS, probability=0.9,
        )
        for value in values
    ]  # fmt: skip
    assert [each.value for each in assert_statements(message, read_ones, {})] == shown_as


@pytest.mark.parametrize(
    ("kind", "value", "called"),
    [
        ("employer", "at the Sparkasse", "Sparkasse"),
        ("employer", "The Guardian", "The Guardian"),
        ("contacts", "my friend Tom", "Tom (friend)"),
        ("family", "my sister. Cerys", "Cerys (sister)"),
        ("contacts", "friend in Oranmore", "friend in Oranmore"),
        ("contacts", "doctor but in Sokoto", "doctor but in Sokoto"),
    ],
)
def test_a_firm_and_a_person_are_called_by_their_names(kind: str, value: str, called: str) -> None:
    [message] = chat(f"I told {value}").messages
    start = message.text.index(value)
    read = Statement(
        message_id=message.id, start=start, stop=start + len(value), kind=kind, value=value, whose=Whose.ME,
        person="", stance=Stance.HOLDS, probability=0.9,
    )  # fmt: skip
    assert [each.value for each in assert_statements(message, [read], {})] == [called]


def test_a_birthday_has_a_day() -> None:
    text = "i'm turning 35, it's my birthday on the 14th of may"
    [message] = chat(text).messages

    def values(value: str) -> list[str]:
        start = text.index(value)
        said = Statement(
            message_id="m1", start=start, stop=start + len(value), kind="birthday", value=value, whose=Whose.ME,
            person="", stance=Stance.HOLDS, probability=0.9,
        )  # fmt: skip
        return [each.value for each in assert_statements(message, [said], CONDITION_DAYS)]

    assert [values(value) for value in ("birthday", "35", "on the 14th of may")] == [[], [], ["on the 14th of may"]]
