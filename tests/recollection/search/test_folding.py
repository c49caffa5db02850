"""What says the same is one result, where the best of it stands, in the words that say it best."""

from datetime import UTC, datetime

from evermem_cli.memory import Evidence, Kind, Message, RankReasons, Role
from evermem_cli.recollection.search.folding import fold

AT = datetime(2025, 5, 1, tzinfo=UTC)


def said(name: str, speaker: str) -> Message:
    return Message(
        id=name,
        conversation_id="chat",
        ordinal=1,
        external_id=name,
        speaker=speaker,
        user_id=speaker,
        role=Role.PARTICIPANT,
        text=f"{speaker} says {name}",
        said_at=AT,
    )


QUESTION, ANSWER, OTHER = said("m1", "Bob"), said("m2", "Ann"), said("m3", "Ann")


def found(name: str, kind: Kind, score: float, *messages: Message, drawn: float = 0.0) -> Evidence:
    return Evidence(
        id=name,
        kind=kind,
        text=name,
        score=score,
        speaker="Ann" if kind is Kind.FACT else messages[0].speaker if kind is Kind.MESSAGE else None,
        said_at=AT,
        valid_at=None,
        invalid_at=None,
        conversation="chat",
        messages=messages,
        why=RankReasons(parts={"drawn": drawn}, rank_by_words=1, rank_by_meaning=1),
    )


def test_a_fact_stands_in_the_place_of_its_message_where_it_says_it_better() -> None:
    results = [
        found("m2", Kind.MESSAGE, 5, ANSWER),
        found("m3", Kind.MESSAGE, 4, OTHER),
        found("better", Kind.FACT, 3, ANSWER, drawn=-3),
        found("worse", Kind.FACT, 0.5, OTHER, drawn=-3),
    ]
    kept = fold(results)
    assert [(each.id, each.score) for each in kept] == [("better", 5), ("m3", 4)]
    assert kept[0].why == results[0].why


def test_the_question_that_a_fact_answers_is_a_result_of_its_own() -> None:
    results = [
        found("m1", Kind.MESSAGE, 5, QUESTION),
        found("fact", Kind.FACT, 4, QUESTION, ANSWER, drawn=-3),
        found("m2", Kind.MESSAGE, 3, ANSWER),
    ]
    assert [each.id for each in fold(results)] == ["m1", "fact"]


def test_an_episode_stands_beside_the_messages_it_tells_of() -> None:
    results = [found("m2", Kind.MESSAGE, 5, ANSWER), found("episode", Kind.EPISODE, 4, ANSWER, OTHER, drawn=-3)]
    assert [each.id for each in fold(results)] == ["m2", "episode"]
