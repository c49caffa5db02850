"""Notes whose file was renamed: each goes on with the conversation in which it is stored."""

from collections.abc import Iterable

from evermem_cli.intake.identity import conversation_of_key
from evermem_cli.memory import KnownNote, Transcript, content_id


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
        word for word, so that nothing can get lost. `used` are the ids of notes that such files hold; it is added.
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
