"""The area of life that a text is about."""

import pytest

from evermem_cli.reading.domain import DOMAINS, attribute_domain, domain

LETTER = "We planted beans and the cat slept on the wall. "
DIAGNOSIS = "The oncologist says the tumour is malignant and chemotherapy starts on Monday."


@pytest.mark.parametrize("place", [0, 20, 40])
def test_one_line_of_a_long_letter_makes_it_private(place: int) -> None:
    lines = [LETTER] * 40
    assert domain("".join(lines)) == "general"
    assert domain("".join([*lines[:place], DIAGNOSIS, " ", *lines[place:]])) == "health"


@pytest.mark.parametrize("private", ["I am pregnant.", "She has cancer.", "My therapist says I am depressed."])
def test_a_harmless_sentence_hides_no_private_one(private: str) -> None:
    assert domain(f"Lena works at Evil Corp and lives in Paris. {private}") == "health"
    assert domain(f"{private} Lena works at Evil Corp and lives in Paris.") == "health"


@pytest.mark.parametrize("text", ["", " ", "😀", "…", "x" * 100_000, "我" * 100_000])
def test_any_text_has_a_domain(text: str) -> None:
    assert domain(text) in DOMAINS


def test_an_attribute_is_of_a_domain_whatever_its_value() -> None:
    assert [attribute_domain(name) for name in ("medication", "salary", "diet")] == ["health", "finance", "general"]
