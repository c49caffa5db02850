"""Turns exchanges into interactions: situation, reasoning, action and outcome."""

import re
from collections.abc import Iterable, Iterator, Sequence

from evermem_cli.experience.exchanges import Exchange
from evermem_cli.experience.speech_acts import key_words, reasons, stated
from evermem_cli.memory import AgentType, Interaction, Outcome, content_id
from evermem_cli.reading.reactions import Reaction

# characters; a longer text is cut after a sentence
SITUATION = 300
ACTION = 600
_FEEDBACK = 400
_REASONS = 2  # sentences
_TAGS = 6

_LIST = re.compile(r"(?:[^,，.。;；]*[:：])?\s*\d+\.$")  # introduces a list: "…, recommendations: 1."


def make_interactions(exchanges: Sequence[Exchange], user_id: str) -> list[Interaction]:
    """The interactions of one user's conversation, in the words of the chat.

    The id is derived from the request, so that it stays the same when feedback arrives later. Of which type an
    assistant is, their words and vectors tell (`agents.py`).
    """
    return [_interaction(exchange, user_id) for exchange in exchanges]


def outcome(reactions: Iterable[Reaction]) -> Outcome:
    """The outcome of all reactions: good and bad ones together are partial, neutral ones alone unknown."""
    judged = set(reactions) - {Reaction.NOTED}
    if not judged:
        return Outcome.UNKNOWN
    if judged == {Reaction.GOOD}:
        return Outcome.SUCCESS
    return Outcome.FAILURE if judged == {Reaction.BAD} else Outcome.PARTIAL


def joined(sentences: Iterable[str], limit: int) -> str:
    """As many whole sentences from the beginning as fit into `limit` characters.

    A first sentence that is longer is cut.
    """
    return " ".join(_within(sentences, limit))


def _interaction(exchange: Exchange, user_id: str) -> Interaction:
    action = exchange.action
    went = outcome([reaction for _, _, reaction in exchange.feedback])
    situation = joined(exchange.wanted, SITUATION)
    said = [sentence for _, sentence, _ in exchange.feedback]
    return Interaction(
        id=content_id("act", exchange.request[0].id, exchange.wanted[0]),
        user_id=user_id,
        conversation_id=exchange.cell.conversation_id,
        situation=situation,
        reasoning=_reasoning(action.text) if action else None,
        action=joined(stated(action.text), ACTION) if action else None,
        outcome=went,
        user_feedback=joined(said, _FEEDBACK) or None,
        agent_type=AgentType.GENERAL,
        mission_id=exchange.cell.group_id,
        timestamp=exchange.request[0].said_at,
        tags=_tags(situation, went),
        message_ids=tuple(message.id for message in exchange.messages),
    )


def _reasoning(reply: str) -> str | None:
    """The sentences in which the assistant gives reasons."""
    return joined([_LIST.sub("", sentence) for sentence in reasons(reply)[:_REASONS]], ACTION) or None


def _tags(situation: str, went: Outcome) -> tuple[str, ...]:
    """Tags of an interaction: words of the request, and the outcome, for example ["flight", "negative_outcome"]."""
    words = dict.fromkeys(word for word in key_words(situation) if word.isascii() and word.isalpha())
    sign = {Outcome.SUCCESS: ["positive_outcome"], Outcome.FAILURE: ["negative_outcome"]}
    return (*list(words)[:_TAGS], *sign.get(went, []))


def _within(sentences: Iterable[str], limit: int) -> Iterator[str]:
    used = 0
    for sentence in sentences:
        if used and used + len(sentence) > limit:
            return
        yield sentence if len(sentence) <= limit else sentence[: limit - 1] + "…"
        used += len(sentence)
