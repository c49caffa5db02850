"""What people say of themselves, by sentence: wordings that assert, and those that only look so."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.consolidation.attributes import TIES
from evermem_cli.memory import ChatKind, MemCell, Message, Policy, Role, wall

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


def read(*said: str) -> set[str]:
    """Assertions as "attribute: value", "not" before what has ended, and the day where that is another one."""
    told = set()
    for each in read_assertions(chat(*said), {}, [], CONDITION_DAYS):
        if each.attribute in TIES:
            continue
        prefix = {"ended": "not ", "offered": "offered ", "taken": "taken "}.get(each.stance, "")
        day = wall(each.valid_at or SAID_AT).date()
        told.add(f"{prefix}{each.attribute}: {each.value}{f' @{day}' if day != SAID_AT.date() else ''}")
    return told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hi! I'm Priya, a nurse in Bristol.", {"name: Priya", "job: nurse", "location: Bristol"}),
        ("I'm a nurse at Larkfield in Leeds.", {"job: nurse", "employer: Larkfield", "location: Leeds"}),
        ("We left Vienna for good.", {"not employer: Vienna", "not location: Vienna"}),
        ("I work at the Sparkasse.", {"employer: Sparkasse"}),
        ("Helen is my boss.", {"contacts: Helen (boss)"}),
        ("My new boss is Helen.", {"contacts: Helen (boss)"}),
        ("My boss is German.", set()),
        ("Helen is my boss's sister.", set()),
        ("Xiaoyu's my cousin.", {"family: Xiaoyu (cousin)"}),
        ("海伦是我老板。", {"contacts: 海伦 (老板)"}),
        ("我老板是个好人。", set()),
        ("I've got a hire car for the week.", set()),
        ("We've got a car for the trip.", set()),
        ("We picked up the car at the airport.", set()),
        ("I've got a car.", {"car: car"}),
        ("we've relocated to austin", {"location: austin"}),
        ("I'm moving to Turin on 1 May.", {"location: Turin @2025-05-01"}),
        ("I won't move to Turin after all.", {"not location: Turin"}),
        ("started at deloitte last monday", {"employer: deloitte @2025-02-24"}),
        ("Quit my job at Acme on Monday.", {"not employer: Acme @2025-02-24"}),
        ("I got laid off yesterday.", {"not employer:  @2025-02-28"}),
        ("Got a raise: 65k starting in June.", {"salary: 65k @2025-06-01"}),
        ("My salary went up to 48,000 euros.", {"salary: 48,000 euros"}),
        ("I've gone pescatarian, fish only now.", {"diet: pescatarian"}),
        ("I stopped eating meat in January.", {"diet: no meat @2025-01-01"}),
        ("Anna and I got engaged last night!", {"relationship: engaged @2025-02-28", "partner: Anna @2025-02-28"}),
        ("Mark broke up with me last week.", {"not partner: Mark @2025-02-17"}),
        ("Comet died on Tuesday, we're heartbroken.", {"not pets: Comet @2025-02-25"}),
        ("We adopted a greyhound named Comet.", {"pets: Comet (greyhound)"}),
        ("I quit smoking on New Year's Day.", {"smoking: quit smoking @2025-01-01"}),
        ("Finally sold the Golf, cycling now.", {"not car: Golf", "commute: cycling"}),
        ("I've taken up bouldering.", {"hobbies: bouldering"}),
        ("I'm allergic to penicillin.", {"allergies: penicillin"}),
        ("You can reach me at kim.lee@example.org from now on.", {"email: kim.lee@example.org"}),
        ("My favourite band is Radiohead, by far.", {"favourite_band: Radiohead"}),
        ("我住在上海，在腾讯上班。", {"location: 上海", "employer: 腾讯"}),
        ("今天从星图科技离职了。", {"not employer: 星图科技"}),
        ("月薪两万八，涨了六千", {"salary: 两万八"}),
        ("I'm a nurse in Bristol, any tips for night shifts?", {"job: nurse", "location: Bristol"}),
        ("im allergic to nuts, can i eat this", {"allergies: nuts"}),
        ("Twelve weeks smoke-free today.", {"smoking: quit smoking @2024-12-07"}),
        ("Jonas met my parents. He's my boyfriend now.", {"relationship: in a relationship", "partner: Jonas"}),
        ("We adopted a whippet. Her name is Olive.", {"pets: whippet", "pets: Olive (whippet)"}),
        ("I got a dog too, a whippet called Pim.", {"pets: Pim (whippet)"}),
        ("I got a dog!! A whippet called Pim", {"pets: Pim (whippet)"}),
        ("I work at Acme as a nurse.", {"employer: Acme", "job: nurse"}),
        ("I work there as a nurse, remember?", {"job: nurse"}),
        ("I was a teacher, now I'm a nurse.", {"not job: teacher", "job: nurse"}),
        ("I'm allergic to bees though.", {"allergies: bees"}),
        ("I have one sister, Ada.", {"family: Ada (sister)", "family: one sister"}),
        ("Pottery! Every Tuesday since the beginning of the month.", {"hobbies: Pottery"}),
        ("The bookshop is closing, my last day is 30 April.", {"not employer: The bookshop @2025-04-30"}),
        ("They finally made me head of procurement.", {"job: head of procurement"}),
        ("我住在北京朝阳，有什么播客推荐吗？", {"location: 北京朝阳"}),
    ],
)  # fmt: skip
def test_what_is_said_of_oneself_is_read(text: str, told: set[str]) -> None:
    assert read(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "I might try vegan next month.",
        "I wish I lived in Rome.",
        "If we get the loan, we'll buy a house in Kent.",
        "I almost quit my job today.",
        "Maybe I'll adopt a dog.",
        "My sister lives in Leeds and works at Google.",
        "My friend Tom quit smoking and moved to Paris.",
        "She said I should move to Bonn.",
        "Do I live in Leeds?",
        "vegan soup and sympathy",
        "Should I quit smoking?",
        "有时候真想去上海重新开始",
        "Pretend I'm a doctor in Leeds and ask me questions.",
        "My sister got a dog! A whippet called Pim.",
        "I have a dentist appointment on the 24th.",
        "I started Spanish last week.",
        "You keep telling people I'm a doctor.",
        "Everyone thinks I'm vegan.",
        "Proofread this: 'I am Petra and I work as an architect in Basel'.",
        "If I lived in Leeds, would the rent be lower?",
        "假装你是面试官，我是护士。",
    ],
)
def test_wishes_questions_and_what_others_do_assert_nothing(text: str) -> None:
    assert read(text) == set()


def test_a_brief_answer_is_read_with_its_question() -> None:
    assert read("Assistant: Which city do you live in?", "Porto, up on the hill") == {"location: Porto"}
    assert read("Assistant: Which city do you live in?", "why do you ask") == set()
    assert read("Assistant: Are you allergic to anything?", "walnuts") == {"allergies: walnuts"}
    assert read("Assistant: You're allergic to bees but you love honey.", "honey is their apology") == set()


def test_what_points_to_the_message_before_cites_both() -> None:
    cell = chat("We adopted a whippet on Friday.", "Assistant: How lovely!", "her name is Olive")
    found = {each.value: each.message_ids for each in read_assertions(cell, {}, [], CONDITION_DAYS)}
    assert found == {"whippet": ("m1",), "Olive (whippet)": ("m1", "m3")}


def test_an_offer_that_is_taken_is_taken_whole() -> None:
    told = read(
        "Calder Energy in Edinburgh has offered me a job as analytics lead. I said yes! I start on 1 September."
    )
    assert {"offered employer: Calder Energy", "offered job: analytics lead"} <= {each.split(" @")[0] for each in told}
    assert {"taken employer:  @2025-09-01", "taken job:  @2025-09-01", "taken salary:  @2025-09-01"} <= told


def test_an_illness_ends_when_such_do_and_a_course_when_it_was_told_to() -> None:
    cell = chat("I have a cold. I'm on antibiotics for ten days.")
    ends = {each.attribute: str(each.invalid_at)[:10] for each in read_assertions(cell, {}, [], CONDITION_DAYS)}
    assert ends == {"health": "2025-03-08", "medication": "2025-03-11"}


def of_two(*said: tuple[str, str]) -> MemCell:
    """A chat of people, without an assistant, and what was said by whom."""
    messages = tuple(
        Message(
            id=f"m{n}", conversation_id="c", ordinal=n, external_id=str(n), speaker=speaker, user_id=speaker.lower(),
            role=Role.PARTICIPANT, text=text, said_at=SAID_AT,
        )
        for n, (speaker, text) in enumerate(said, 1)
    )  # fmt: skip
    return replace(chat("Hi."), kind=ChatKind.GROUP, messages=messages)


def stated_by(person: str, cell: MemCell) -> set[str]:
    """Assertions of one person as "attribute: value @since"."""
    return {
        f"{each.attribute}: {each.value} @{wall(each.valid_at):%Y-%m-%d}"
        for each in read_assertions(cell, {}, [], CONDITION_DAYS)
        if each.user_id == person and each.valid_at and each.attribute not in TIES
    }


def test_we_are_a_couple_with_who_was_named_before() -> None:
    told = read("Callum says running is silly. We've been together since November and he never runs.")
    assert told == {"partner: Callum @2024-11-01"}
    assert read("We've been together since November.") == set()


def test_we_are_a_couple_with_whom_it_is_told_where_two_people_talk() -> None:
    said = ("Maya", "you know we've been together for eight weeks today?")
    assert stated_by("maya", of_two(("Ruben", "I'll wear long sleeves"), said)) == {"partner: Ruben @2025-01-04"}
    assert stated_by("maya", of_two(("Ruben", "Hi"), ("Tom", "Hi"), said)) == set()


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        ("You moved to Leeds, right?", "Yes, and I love it.", {"location: Leeds @2025-03-01"}),
        ("You moved to Leeds, right?", "No, never.", set()),
        ("这么快！搬去爱丁堡对吧？是因为新工作？", "对，还有猫一起", {"location: 爱丁堡 @2025-03-01"}),
        ("这么快！搬去爱丁堡对吧？", "对面有家店", set()),
    ],
)
def test_what_one_supposes_and_the_other_confirms_is_stated(asked: str, answer: str, told: set[str]) -> None:
    assert stated_by("ann", of_two(("Bob", asked), ("Ann", answer))) == told


def test_a_day_to_come_is_no_beginning_of_who_is_family() -> None:
    assert read("My cousin Xiaoyu is coming at Christmas.") == {"family: Xiaoyu (cousin)"}


def test_what_an_illness_forbids_is_over_with_it() -> None:
    cell = chat("I have a sinus infection. The doctor says no flying.")
    known = {each.attribute: each.invalid_at for each in read_assertions(cell, {}, [], CONDITION_DAYS)}
    assert known["restrictions"] == known["health"] is not None


def test_what_answers_another_message_cites_it_too() -> None:
    cell = of_two(("Bob", "You moved to Leeds, right?"), ("Ann", "Yes, and I have a dog called Rex."))
    cited = {each.attribute: each.message_ids for each in read_assertions(cell, {}, [], CONDITION_DAYS)}
    assert (cited["location"], cited["pets"]) == (("m1", "m2"), ("m2",))
