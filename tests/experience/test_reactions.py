"""What the wording of a remark tells of a result; sentences as people write them to an assistant."""

import pytest

from evermem_cli.experience.reactions import Reaction, judge, outcome, revise
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.memory import Outcome

GOOD = (
    "Thanks, that worked!",
    "Great, booked.",
    "That did the job, thank you so much!",
    "Perfect, just send it like that.",
    "Works like a charm.",
    "Not bad at all, thanks!",
    "Your tip about the night train was spot on.",
    "谢谢，这个方法解决了我的问题。",
    "机票订好了，谢谢！",
)
BAD = (
    "No, too expensive.",
    "I returned it.",
    "It still throws the same exception.",
    "The shoes gave me blisters, I'm sending them back.",
    "It broke after two days.",
    "That's way over my budget.",
    "This doesn't answer my question at all.",
    "You booked the wrong date!",
    "That wasn't helpful.",
    "还是报同样的错误。",
    "耳机用了两天就坏了，我已经退货了。",
)
MIXED = (
    "The soup was tasty but too salty.",
    "Almost, the last column is missing.",
    "Nice, but could be a bit shorter.",
    "不错，不过有点长。",
)
NOTHING = (
    "I'll give it a try tonight.",
    "Okay, let me think about it.",
    "My flight leaves at six.",
    "There are four of us.",
    "I used to eat it too greasy.",
    "We broke up in March.",
    "I returned from Rome yesterday.",
    "我们一共四个人。",
)


def went(text: str) -> Outcome:
    heard = (judge(sentence) for sentence in split_sentences(text))
    return outcome([judgement.reaction for judgement in heard if judgement])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [(GOOD, Outcome.SUCCESS), (BAD, Outcome.FAILURE), (MIXED, Outcome.PARTIAL), (NOTHING, Outcome.UNKNOWN)],
)
def test_a_remark_tells_how_it_went_or_nothing(texts: tuple[str, ...], expected: Outcome) -> None:
    assert [text for text in texts if went(text) is not expected] == []


def test_praise_and_blame_together_are_a_partial_success() -> None:
    assert outcome([Reaction.BAD, Reaction.NOTED, Reaction.GOOD]) is Outcome.PARTIAL
    assert outcome([Reaction.NOTED]) is Outcome.UNKNOWN
    assert outcome([]) is Outcome.UNKNOWN


@pytest.mark.parametrize("text", ["Make it shorter please.", "No walnuts please.", "Leave out the sugar.", "短一点。"])
def test_wanting_the_same_otherwise_is_no_praise(text: str) -> None:
    judgement = revise(text)
    assert judgement is not None
    assert judgement.reaction in (Reaction.MIXED, Reaction.BAD)


@pytest.mark.parametrize("text", ["No problem.", "Any more advice?", "What else can I cook?"])
def test_another_request_is_no_revision(text: str) -> None:
    assert revise(text) is None
