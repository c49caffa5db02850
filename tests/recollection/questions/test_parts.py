"""Questions of two things, each asked by itself."""

import pytest

from evermem_cli.recollection.questions.parts import parts_of


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "What is my cat called, and since when do I have him?",
            ("What is my cat called?", "Since when do I have my cat?"),
        ),
        ("Who is Lena and where does she live?", ("Who is Lena?", "Where does Lena live?")),
        (
            "When is my dentist appointment and where?",
            ("When is my dentist appointment?", "Where is my dentist appointment?"),
        ),
        ("What is my dog called? And how old is he?", ("What is my dog called?", "How old is my dog?")),
        ("what's my sisters name and where does she live", ("What's my sisters name?", "Where does my sister live?")),
        ("Do I have a dog, and what is it called?", ("Do I have a dog?", "What is my dog called?")),
        ("When and where is the wedding?", ("When is the wedding?", "Where is the wedding?")),
        ("Where do I live and where do I work?", ("Where do I live?", "Where do I work?")),
        ("Who is my boss and since when?", ("Who is my boss?", "Since when do I have my boss?")),
        ("Who is Lena's husband and what is his job?", ("Who is Lena's husband?", "What is Lena's husband's job?")),
    ],
)
def test_a_question_of_two_is_asked_as_two_that_stand_by_themselves(question: str, asked: tuple[str, str]) -> None:
    assert parts_of(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Who came with me and Jonas?",
        "When did Leo and Priya meet?",
        "Is Leo single or is he dating?",
        "What did Leo buy and how much did it cost?",  # "it" is not Leo
        "Where do I live, and since when is that so?",
        "When is the wedding and who is coming?",
        "我的猫叫什么，什么时候开始养的？",
    ],
)
def test_a_question_that_would_not_stand_by_itself_is_left_whole(question: str) -> None:
    assert parts_of(question) == (question,)
