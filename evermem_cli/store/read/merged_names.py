"""Names that the user declared to be one person's. They are kept apart from the names, so a merge can be undone."""

from evermem_cli.store.read.reader import Reader

# A merge reveals no name that no longer occurs: one that was forgotten or is withheld.
STILL_SAID = """
    exists (select 1 from messages where {kept} and (
      lower({name}) in (lower(user_id), lower(speaker)) or contains(lower(text), lower({name}))))"""


def still_said(kept: str) -> str:
    """A condition on the rows of `merged`: both names occur in messages that meet `kept`."""
    return " and ".join(STILL_SAID.format(kept=kept, name=f"merged.{column}") for column in ("name", "person"))


class MergedReader(Reader):
    """A read transaction that resolves merged names."""

    def merged(self, owner: str) -> dict[str, str]:
        """The person that each merged name stands for in a user's memory; names in lower case."""
        query = "select lower(name) as name, person from merged where owner_id = $owner order by merged_at"
        stands_for = {row["name"]: row["person"] for row in self._rows(query, owner=owner)}
        return {name: _root(stands_for, person) for name, person in stands_for.items()}

    def person(self, owner: str, user_id: str) -> str:
        """The person behind an id in a user's memory: the id itself, unless it was merged."""
        return self.merged(owner).get(user_id.lower(), user_id)

    def names_of_one(self, owner: str, user_id: str) -> list[str]:
        """All ids and names, in lower case, of the person behind one of them."""
        merged = self.merged(owner)
        person = merged.get(user_id.lower(), user_id).lower()
        return [person, *(name for name, root in merged.items() if root.lower() == person)]


def _root(stands_for: dict[str, str], person: str) -> str:
    seen = set()
    while person.lower() in stands_for and person.lower() not in seen:
        seen.add(person.lower())
        person = stands_for[person.lower()]
    return person
