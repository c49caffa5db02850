"""What reading a chat would change in memory: which of its messages are new, edited or gone, and where they belong."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from evermem_cli.config import Settings
from evermem_cli.intake.identity import Seen, find_conversation, identify, written_time
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Conversation, Message, TimeSource, Transcript, Turn
from evermem_cli.store import Known

# Formats whose sessions begin with copies of others, under ids that are unique everywhere.
COPIED = frozenset({"claude-code"})


@dataclass(slots=True)
class Thread:
    """A chat that comes in pieces: which stored conversation it is, and what was seen of it that has no id."""

    conversation_id: str = ""
    seen: Seen = field(default_factory=Seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done with one conversation.

    `messages` are those chosen, in their order; `new` has the ordinals that they will be stored with, for which `room`
    names the stored places that move up, once for each. `gone` are ids. `recut` is the place from which topics are cut
    anew, None where all that is new comes at the end. `completed` counts the new ones of which the beginning was known:
    it is among `gone`. `forgotten` counts those that stay so, `repeated` those left to the chat they were copied from.
    The chat `begins` if nothing of it is stored and this is all of it.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    new: tuple[Message, ...]
    edited: tuple[Message, ...] = ()
    gone: tuple[str, ...] = ()
    room: tuple[int, ...] = ()
    recut: int | None = None
    completed: int = 0
    forgotten: int = 0
    repeated: int = 0
    begins: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.new or self.edited or self.gone)

    def before(self) -> dict[str, Message]:
        """The message before each but the first, by id."""
        return {later.id: earlier for earlier, later in pairwise(self.messages)}

    def parts(self, size: int) -> Iterator["Plan"]:
        """This plan in steps of up to `size` messages, each of which may be the last one done.

        What moves others is one step: between two steps the chat would be out of order.
        """
        if self.room or self.gone or len(self.new) <= size:
            yield self
            return
        for start in range(0, len(self.new), size):
            new, edited = self.new[start : start + size], self.edited if start == 0 else ()
            yield replace(self, new=new, edited=edited, begins=False)


@dataclass(frozen=True)
class Planner:
    """Compares transcripts with memory; `known` is None where there is none yet. `unknown` are ids of new chats."""

    known: Known | None
    settings: Settings
    choice: Choice
    unknown: Collection[str] = ()

    @cached_property
    def _names(self) -> Collection[str]:
        """Under which names the user speaks: that of the settings, else those known."""
        if self.settings.me or self.known is None:
            return (self.settings.me,)
        return self.known.names_of_user(self.settings.user)

    def plan(self, transcript: Transcript, thread: Thread | None = None) -> Plan:
        """What reading this chat, or the next piece of a thread, would change."""
        user = self.settings.user
        thread = thread or Thread()
        forgotten = self.known.forgotten() if self.known and transcript.key is None else {}
        thread.conversation_id = thread.conversation_id or find_conversation(
            transcript, user, self._known_ids, self._sharing, forgotten
        )
        conversation, every = identify(transcript, thread.conversation_id, user, self._names, thread.seen)
        own = self._without_copies(conversation, every)
        messages = tuple(message for message in own if self.choice.takes(message))
        if self.known is None or conversation.id in self.unknown:
            new = placed_among(messages, {}, messages)[0]
            plan = Plan(conversation=conversation, messages=messages, new=new, begins=True)
        else:
            plan = self._compared(conversation, messages, self.known)
        return replace(plan, repeated=len(every) - len(own))

    def _without_copies(self, conversation: Conversation, messages: list[Message]) -> list[Message]:
        if self.known is None or conversation.format not in COPIED:
            return messages
        copied = self.known.elsewhere(conversation, [message.external_id for message in messages])
        return [message for message in messages if message.external_id not in copied]

    def _compared(self, conversation: Conversation, messages: tuple[Message, ...], known: Known) -> Plan:
        stored, forgotten = known.places(conversation.id), known.forgotten_places(conversation.id)
        places = stored if self.choice.again else stored | forgotten
        new = [message for message in messages if message.id not in places]
        gone = _missing(messages, stored) if self.choice.prune else []
        last = known.last_message(conversation.id) if new else None
        completed = bool(last and last.id not in {message.id for message in messages} and _goes_on(last, new[0]))
        if last and completed:
            gone.append(last.id)
        placed, room = placed_among(messages, {k: v for k, v in (places | forgotten).items() if k not in gone}, new)
        edited = known.edited([message for message in messages if message.id in stored])
        touched = [*room, *(stored[message_id] for message_id in gone)]
        return Plan(
            conversation=conversation,
            messages=messages,
            new=placed,
            edited=tuple(message for message in messages if message.id in edited),
            gone=tuple(gone),
            room=room,
            recut=min(touched) - 1 if touched else None,
            completed=int(completed),
            forgotten=sum(message.id in places and message.id in forgotten for message in messages),
        )

    def _known_ids(self, conversation_id: str) -> list[str]:
        return self.known.message_ids(conversation_id) if self.known else []

    def _sharing(self, turns: Sequence[Turn], user: str) -> str | None:
        said = [(turn.speaker, turn.text, written) for turn in turns if (written := written_time(turn))]
        return self.known.sharing(said, user) if self.known else None


def _missing(messages: Sequence[Message], places: Mapping[str, int]) -> list[str]:
    """Stored messages that lie between some of these and are none of them."""
    ours = {message.id for message in messages}
    shared = [place for message_id, place in places.items() if message_id in ours]
    return [
        message_id
        for message_id, place in places.items()
        if message_id not in ours and min(shared, default=place) < place < max(shared, default=place)
    ]


def _goes_on(last: Message, message: Message) -> bool:
    """Whether `message` is the last stored one, of which only the beginning had been written when it was read."""
    return (
        not message.external_id
        and message.speaker == last.speaker
        and message.text.startswith(last.text)
        and (message.said_at == last.said_at or message.time_source is TimeSource.UNKNOWN)
    )


def placed_among(
    messages: Sequence[Message], places: Mapping[str, int], new: Sequence[Message]
) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """The new ones among the messages of a chat with their ordinals, and the stored places before which they are put.

    Each stands after the message that is before it, the first ones before the first that has a place.
    """
    end = max(places.values(), default=0) + 1
    place = min((places[message.id] for message in messages if message.id in places), default=end)
    wanted = {message.id for message in new}
    found: list[tuple[int, Message]] = []
    for message in messages:
        if message.id in wanted:
            found.append((place, message))
        elif message.id in places:
            place = places[message.id] + 1
    found.sort(key=lambda entry: entry[0])
    placed = tuple(
        replace(message, ordinal=place + moved, external_id=message.external_id or str(place + moved))
        for moved, (place, message) in enumerate(found)
    )
    return placed, tuple(place for place, _ in found if place < end)
