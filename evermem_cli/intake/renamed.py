"""Chats to which an export gives another key, as a note whose file was renamed: each goes on where it is stored."""

from collections.abc import Iterable
from functools import cached_property

from evermem_cli.intake.identity import conversation_of_key
from evermem_cli.memory import Conversation, KnownNote, Transcript, content_id
from evermem_cli.store import ChatReader


class OtherKeys:
    """The stored chats of a user that may have another key by now. `stored` is None where there is no memory yet."""

    def __init__(self, stored: ChatReader | None, user: str) -> None:
        self._stored = stored
        self._user = user
        self._by_format: dict[str, KnownChats] = {}

    @cached_property
    def _notes(self) -> "KnownNotes":
        return KnownNotes(self._stored.notes(self._user) if self._stored else (), self._user)

    def _chats(self, name: str) -> "KnownChats":
        if name not in self._by_format:
            chats = self._stored.of_format(self._user, name) if self._stored else ()
            self._by_format[name] = KnownChats(chats, self._user)
        return self._by_format[name]

    def place(self, transcript: Transcript, used: set[str]) -> str | None:
        """The id of the conversation of a transcript whose key may change; None for any other. See `KnownNotes.place`.

        `used` are the ids of notes that files of another name hold; the id of this one is added.
        """
        if transcript.is_gone is not None:
            return self._notes.place(transcript, used)
        return self._chats(transcript.format).place(transcript) if transcript.is_same else None

    def renames(self, transcript: Transcript, conversation: Conversation) -> bool:
        """Whether the conversation is stored under another key than the transcript's."""
        if transcript.is_gone is not None:
            return self._notes.has_other_name(conversation.id, conversation.key)
        return transcript.is_same is not None and self._chats(transcript.format).has_other_key(conversation)


class KnownChats:
    """The stored chats of a user in one format, by the keys that they have and get."""

    def __init__(self, chats: Iterable[Conversation], user: str) -> None:
        self._user = user
        self._by_key = {chat.key: chat for chat in chats}
        self._stored_keys = {chat.id: chat.key for chat in self._by_key.values()}
        self._read: set[str] = set()  # ids of those in which a transcript was placed

    def place(self, transcript: Transcript) -> str:
        """The id of the conversation of a transcript that has a key and `is_same`.

        Without a stored chat of its key, that is the only stored one that is the same and that no other transcript is.
        """
        key, is_same = str(transcript.key), transcript.is_same
        if key not in self._by_key and is_same:
            left = [chat for chat in self._by_key.values() if chat.id not in self._read]
            same = [chat for chat in left if is_same(chat.key, chat.title)]
            if len(same) == 1:
                self._by_key[key] = self._by_key.pop(same[0].key)
        if known := self._by_key.get(key):
            self._read.add(known.id)
            return known.id
        place = conversation_of_key(key, self._user)
        while place in self._read:  # of a chat that has another key by now
            place = content_id("conv", key, self._user, place)
        return place

    def has_other_key(self, conversation: Conversation) -> bool:
        """Whether a conversation is stored, under another key than its own."""
        return self._stored_keys.get(conversation.id, conversation.key) != conversation.key


class KnownNotes:
    """The stored notes of a user, and which of them are taken for notes of another name meanwhile."""

    def __init__(self, notes: Iterable[KnownNote], user: str) -> None:
        self._user = user
        self._by_key = {note.key: note for note in notes}
        self._ids = {note.id for note in self._by_key.values()}
        self._by_text: dict[str, list[KnownNote]] = {}
        for note in self._by_key.values():
            for _, text in note.sections[:1]:
                self._by_text.setdefault(text, []).append(note)

    def place(self, transcript: Transcript, used: set[str]) -> str | None:
        """The id of the conversation of a note that is a file; None for any other transcript.

        A file of a new name holds a stored note of which the file is gone, if it has all that is stored of that note,
        word for word, so that nothing can get lost. `used` are the ids of notes that such files hold; the id is added.
        """
        key, is_gone = transcript.key, transcript.is_gone
        if key is None or is_gone is None:
            return None
        if key in self._by_key:
            return self._by_key[key].id
        said = {(turn.external_id or "", turn.text) for turn in transcript.turns}
        for text in dict.fromkeys(turn.text for turn in transcript.turns):
            for note in self._by_text.get(text, ()):
                if note.id not in used and said.issuperset(note.sections) and is_gone(note.key):
                    used.add(note.id)
                    return note.id
        place = conversation_of_key(key, self._user)
        while place in self._ids:  # of a note that has another name by now
            place = content_id("conv", key, self._user, place)
        return place

    def has_other_name(self, conversation_id: str, key: str) -> bool:
        """Whether a conversation is that of a stored note, whose file had another name."""
        return conversation_id in self._ids and key not in self._by_key
