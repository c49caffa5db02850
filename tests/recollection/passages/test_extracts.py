"""What is read of a long message is the part of it that the question is about."""

import pytest

from evermem_cli.languages.words import content_stems
from evermem_cli.recollection.passages.extracts import CUT, EXTRACT_WORDS, extract

FILLER = " ".join(f"Filler sentence number {n} says nothing at all of any use here." for n in range(12))
WEDDING = "My cousin's wedding was at the Grand Ballroom."


def test_a_short_message_is_read_whole() -> None:
    assert extract(f"{WEDDING} It was lovely. [image: a cake]", content_stems("Where was the wedding?")).endswith(
        "[image: a cake]"
    )


@pytest.mark.parametrize("text", [f"{WEDDING} {FILLER}", f"{FILLER} {WEDDING}", f"{FILLER} {WEDDING} {FILLER}"])
def test_of_a_long_one_the_part_that_the_question_is_about(text: str) -> None:
    told = extract(text, content_stems("Where did I attend my cousin's wedding?"))
    assert WEDDING in told
    assert len(told.split()) <= EXTRACT_WORDS + 2
    assert told.startswith(CUT) is not text.startswith(WEDDING)
    assert told.endswith(CUT) is not text.endswith(WEDDING)


def test_rare_words_count_more_than_what_every_sentence_has() -> None:
    text = " ".join(f"The filler of sentence {n} is a filler sentence about filler, so skip it now." for n in range(12))
    assert "Rome" in extract(f"{text} I liked Rome.", content_stems("Which filler sentence is about Rome?"))


def test_a_sentence_is_cut_only_if_it_has_no_end_and_without_a_question_nothing_is() -> None:
    long, endless = "and so on " * 30, "and so on " * 900
    assert extract(f"Rome. {long}wedding.", content_stems("wedding")).endswith(f"{long}wedding.")
    assert len(extract(f"Rome. {endless}wedding.", content_stems("wedding")).split()) <= EXTRACT_WORDS + 2
    assert extract(f"Rome. {endless}wedding.", content_stems("wedding")).endswith("wedding.")
    assert extract(f"{FILLER} {FILLER}", content_stems("")) == f"{FILLER} {FILLER}"


def test_chinese_is_cut_at_its_own_full_stops() -> None:
    text = "今天的天气非常好，我们去公园散步了。" * 20 + "婚礼在大剧院举行。"
    told = extract(text, content_stems("婚礼在哪里举行？"))
    assert told.endswith("婚礼在大剧院举行。")
    assert told.startswith(CUT)
