"""Words that a retelling may add, in any form."""

from evermem_cli.languages.light_words import is_light


def test_a_light_word_is_light_in_all_its_forms() -> None:
    assert all(map(is_light, ("say", "says", "said", "taking", "took", "tries", "likely", "called")))


def test_a_word_that_tells_something_is_not_light() -> None:
    assert not any(map(is_light, ("party", "calls", "moved", "seed", "good", "planes", "useful", "personal", "gone")))
