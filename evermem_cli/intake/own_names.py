"""The speakers that the names given for the user mean, where nobody has exactly such a name."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from evermem_cli.config import Settings
from evermem_cli.errors import UsageError
from evermem_cli.memory import Role, Transcript
from evermem_cli.naming.names import begins_with
from evermem_cli.store import Store


def completed(settings: Settings, store: Store, chats: Iterable[Transcript]) -> Settings:
    """The settings, with the speakers of the chats that names of the user mean but do not write out.

    The chats are not read if memory knows the names. Raises UsageError for a name that may be several speakers'.
    """
    unknown = unknown_names(settings, store)
    meant = meant_speakers(unknown, chats) if unknown else []
    return replace(settings, also_me=(*settings.also_me, *meant)) if meant else settings


def unknown_names(settings: Settings, store: Store) -> list[str]:
    """The names given for the user that nobody in memory has and no name of the user there begins with."""
    if not store.exists or not settings.own_names:
        return [*settings.own_names]
    with store.read() as reader:
        owned, speakers = reader.names.ownership(settings.user).names, reader.names.speakers()
    return [
        name for name in settings.own_names if name not in speakers and not any(begins_with(own, name) for own in owned)
    ]


def meant_speakers(names: Collection[str], chats: Iterable[Transcript]) -> list[str]:
    """For each name that is nobody's, the one speaker of a chat between people whose name begins with it, if any.

    Reads no further than needed to see that somebody has each name. Raises UsageError that lists the speakers if
    several have names that begin so.
    """
    unknown, speakers = set(names), dict[str, None]()
    for chat in chats:
        unknown -= {turn.speaker for turn in chat.turns if not turn.unnamed}  # those have the name that is given
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
