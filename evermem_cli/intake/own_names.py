"""The speakers that the names given for the user mean, where nobody has exactly such a name."""

from collections.abc import Collection, Iterable

from evermem_cli.errors import UsageError
from evermem_cli.memory import Role, Transcript
from evermem_cli.naming.names import begins_with


def meant_speakers(names: Collection[str], chats: Iterable[Transcript]) -> list[str]:
    """For each name that is nobody's, the one speaker of a chat between people whose name begins with it, if any.

    Reads no further than needed to see that somebody has each name. Raises UsageError that lists the speakers if
    several have names that begin so.
    """
    unknown, speakers = set(names), dict[str, None]()
    for chat in chats:
        unknown -= {turn.speaker for turn in chat.turns}
        if not unknown:
            return []
        speakers |= dict.fromkeys(turn.speaker for turn in chat.turns if turn.role is Role.PARTICIPANT)
    return [speaker for name in sorted(unknown) for speaker in only_one(name, speakers)]


def only_one(name: str, speakers: Iterable[str]) -> list[str]:
    """The one speaker whose name begins with the words of this one, if any. Raises UsageError for several."""
    meant = [speaker for speaker in speakers if begins_with(speaker, name)]
    if len(meant) > 1:
        raise UsageError(f"{name} may be {' or '.join(meant)}", "give the whole name, or all of them if all are yours")
    return meant
