"""Whose a sentence is that names no subject."""

import pytest

from evermem_cli.formation.facts import ground_facts, retell
from evermem_cli.formation.sentences.statements import find_statements
from evermem_cli.formation.sentences.subjects import OPEN, SPEAKER, SentenceSubject, subjects
from tests.support.chats import said

OTHER = SentenceSubject(named=True)
OWN = SentenceSubject(named=True, own=True)


def last_subjects(*lines: tuple[str, str]) -> list[SentenceSubject]:
    """Those of the last message's sentences."""
    statement = find_statements(said(*lines))[-1]
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


def test_what_is_nobodys_is_kept_in_quotes_and_yields_no_fact_whatever_the_model_says() -> None:
    [statement] = find_statements(said(("Bob", "How is she?"), ("Ann", "Broke her leg in Oslo.")))
    retelling = retell(statement)
    assert retelling.sentences == ('"Broke her leg in Oslo."',)
    assert ground_facts(retelling, ["Ann broke her leg in Oslo."]) == ([], 1)


def test_what_is_of_another_is_told_of_him_and_not_of_the_speaker() -> None:
    [statement] = find_statements(said(("Bob", "Is Kemal at work?"), ("Ann", "No, ill since Monday.")))
    [claim], lost = ground_facts(retell(statement), ["Ann is ill since Monday."])
    assert (claim.text, lost) == ('Ann says of Kemal: "No, ill since Monday".', 0)


def test_what_he_does_is_not_said_of_the_speaker() -> None:
    [statement] = find_statements(said(("Bob", "Any news of the dog?"), ("Ann", "He's old and half blind now.")))
    claims, _ = ground_facts(retell(statement), ["Ann is old and half blind now."])
    assert claims == []
