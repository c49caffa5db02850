"""What is asked about must be spoken of: the very relative, and the thing asked about oneself."""

from dataclasses import replace
from pathlib import Path

import pytest

from evermem_cli.memory import Tier
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.refusals.lacks_particular import lacks_particular
from evermem_cli.recollection.refusals.lacks_person import lacks_person
from evermem_cli.recollection.refusals.lacks_referent import lacks_referent
from evermem_cli.recollection.refusals.lacks_relation import lacks_relation
from evermem_cli.recollection.refusals.lacks_value import lacks_value
from evermem_cli.recollection.refusals.withheld_domain import withheld_domain
from evermem_cli.store import Store
from tests.recollection.asking import read, recollection_of

ALL = (lacks_relation, lacks_person, lacks_particular)


@pytest.mark.parametrize(
    ("question", "told", "lacks"),
    [
        ("Where does Bob live?", "Bob: In Leeds.", False),
        ("Who is Zoltan?", "Ann: Bob came by.", True),
        ("Who's Bob Reyes again?", "Ann: Bob came by.", False),
        ("Who is the one with the hat?", "Ann: Bob came by.", False),
        ("Who did Ann call?", "Bob: Nobody.", False),
        ("What is Bob's birthday?", "Bob: The parser knows 17 April now.", True),
        ("When is Bob's birthday?", "Bob: I turn 40 on 17 April.", False),
        ("What's Bob's phone number?", "Bob: Call 0117 496 0000.", False),
        ("What's Bob's phone number?", "Bob: Two rooms are left.", True),
        ("What did Bob get for his birthday?", "Bob: A kite.", False),
        ("我妹妹叫什么名字？", "小王：我表弟来了。", True),
        ("我妈妈做了什么？", "小王：母亲做了汤。", False),
    ],
)
def test_a_question_without_ground_is_told_from_one_with(question: str, told: str, lacks: bool) -> None:
    assert any(each(read(question), read_of(told)) for each in ALL) is lacks


@pytest.mark.parametrize(
    ("question", "told", "lacks"),
    [
        ("Am I allergic to peanuts?", "Ann: I'm allergic to walnuts.", True),
        ("Am I allergic to peanuts?", "Ann: One peanut and I swell.", False),
        ("Do I have a rabbit?", "Ann: My cat is called Biscuit.", True),
        ("Do I have a dog?", "Ann: Our whippet ran off.", False),
        ("Am I vegan?", "Ann: Soup again.", False),  # one has one diet: what is known of it denies others
        ("Did Bob call?", "Ann: Soup again.", False),
    ],
)
def test_one_thing_of_several_is_not_denied_by_the_others(question: str, told: str, lacks: bool) -> None:
    assert lacks_value(read(question), read_of(told)) is lacks


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("since when do I have him?", True),
        ("Where is she from?", True),
        ("Who am I?", False),
        ("What did she say?", False),
        ("Where does Bob live with her?", False),
    ],
)
def test_nobody_knows_whom_a_question_points_at(question: str, lacks: bool) -> None:
    assert lacks_referent(read(question), recollection_of()) is lacks


def read_of(told: str) -> Recollection:
    """What was read: one line of whoever stands before the colon."""
    speaker, _, text = told.replace("：", ": ").partition(": ")
    return recollection_of(text, speaker=speaker)


@pytest.mark.parametrize(
    ("question", "told", "refused"),
    [
        ("What am I allergic to?", "Ann: The fish was good.", True),
        ("医生给我开了什么药？", "Ann：昨天我们看了一部电影。", True),
        ("What am I allergic to?", "Ann: I am allergic to walnuts.", False),  # made visible by itself
        ("What is my cat called?", "Ann: The fish was good.", False),
    ],
)
def test_what_is_withheld_is_not_taken_from_something_else(question: str, told: str, refused: bool) -> None:
    recollection = read_of(told)
    assert withheld_domain(read(question), recollection) is False  # for its owner
    public = Store(Path("nowhere.duckdb"), 0.0, public={"health": Tier.PRIVATE, "general": Tier.PUBLIC})
    memory = replace(recollection.memory, store=public)
    assert withheld_domain(read(question), replace(recollection, memory=memory)) is refused
