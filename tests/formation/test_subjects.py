"""Whose a sentence is that names no subject."""

import pytest

from evermem_cli.formation.facts import form_facts, retell
from evermem_cli.formation.sentences.statements import turns
from evermem_cli.formation.sentences.subjects import OPEN, SPEAKER, SentenceSubject, subjects
from tests.support.chats import said

OTHER = SentenceSubject(named=True)
OWN = SentenceSubject(named=True, own=True)


def last_subjects(*lines: tuple[str, str]) -> list[SentenceSubject]:
    """Those of the last message's sentences."""
    *_, statement = turns(said(*lines))
    return subjects(statement, statement.message.speaker)


@pytest.mark.parametrize(
    ("sentence", "subject"),
    [
        ("I sold the car.", OWN),
        ("Last Friday, I sold the car.", OWN),
        ("My wife and I live in Rome.", OWN),
        ("Tomorrow I'm flying to Rome.", OWN),
        ("Each third Friday they play chess.", OTHER),
        ("we could all meet on Sunday", OWN),
        ("The car needs new tyres.", OTHER),
        ("My aunts, the neighbours, they all came by.", OTHER),
        ("Landlord wants the keys back.", OTHER),
        ("Making soup is easy enough.", OTHER),
        ("Long walks calm me down.", OTHER),
        ("Sold the car yesterday.", SPEAKER),
        ("never skied in my life", SPEAKER),
        ("wants the keys back by noon", OPEN),
        ("still has two of my books", OPEN),
        ("seventeen now and eats all day", OPEN),
    ],
)
def test_a_sentence_by_itself_names_its_subject_or_begins_as_its_speakers_or_is_nobodys(
    sentence: str, subject: SentenceSubject
) -> None:
    assert last_subjects(("Ann", sentence)) == [subject]


@pytest.mark.parametrize(
    ("question", "answer", "subject"),
    [
        ("Is Kemal at work?", "No, ill since Monday.", SentenceSubject(topic="Kemal")),
        ("And Aunt Rosa?", "Moved to Lyon in May.", SentenceSubject(topic="Aunt Rosa")),
        ("How is your brother?", "Broke his leg in Oslo.", SentenceSubject(topic="Ann's brother")),
        ("How is she?", "Broke her leg in Oslo.", OPEN),
        ("what happened to the old van?", "sold it in march", OPEN),
        ("Did you ski?", "Broke my leg in Oslo.", SPEAKER),
        ("How long have you lived there?", "Two years.", SPEAKER),
        ("Has anyone called the vet?", "Called him at nine.", SPEAKER),
    ],
)
def test_what_leaves_its_subject_out_is_of_whom_the_question_asks(
    question: str, answer: str, subject: SentenceSubject
) -> None:
    assert last_subjects(("Bob", question), ("Ann", answer)) == [subject]


def test_what_leaves_its_subject_out_is_of_whom_the_sentence_before_is() -> None:
    assert last_subjects(("Ann", "I saw the vet. Paid him at once.")) == [OWN, SPEAKER]
    assert last_subjects(("Ann", "The vet saw our dog. Took two teeth out.")) == [OTHER, OPEN]


def facts_of(*lines: tuple[str, str]) -> list[str]:
    """Those of the last message."""
    *_, statement = turns(said(*lines))
    return [claim.text for claim in form_facts(retell(statement))]


def test_a_sentence_whose_subject_is_unknown_is_quoted() -> None:
    facts = facts_of(("Bob", "How is she?"), ("Ann", "Broke her leg in Oslo."))
    assert facts == ['Bob asks: "How is she?" Ann answers: "Broke her leg in Oslo."']
    facts = facts_of(("Bob", "Any news of the dog?"), ("Ann", "He's old and half blind now."))
    assert facts == ['Bob asks: "Any news of the dog?" Ann answers: "He\'s old and half blind now."']


def test_what_is_of_another_is_told_of_him_and_not_of_the_speaker() -> None:
    facts = facts_of(("Bob", "Is Kemal at work?"), ("Ann", "No, ill since Monday."))
    assert facts == ['Ann says of Kemal: "No, ill since Monday".']
