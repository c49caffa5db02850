"""Whose words a part of a message is."""

import pytest

from evermem_cli.reading.voices import own_words


@pytest.mark.parametrize("quoted", ["“我病了”", "“咱明天走”", '"I am ill"'])
def test_direct_speech_in_the_first_person_is_of_another(quoted: str) -> None:
    assert quoted[1:-1] not in own_words(f"他说{quoted}。")
