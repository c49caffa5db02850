"""Compares a chat with memory: which messages are new, edited or gone, and where they belong."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from evermem_cli.config import Settings
from evermem_cli.intake.edits import goes_on, with_ids_of_edited
from evermem_cli.intake.identity import Seen, find_conversation, identify, written_time
from evermem_cli.intake.renamed import OtherKeys
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import UNNAMED, Conversation, Message, Role, Transcript, chat_name
from evermem_cli.store import ChatReader

# Formats whose sessions begin with copies of other sessions, under globally unique ids.
COPIED = frozenset({"claude-code"})


@dataclass(slots=True)
class Thread:
    """A chat that arrives in parts: its stored conversation, and which turns without ids were seen so far.

    In ids of the conversation a user without a name is `called` this; "" until the first part is compared.
    """

    conversation_id: str = ""
    called: str = ""
    seen: Seen = field(default_factory=Seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The changes to one conversation.

    `messages` are those selected, in order. `new` has the new ones with their ordinals; `insert_before` has the stored
    place before which each new message is inserted. `gone` are ids of removed messages. From the place `resegment_from`
    on topics are divided anew; None where new messages only come at the end. `completed` counts new messages of which
    only the beginning was stored; the stored beginning is among `gone`. `forgotten` counts messages that stay
    forgotten, `repeated` those that belong to the chat they were copied from, `out_of_time` those outside of the chosen
    time. `begins`: nothing of the chat is stored, and this is the whole chat. `renames`: it has another key there.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    new: tuple[Message, ...]
    edited: tuple[Message, ...] = ()
    gone: tuple[str, ...] = ()
    insert_before: tuple[int, ...] = ()
    resegment_from: int | None = None
    completed: int = 0
    forgotten: int = 0
    repeated: int = 0
    out_of_time: int = 0
    begins: bool = False
    renames: bool = False

    @property
    def has_changes(self) -> bool:
        """Whether the plan changes anything."""
        return bool(self.new or self.edited or self.gone)

    @property
    def called(self) -> str:
        """What the chat is called; see `chat_name`."""
        chat = self.conversation
        opening = next((message.text for message in self.messages if message.role is not Role.ASSISTANT), "")
        return chat_name(chat.title, chat.key, chat.kind, opening, sorted({turn.speaker for turn in self.messages}))

    @property
    def new_count(self) -> int:
        """The number of new messages. One that is complete now counts as edited, since its beginning was known."""
        return len(self.new) - self.completed

    @property
    def edited_count(self) -> int:
        """The number of messages that were edited or completed."""
        return len(self.edited) + self.completed

    @property
    def removed_count(self) -> int:
        """The number of messages that are gone, without the beginnings of completed ones."""
        return len(self.gone) - self.completed

    def before(self) -> dict[str, Message]:
        """The message before each one but the first, by id."""
        return {later.id: earlier for earlier, later in pairwise(self.messages)}

    def parts(self, size: int) -> Iterator["Plan"]:
        """The plan in steps of at most `size` messages. Work can stop after any step.

        Messages that move others are one step, since the chat would be out of order in between.
        """
        if self.insert_before or self.gone or len(self.new) <= size:
            yield self
            return
        for start in range(0, len(self.new), size):
            new, edited = self.new[start : start + size], self.edited if start == 0 else ()
            yield replace(self, new=new, edited=edited, begins=False)


@dataclass(slots=True)
class Planned:
    """What is planned but not stored, which counts as stored for what is planned next.

    `chats` has the ids of each chat's messages in order, `changed` those of messages that are new, edited or gone,
    `homes` the chat of each id in `COPIED` formats, `renamed` the chats whose file has another name.
    """

    chats: dict[str, list[str]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    homes: dict[tuple[str, str], str] = field(default_factory=dict)
    renamed: set[str] = field(default_factory=set)

    def elsewhere(self, conversation: Conversation, external_ids: Sequence[str]) -> set[str]:
        """Those of these ids that occur in other chats of the same format."""
        homes = {name: self.homes.get((conversation.format, name)) for name in external_ids}
        return {name for name, home in homes.items() if home not in (None, conversation.id)}

    def beyond(self, plan: Plan) -> Plan:
        """The plan without changes that were planned before; they are planned from now on."""
        new = tuple(message for message in plan.new if message.id not in self.changed)
        more = replace(
            plan,
            new=new,
            edited=tuple(message for message in plan.edited if message.id not in self.changed),
            gone=tuple(message_id for message_id in plan.gone if message_id not in self.changed),
            completed=plan.completed if new[:1] == plan.new[:1] else 0,
        )
        chat = plan.conversation
        known = dict.fromkeys([*self.chats.get(chat.id, ()), *(message.id for message in plan.messages)])
        self.chats[chat.id] = [*known]
        if chat.format in COPIED:
            self.homes.update({(chat.format, message.external_id): chat.id for message in plan.messages})
        self.changed.update(more.gone, (message.id for message in (*more.new, *more.edited)))
        return more


@dataclass(frozen=True)
class Planner:
    """Compares transcripts with memory. `stored` is None where there is no memory yet.

    `unknown` are ids of new chats. `planned` is what was planned before and is not stored yet.
    """

    stored: ChatReader | None
    settings: Settings
    choice: Choice
    unknown: Collection[str] = ()
    planned: Planned = field(default_factory=Planned)

    @cached_property
    def _names(self) -> Collection[str]:
        """The names under which the user speaks: from the settings and from memory."""
        stored = self.stored.names_of_user(self.settings.user) if self.stored else set()
        return self.settings.own_names | stored

    @cached_property
    def _other_keys(self) -> OtherKeys:
        return OtherKeys(self.stored, self.settings.user)

    @cached_property
    def _names_in_ids(self) -> list[str]:
        """What a user without a name may be called in ids: in those of old memory files it is the user's name."""
        names = self.stored.names_to_assistants(self.settings.user) if self.stored else set()
        return [UNNAMED, *sorted(names - {UNNAMED})]

    def plan(self, transcript: Transcript, thread: Thread | None = None) -> Plan:
        """The changes that this chat, or the next part of a thread, makes."""
        user = self.settings.user
        thread = thread or Thread()
        if not thread.called:
            thread.conversation_id, thread.called = self._place(transcript, thread.conversation_id)
        conversation, every = identify(
            transcript, thread.conversation_id, user, self._names, thread.called, thread.seen
        )
        own = self._without_copies(conversation, every)
        messages = tuple(message for message in own if self.choice.takes(message))
        if self.stored is None or conversation.id in self.unknown:
            new = placed_among(messages, {}, messages)[0]
            plan = Plan(conversation=conversation, messages=messages, new=new, begins=True)
        else:
            plan = self._compared(conversation, transcript, messages, self.stored)
        renames = self._other_keys.renames(transcript, conversation)
        return replace(plan, repeated=len(every) - len(own), out_of_time=len(own) - len(messages), renames=renames)

    def _place(self, transcript: Transcript, conversation_id: str) -> tuple[str, str]:
        """The id of the chat's conversation, which may be known, and what a user without a name is called in its ids.

        That is `UNNAMED`, unless more messages of the chat are stored, or were forgotten, under another name.
        """
        user, stored = self.settings.user, self.stored
        forgotten = stored.forgotten() if stored and transcript.key is None else {}
        renamed = self._other_keys.place(transcript, self.planned.renamed)
        sharing = renamed or conversation_id or self._sharing(transcript)
        names = self._names_in_ids if any(turn.unnamed for turn in transcript.turns) else [UNNAMED]
        places = [
            (sharing or find_conversation(transcript, user, self._known_ids, name, forgotten), name) for name in names
        ]

        def known(named: tuple[str, str]) -> int:
            place, name = named
            ids = {message.id for message in identify(transcript, place, user, (), name)[1]}
            return len(ids & (stored.places(place) | stored.forgotten_places(place)).keys()) if stored else 0

        return max(places, key=known) if len(places) > 1 else places[0]

    def _without_copies(self, conversation: Conversation, messages: list[Message]) -> list[Message]:
        if conversation.format not in COPIED:
            return messages
        names = [message.external_id for message in messages if message.external_id]
        copied = self.planned.elsewhere(conversation, names)
        copied |= self.stored.elsewhere(conversation, names) if self.stored else set()
        return [message for message in messages if message.external_id not in copied]

    def _compared(
        self, conversation: Conversation, transcript: Transcript, messages: tuple[Message, ...], stored: ChatReader
    ) -> Plan:
        places, forgotten = stored.places(conversation.id), stored.forgotten_places(conversation.id)
        order = sorted(places | forgotten, key=(places | forgotten).__getitem__)
        messages = with_ids_of_edited(transcript.turns, messages, order, stored)
        known = places if self.choice.again else places | forgotten
        new = [message for message in messages if message.id not in known]
        gone = _missing(messages, places) if self.choice.prune else []
        last = stored.last_message(conversation.id) if new else None
        completed = bool(last and last.id not in {message.id for message in messages} and goes_on(last, new[0]))
        if last and completed:
            gone.append(last.id)
        placed, insert_before = placed_among(
            messages, {k: v for k, v in (places | forgotten).items() if k not in gone}, new
        )
        edited = stored.edited([message for message in messages if message.id in places])
        touched = [*insert_before, *(places[message_id] for message_id in gone)]
        return Plan(
            conversation=conversation,
            messages=messages,
            new=placed,
            edited=tuple(message for message in messages if message.id in edited),
            gone=tuple(gone),
            insert_before=insert_before,
            resegment_from=min(touched) - 1 if touched else None,
            completed=int(completed),
            forgotten=sum(message.id in known and message.id in forgotten for message in messages),
        )

    def _known_ids(self, conversation_id: str) -> list[str]:
        stored = self.stored.message_ids(conversation_id) if self.stored else []
        return stored or self.planned.chats.get(conversation_id, [])

    def _sharing(self, transcript: Transcript) -> str | None:
        """The stored chat without an id of its own that has the same messages at the same times."""
        if self.stored is None or transcript.key is not None:
            return None
        said = [
            (turn.speaker, turn.unnamed, turn.text, written)
            for turn in transcript.turns
            if (written := written_time(turn))
        ]
        return self.stored.sharing(said, self.settings.user) if said else None


def _missing(messages: Sequence[Message], places: Mapping[str, int]) -> list[str]:
    """Stored messages between some of these that the transcript lacks."""
    ours = {message.id for message in messages}
    shared = [place for message_id, place in places.items() if message_id in ours]
    return [
        message_id
        for message_id, place in places.items()
        if message_id not in ours and min(shared, default=place) < place < max(shared, default=place)
    ]


def placed_among(
    messages: Sequence[Message], places: Mapping[str, int], new: Sequence[Message]
) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """The new messages with their ordinals, and the stored places before which they are inserted.

    Each message follows the one before it; the first ones precede the first message that has a place.
    """
    end = max(places.values(), default=0) + 1
    place = min((places[message.id] for message in messages if message.id in places), default=end)
    wanted = {message.id for message in new}
    with_places: list[tuple[int, Message]] = []
    for message in messages:
        if message.id in wanted:
            with_places.append((place, message))
        elif message.id in places:
            place = places[message.id] + 1
    with_places.sort(key=lambda entry: entry[0])
    placed = tuple(
        replace(message, ordinal=place + moved, external_id=message.external_id or str(place + moved))
        for moved, (place, message) in enumerate(with_places)
    )
    return placed, tuple(place for place, _ in with_places if place < end)
