"""The form of an answer, by the tagger that ships."""

import pytest

from evermem_cli.reading.statements.labels import Era
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.questions.form import Form, form_of
from evermem_cli.recollection.questions.wants import read_wants


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("When did Ann move?", Form.DATE),
        ("What year did Ann move?", Form.DATE),
        ("What time does Ann get up?", Form.CLOCK),
        ("安几点起床？", Form.CLOCK),
        ("When does Ann usually get up?", Form.CLOCK),
        ("How long has Ann painted?", Form.LENGTH),
        ("How long ago did Ann move?", Form.LENGTH),
        ("Who helps Ann when she moves?", Form.PERSON),
        ("Did Ann buy a car?", Form.POLAR),
        ("Does Ann live by the sea or in the mountains?", Form.CHOICE),
        ("What books has Ann read?", Form.SEVERAL),
        ("Which hobbies does Ann have?", Form.SEVERAL),
        ("How many books has Ann read?", Form.PLAIN),
        ("Which country did James book tickets for?", Form.PLAIN),
        ("What artists/bands has Ann seen?", Form.SEVERAL),
        ("What are Ann's plans for the summer?", Form.SEVERAL),
        ("What was the address?", Form.PLAIN),
        ("小雨去过哪些城市？", Form.SEVERAL),
        ("小雨有多少本书？", Form.PLAIN),
        ("What job might Ann like?", Form.LIKELY),
        ("小雨什么时候到？", Form.DATE),
        ("小雨在北京还是上海？", Form.CHOICE),
        ("小雨等了多久？", Form.LENGTH),
        ("我可以喝酒吗？", Form.POLAR),
        ("do you know when Ann is landing", Form.DATE),
        ("can you tell me who fixed the boiler", Form.PERSON),
        ("so, the interview on Monday - what time is it at?", Form.CLOCK),
        ("remind me how long the drive to Leeds takes", Form.LENGTH),
        ("Ann moved to Leeds, right?", Form.POLAR),
        ("my dentist's name?", Form.PLAIN),
    ],
)
def test_the_form_of_an_answer_follows_the_question(question: str, form: Form) -> None:
    assert form_of(SHIPPED.read_question(question).sought) is form


@pytest.mark.parametrize(
    ("question", "much"),
    [
        ("What books has Ann read?", True),
        ("What are Ann's plans?", True),
        ("有哪些朋友？", True),
        ("How many books has Ann read?", True),
        ("What does Ann read?", False),
        ("What was her gift?", False),
        ("Where is Ann?", False),
        ("What did James cook?", False),
        ("Which US state is it in?", False),
    ],
)
def test_questions_for_several_things_are_known(question: str, much: bool) -> None:
    assert read_wants(question, SHIPPED.read_question(question)).much is much


@pytest.mark.parametrize(
    ("question", "era"),
    [
        ("Where do I work?", Era.NOW),
        ("any idea where Ann lives these days", Era.NOW),
        ("Where did I work before that?", Era.THEN),
        ("who helped us carry the sofa", Era.THEN),
        ("what are we doing next weekend", Era.AHEAD),
        ("我现在住在哪里？", Era.NOW),
        ("我们去年去了哪里？", Era.THEN),
    ],
)
def test_a_question_is_about_a_time(question: str, era: Era) -> None:
    assert SHIPPED.read_question(question).era is era
