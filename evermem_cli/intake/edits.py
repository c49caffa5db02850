"""Messages without ids that are stored with other words: what was edited since, and what was read half."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from evermem_cli.memory import Message, TimeSource, Turn
from evermem_cli.store import ChatReader


def goes_on(last: Message, message: Message) -> bool:
    """Whether `message` is the complete form of the last stored one, which was read while it was being written."""
    return (
        not message.external_id
        and message.user_id == last.user_id  # the owner may have got a name meanwhile
        and message.text.startswith(last.text)
        and (message.said_at == last.said_at or message.time_source is TimeSource.UNKNOWN)
    )


def with_ids_of_edited(
    turns: Sequence[Turn], messages: Sequence[Message], order: Sequence[str], stored: ChatReader
) -> tuple[Message, ...]:
    """The messages of a transcript, each edited one with the id of the stored message that it replaces.

    Where messages have no ids, theirs are made of their words. An edited one replaces the one stored message that has
    its sender, its time and one of its neighbours, and that the transcript lacks. `order` has the ids of the stored
    chat in order, forgotten ones included.
    """
    known = {*order}
    said = {(turn.speaker, turn.text, turn.sent_at) for turn in turns if turn.is_edited and turn.external_id is None}
    edited = {
        message.id: message
        for message in messages
        if message.id not in known and (message.speaker, message.text, message.said_at) in said
    }
    if not edited:
        return tuple(messages)
    ours = {message.id for message in messages}
    replaced = {message.id: message for message in stored.beside([*edited.values()]) if message.id not in ours}
    after, before = dict(pairwise(order)), {later: earlier for earlier, later in pairwise(order)}
    following = {earlier.id: later.id for earlier, later in pairwise(messages)}
    placed: list[Message] = []
    for message in messages:
        if message.id in edited:
            beside = {after.get(placed[-1].id if placed else ""), before.get(following.get(message.id, ""))}
            same = [replaced[name] for name in beside if name in replaced and _may_be(replaced[name], message)]
            if len(same) == 1:
                message = replace(message, id=replaced.pop(same[0].id).id)
        placed.append(message)
    return tuple(placed)


def _may_be(before: Message, edited: Message) -> bool:
    known = TimeSource.UNKNOWN not in (before.time_source, edited.time_source)
    return known and (before.user_id, before.said_at) == (edited.user_id, edited.said_at)
