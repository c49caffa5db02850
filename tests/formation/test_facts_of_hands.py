"""The chats of which blind hands wrote down the facts."""

from random import Random

import pytest

from tests.benchmarks.facts import FOLDER, MOST_MESSAGES, chats, excerpts

HANDS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("hand", HANDS)
def test_each_fact_is_told_by_messages_of_its_chat(hand: str) -> None:
    written = chats(hand)
    assert len(written) > 40
    for chat in written:
        numbers = [said.n for said in chat.messages]
        assert numbers == [*range(1, len(numbers) + 1)]
        assert [said.at for said in chat.messages] == sorted(said.at for said in chat.messages)
        assert chat.facts
        assert all(fact.sources and set(fact.sources) <= set(numbers) for fact in chat.facts)
        assert all(fact.fact.endswith(".") for fact in chat.facts)


def test_excerpts_have_each_message_and_each_fact_once() -> None:
    for chat in chats(HANDS[-1])[:5]:
        parts = list(excerpts(chat, Random(1)))
        assert sorted(fact for _, noted in parts for fact in noted) == sorted(fact.fact for fact in chat.facts)
        assert [message.text for cell, _ in parts for message in cell.messages] == [one.says for one in chat.messages]
        assert all(len(cell.messages) <= MOST_MESSAGES for cell, _ in parts)
