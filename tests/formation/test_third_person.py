"""Sentences told in the third person."""

import pytest

from evermem_cli.formation.sentences.third_person import tell


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("I'm from Leeds.", "Ann is from Leeds."),
        ("I've lost my keys", "Ann has lost Ann's keys."),
        ("I really love my job and have two kids.", "Ann really loves Ann's job and has two kids."),
        ("I went to the lake and my brother came with me.", "Ann went to the lake and Ann's brother came with Ann."),
        ("I don't eat meat.", "Ann doesn't eat meat."),
        ("i dont eat meat", "Ann doesn't eat meat."),
        ("I fly to Oslo, and I often rely on maps.", "Ann flies to Oslo, and Ann often relies on maps."),
        ("I really reply late.", "Ann really replies late."),
        ("I try to read, and I carry a book.", "Ann tries to read, and Ann carries a book."),
        ("I'd like a dog.", "Ann would like a dog."),
        ("I'd never been there.", "Ann had never been there."),
        ("I'd forgotten my keys.", "Ann had forgotten Ann's keys."),
        ("I rang the vet.", "Ann rang the vet."),
        ("I knit jumpers, and I fit kitchens.", "Ann knits jumpers, and Ann fits kitchens."),
        ("I lay floors.", "Ann lays floors."),
        ("I put it there, and I knelt.", "Ann put it there, and Ann knelt."),
        ("I'd lay it down.", "Ann would lay it down."),
        ("I'd found it.", "Ann had found it."),
        ("Why did I not get paid?", "Why did Ann not get paid?"),
        ("I not nervous.", "Ann not nervous."),
        ("I cannot sleep.", "Ann cannot sleep."),
        ("I heed advice, and I seldom drink.", "Ann heeds advice, and Ann seldom drinks."),
        ("I mustn't lift anything.", "Ann mustn't lift anything."),
        ("I no longer eat meat, and I quite like tofu.", "Ann no longer eats meat, and Ann quite likes tofu."),
        ("I own a flat and need a bed.", "Ann owns a flat and needs a bed."),
        ("Should I be worried?", "Should Ann be worried?"),
        ("i cant sleep", "Ann cant sleep."),
        ("We took our dog to the vet.", "We took our dog to the vet."),
        ("Our dog is old.", "Our dog is old."),
        ("My wife and I live in Rome.", "Ann's wife and Ann live in Rome."),
        ("They helped, and I want more.", "They helped, and Ann wants more."),
        ("Yep, thanks Tom! I sold it.", "Ann sold it."),
        ("I taught myself to cook.", "Ann taught themselves to cook."),
        ("Thinking of it helps me relax.", "Thinking of it helps Ann relax."),
        ("I'm ill and back in the US.", "Ann is ill and back in the US."),
        ("But I never eat meat.", "But Ann never eats meat."),
        ("So much happened to me.", "So much happened to Ann."),
        ("Really made me think.", "Really made Ann think."),
        ("Networking plays a big role, and I like it.", "Networking plays a big role, and Ann likes it."),
        ("Exciting to see what's in store.", "Exciting to see what's in store."),
        ("It helps me escape and feel free.", "It helps Ann escape and feel free."),
        ("I need some me-time.", "Ann needs some me-time."),
        ("我是四川人。", "Ann是四川人。"),
        ("我们都会尝试。", "我们都会尝试。"),
    ],
)
def test_the_speaker_is_named_in_place_of_i(sentence: str, told: str) -> None:
    assert tell(sentence, "Ann") == told


def test_you_is_the_addressee_after_i_and_anyone_elsewhere() -> None:
    assert tell("I am proud of you and your work.", "Ann", "Bob") == "Ann is proud of Bob and Bob's work."
    assert tell("I must tell you some news, as you know.", "Ann", "Bob") == "Ann must tell Bob some news, as Bob knows."
    assert tell("When you run, you forget it all.", "Ann", "Bob") == "When you run, you forget it all."
    assert tell("I am proud of you.", "Ann") == "Ann is proud of you."
    assert tell("我听从了你的建议。", "用户", "助手") == "用户听从了助手的建议。"
