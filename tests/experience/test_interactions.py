from dataclasses import replace
from datetime import timedelta

from evermem_cli.experience.exchanges import find_exchanges
from evermem_cli.experience.interactions import make_interactions, outcome
from evermem_cli.memory import ChatKind, Interaction, MemCell, Outcome, Role
from evermem_cli.reading.reactions import Reaction, ReactionModel
from tests.support.chats import NINE, cell

MODEL = ReactionModel()


def interactions(*cells: MemCell) -> list[Interaction]:
    return make_interactions(find_exchanges(cells, MODEL), "default")


def later(*lines: tuple[str, str], days: int = 7) -> MemCell:
    """A topic of the same chat some days on."""
    found = cell(*lines, at=NINE + timedelta(days=days))
    moved = tuple(
        replace(message, id=f"{message.id}+{days}", ordinal=message.ordinal + 100 * days) for message in found.messages
    )
    return replace(found, event_id=f"cell-{days}", messages=moved)


def report(text: str) -> MemCell:
    """A chat with an assistant in which only the user has spoken."""
    found = cell(("User", text))
    return replace(
        found,
        kind=ChatKind.ASSISTANT,
        messages=tuple(replace(message, role=Role.USER) for message in found.messages),
    )


def test_a_request_its_answer_and_the_thanks_are_one_interaction() -> None:
    (made,) = interactions(
        cell(
            ("User", "Can you find me a flight to Oslo on Friday?"),
            ("Assistant", "Since you like mornings, take SK 517 at nine. It is direct."),
            ("User", "Great, booked. Thanks!"),
            ("Assistant", "Enjoy Oslo!"),
        )
    )
    assert made.situation == "Can you find me a flight to Oslo on Friday?"
    assert made.action == "Since you like mornings, take SK 517 at nine. It is direct."
    assert made.reasoning == "Since you like mornings, take SK 517 at nine."
    assert (made.outcome, made.user_feedback) == (Outcome.SUCCESS, "Great, booked. Thanks!")
    assert set(made.tags) >= {"flight", "positive_outcome"}
    assert (made.message_ids, made.mission_id, made.timestamp) == (("m1", "m2", "m3"), "g", NINE)


def test_without_feedback_the_outcome_is_unknown_and_nothing_is_made_up() -> None:
    (made,) = interactions(cell(("User", "What does this regex do?"), ("Assistant", "It matches a run of digits.")))
    assert (made.outcome, made.user_feedback, made.reasoning) == (Outcome.UNKNOWN, None, None)


def test_what_the_assistant_asks_back_belongs_to_the_situation() -> None:
    (made,) = interactions(
        cell(
            ("User", "Can you help me with a running plan?"),
            ("Assistant", "Happy to! What is the goal?"),
            ("User", "A half marathon in May."),
            ("Assistant", "Run easy on Tuesday, intervals on Thursday and long on Sunday."),
        )
    )
    assert made.situation == "Can you help me with a running plan? A half marathon in May."
    assert made.action == "Run easy on Tuesday, intervals on Thursday and long on Sunday."


def test_an_offer_that_is_accepted_is_a_request() -> None:
    (made,) = interactions(
        cell(
            ("User", "I gave up meat."),
            ("Assistant", "A brave farewell. Shall I sketch a week of dinners?"),
            ("User", "Yes please. I can't stand tuna."),
            ("Assistant", "Salmon twice, lentils twice, omelette on Friday."),
            ("User", "Salmon is too expensive, otherwise lovely."),
        )
    )
    assert made.situation.startswith("Shall I sketch a week of dinners? Yes please.")
    assert made.outcome is Outcome.PARTIAL


def test_a_second_request_is_a_second_interaction() -> None:
    first, second = interactions(
        cell(
            ("User", "Suggest a soup for tonight."),
            ("Assistant", "A carrot soup with ginger takes half an hour."),
            ("User", "Perfect. And what bread goes with it?"),
            ("Assistant", "Rye bread with butter goes well with it."),
        )
    )
    assert (first.outcome, first.user_feedback) == (Outcome.SUCCESS, "Perfect.")
    assert second.situation == "And what bread goes with it?"
    assert second.outcome is Outcome.UNKNOWN


def test_the_user_s_own_stories_and_hearsay_judge_nothing() -> None:
    (made,) = interactions(
        cell(
            ("User", "Recommend an Indian restaurant."),
            ("Assistant", "Try the Spice Route near the market."),
            ("User", "I've heard great things about it. By the way, I just bought a lovely tennis racket."),
        )
    )
    assert (made.outcome, made.user_feedback) == (Outcome.UNKNOWN, None)


def test_feedback_that_comes_weeks_later_finds_its_interaction() -> None:
    advice, _ = interactions(
        cell(
            ("User", "Give me some advice on sleep."),
            ("Assistant", "Go to bed at ten and leave the phone outside the bedroom."),
        ),
        later(
            ("User", "With the phone outside the bedroom at bed time I sleep so well! What about naps?"),
            ("Assistant", "Keep them under twenty minutes."),
        ),
    )
    assert advice.outcome is Outcome.SUCCESS
    assert advice.message_ids == ("m1", "m2", "m1+7")


def test_a_result_that_the_chat_has_not_seen_come_about_is_an_interaction_without_action() -> None:
    (made,) = interactions(report("The cheap headphones broke, I've sent them back."))
    assert (made.outcome, made.action) == (Outcome.FAILURE, None)
    assert interactions(report("We broke up, it was terrible.")) == []


def test_the_same_chat_gives_the_same_interactions_and_more_of_it_the_same_ids() -> None:
    lines = (("User", "Suggest a soup for tonight."), ("Assistant", "A carrot soup with ginger is quick."))
    before = interactions(cell(*lines))
    assert interactions(cell(*lines)) == before
    (after,) = interactions(cell(*lines, ("User", "Delicious, thanks!")))
    assert (after.id, after.outcome) == (before[0].id, Outcome.SUCCESS)


def test_a_chinese_chat_is_understood_as_well() -> None:
    (made,) = interactions(
        cell(
            ("User", "推荐一个晚餐的菜谱。"),
            ("Assistant", "可以做麻婆豆腐，半小时就好。"),
            ("User", "太辣了，我受不了。"),
        )
    )
    assert made.outcome is Outcome.FAILURE
    assert made.user_feedback == "太辣了，我受不了。"


def test_praise_and_blame_together_are_a_partial_success() -> None:
    assert outcome([Reaction.BAD, Reaction.NOTED, Reaction.GOOD]) is Outcome.PARTIAL
    assert outcome([Reaction.NOTED]) is Outcome.UNKNOWN
    assert outcome([]) is Outcome.UNKNOWN
