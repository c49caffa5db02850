"""The shipped model of reactions: what a comment says of a reply, or of how something turned out."""

import json
import shutil
from pathlib import Path

import pytest

from evermem_cli.errors import ModelError
from evermem_cli.reading.reactions import CHINESE, KINDS, Comment, Reaction, ReactionModel
from evermem_cli.reading.shipped import WEIGHTS

MODEL = ReactionModel()
FIX = "Restart the router and hold the reset button for ten seconds."
SOUP = "Simmer the lentils for half an hour with cumin and a bay leaf."
FLIGHT = "I would take the direct flight at nine, it costs 140 euros."


def heard(reply: str, *sentences: str) -> list[Reaction | None]:
    """What is heard in the sentences of one message."""
    return MODEL.read([Comment(reply, " ".join(sentences[:place]), each) for place, each in enumerate(sentences)])


@pytest.mark.parametrize(
    ("reply", "sentence", "reaction"),
    [
        (FIX, "Thanks, that worked!", Reaction.GOOD),
        (FIX, "It still drops the connection every few minutes.", Reaction.BAD),
        (FIX, "Okay, I'll try that tonight.", Reaction.NOTED),
        (SOUP, "The kids asked for seconds.", Reaction.GOOD),
        (SOUP, "We had to throw it away and order pizza.", Reaction.BAD),
        (FLIGHT, "Great, booked.", Reaction.GOOD),
        (FLIGHT, "No, too expensive.", Reaction.BAD),
        ("我已经帮你改好了简历。", "谢谢，太好了！", Reaction.GOOD),
        ("可以重启路由器试试。", "没用，还是连不上。", Reaction.BAD),
    ],
)
def test_a_comment_tells_how_it_went_in_usual_words_and_by_what_happened(
    reply: str, sentence: str, reaction: Reaction
) -> None:
    assert heard(reply, sentence) == [reaction]


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (FIX, "My sister is getting married in June."),
        (FIX, "What is the capital of Peru?"),
        (SOUP, "Our team won the cup on Saturday!"),
        (FLIGHT, "There are four of us."),
        (FLIGHT, "我们一共四个人。"),
    ],
)
def test_news_stories_and_other_requests_judge_nothing(reply: str, sentence: str) -> None:
    assert heard(reply, sentence) == [None]


def test_the_reply_decides_what_the_same_words_mean() -> None:
    slept = "I slept until ten."
    assert heard("Put the phone away at nine and drink camomile tea, then you will sleep longer.", slept) != heard(
        "I set the alarm for six, it will ring until you get up.", slept
    )


def test_each_sentence_of_a_message_is_read_alone_in_its_order() -> None:
    assert heard(FIX, "That fixed it, thank you!", "My sister is getting married in June.") == [Reaction.GOOD, None]
    assert heard(FIX) == []


def test_shares_are_1_in_sum_whatever_the_length() -> None:
    shares = MODEL.shares([Comment("word " * 9999, "", "thanks " * 9999), Comment("", "", "…"), Comment("", "", "谢")])
    assert shares.shape == (3, len(KINDS))
    assert shares.sum(axis=1) == pytest.approx(1)


def test_other_weights_than_those_described_are_refused(tmp_path: Path) -> None:
    for name in ("reactions.json", "reactions.onnx", CHINESE, "tokenizer.json"):
        shutil.copy(WEIGHTS / name, tmp_path)
    settings = json.loads((tmp_path / "reactions.json").read_text())
    (tmp_path / "reactions.json").write_text(json.dumps(settings | {"sha256": "0" * 64}))
    with pytest.raises(ModelError, match="damaged"):
        ReactionModel(tmp_path).read([Comment(FIX, "", "Thanks, that worked!")])
