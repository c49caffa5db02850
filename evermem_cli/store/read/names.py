"""Reads who is called what: speakers, the owners of names, and names that the user declared to be one person's.

Merges are kept apart from the names, so that a merge can be undone.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evermem_cli.memory import UNNAMED, ChatKind, NameOwnership
from evermem_cli.store.schema.sql import READABLE, Sql

# A merge reveals no name that no longer occurs: one that was forgotten or is withheld.
STILL_SAID = """
    exists (select 1 from messages where {kept} and (
      lower({name}) in (lower(user_id), lower(speaker)) or contains(lower(text), lower({name}))))"""
# The names under which people speak, the most frequent first; what exports without a name call the user comes last.
NAMES = f"""
    select speaker from messages where lower(user_id) in (select unnest($people))
    group by speaker order by speaker = '{UNNAMED}', count(*) desc, speaker"""
# Messages whose speaker is undecided; in a chat with an assistant they are the user's.
OPEN_TO_ALL = """
    from messages join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and role = 'participant'"""
SPOKEN_AS = """
    select distinct speaker from messages join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and list_has_any($people, [lower(speaker), lower(messages.user_id)])
    order by speaker"""
# Those who speak in chats between people, with all that they have said, to assistants too.
SPEAKERS = """
    select speaker, messages.user_id = $owner as own, count(*) as n
    from messages join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and role <> 'assistant'
    group by all having bool_or(role = 'participant') order by n desc, speaker"""
# Exports such as Signal's tell which messages are the owner's; in their chats nobody has to say who the owner is.
IN_CHATS_WITHOUT_OWNER = f"""
    select speaker, count(*) as n {OPEN_TO_ALL} and conversation_id not in (
        select conversation_id from messages where user_id = $owner)
    group by all order by n desc, speaker"""
# What settings, or else such exports ("User"), call the owner in these chats.
STATED_OWNER = f"""
    select speaker, count(*) as n
    from messages join conversations on conversations.id = conversation_id
    where conversations.user_id = $owner and messages.user_id = $owner
      and kind = '{ChatKind.GROUP}' and role = 'user'
    group by all order by n desc, speaker"""


def still_said(kept: str) -> str:
    """A condition on the rows of `merged`: both names occur in messages that meet `kept`."""
    return " and ".join(STILL_SAID.format(kept=kept, name=f"merged.{column}") for column in ("name", "person"))


@dataclass(frozen=True, slots=True)
class NameReader:
    """Reads the names of speakers, and resolves merged names."""

    sql: Sql

    def merged(self, owner: str) -> dict[str, str]:
        """The person that each merged name stands for in a user's memory; names in lower case."""
        query = "select lower(name) as name, person from merged where owner_id = $owner order by merged_at"
        stands_for = {row["name"]: row["person"] for row in self.sql.rows(query, owner=owner)}
        return {name: _root(stands_for, person) for name, person in stands_for.items()}

    def person(self, owner: str, user_id: str) -> str:
        """The person behind an id in a user's memory: the id itself, unless it was merged."""
        return self.merged(owner).get(user_id.lower(), user_id)

    def of_one(self, owner: str, user_id: str) -> list[str]:
        """All ids and names, in lower case, of the person behind one of them."""
        merged = self.merged(owner)
        person = merged.get(user_id.lower(), user_id).lower()
        return [person, *(name for name, root in merged.items() if root.lower() == person)]

    def spoken_as(self, owner: str, user_id: str) -> list[str]:
        """The names under which one person speaks in the chats that a user owns."""
        query = {"owner": owner, "people": self.of_one(owner, user_id)}
        return [row["speaker"] for row in self.sql.rows(SPOKEN_AS, **query)]

    def all_of(self, owner: str, user_id: str | None) -> list[str]:
        """All ids and names, in lower case, of a person in the chats that a user owns; none for None."""
        if user_id is None:
            return []
        return [*self.of_one(owner, user_id), *map(str.lower, self.spoken_as(owner, user_id))]

    def persons(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Owners and people, merged ones once."""
        pairs = set(pairs)
        merged = {owner: self.merged(owner) for owner in {owner for owner, _ in pairs}}
        return sorted({(owner, merged[owner].get(person.lower(), person)) for owner, person in pairs})

    def speakers(self) -> list[str]:
        """Everyone who has said something, by name."""
        query = "select distinct speaker from messages order by speaker"
        return self.sql.once("speakers", lambda: [row["speaker"] for row in self.sql.rows(query)])

    def called(self, user_id: str | None) -> dict[str, frozenset[str]]:
        """Everybody who speaks, merged people together: all their names by each name."""
        return self.sql.once(("called", user_id), lambda: self._called(user_id))

    def _called(self, user_id: str | None) -> dict[str, frozenset[str]]:
        names = {name: frozenset({name}) for name in self.speakers()}
        merged = self.merged(user_id) if user_id else {}
        if user_id is None or not merged:
            return names
        ids = self.speaker_ids(user_id)
        spoken = {person: frozenset(name for name in ids if ids[name] == person) for person in ids.values()}
        return names | {name: spoken[person] for name, person in (ids | merged).items() if person in spoken}

    def of_user(self, user_id: str) -> list[str]:
        """The names under which a user speaks, the most frequent first, "User" last."""
        return self.sql.once(("of_user", user_id), lambda: self._of_user(user_id))

    def _of_user(self, user_id: str) -> list[str]:
        return [row["speaker"] for row in self.sql.rows(NAMES, people=self.of_one(user_id, user_id))]

    def speaker_ids(self, user_id: str, *, assistants: bool = False) -> dict[str, str]:
        """User ids by the names of speakers in the chats that a user owns or took part in."""
        query = f"""
            select speaker, any_value(user_id) as id from messages
            where ($assistants or role <> 'assistant') and conversation_id in ({READABLE})
            group by speaker order by speaker"""
        merged = self.merged(user_id)
        records = self.sql.rows(query, user_id=user_id, assistants=assistants)
        ids = {row["speaker"]: row["id"] for row in records}
        return {speaker: merged.get(person.lower(), person) for speaker, person in ids.items()}

    def display_names(self, user_id: str) -> dict[str, str]:
        """The name of everybody who speaks in the user's chats, by id: of several the most frequent, "User" last."""
        ids = self.speaker_ids(user_id)
        several = {person for person, names in Counter(ids.values()).items() if names > 1}
        return {person: self.of_user(person)[0] if person in several else name for name, person in ids.items()}

    def owners(self) -> list[str]:
        """The users who own a memory in this file, by name."""
        return [row["user_id"] for row in self.sql.rows("select distinct user_id from conversations order by user_id")]

    def ownership(self, owner: str) -> NameOwnership:
        """The names under which a user speaks in chats between people, and those of everybody else.

        Each has the number of its messages in all chats.
        """
        records = self.sql.rows(SPEAKERS, owner=owner)
        return NameOwnership(
            names={row["speaker"]: row["n"] for row in records if row["own"]},
            others={row["speaker"]: row["n"] for row in records if not row["own"]},
        )

    def stated_owner(self, owner: str) -> dict[str, int]:
        """What a user is called in chats between people of which the export states the user's messages, as counts.

        It is `UNNAMED` where neither the export nor the settings give a name.
        """
        return {row["speaker"]: row["n"] for row in self.sql.rows(STATED_OWNER, owner=owner)}

    def owner_name(self, owner: str) -> str:
        """What a user is called: the most frequent name in chats between people, else "User"."""
        stated = [name for name in self.stated_owner(owner) if name != UNNAMED]
        return next(iter([*self.ownership(owner).names, *stated]), UNNAMED)

    def in_chats_without(self, owner: str) -> list[str]:
        """Those who speak in chats between people in which a user says nothing, the most talkative first."""
        return [row["speaker"] for row in self.sql.rows(IN_CHATS_WITHOUT_OWNER, owner=owner)]


def _root(stands_for: dict[str, str], person: str) -> str:
    seen = set()
    while person.lower() in stands_for and person.lower() not in seen:
        seen.add(person.lower())
        person = stands_for[person.lower()]
    return person
