"""Reads names and speakers, and walks through relationships with recursive SQL."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from evermem_cli.memory import EntityType, Naming, Speaker
from evermem_cli.store.schema.rows import utc
from evermem_cli.store.schema.sql import READABLE, Sql

# People in a chat with at most this many speakers know each other.
COMPANY = 12
SPEAKERS = f"""
    select speaker as name, user_id, count(*) as messages, min(said_at) as first_at, max(said_at) as last_at
    from messages where role <> 'assistant' and conversation_id in ({READABLE})
    and ($known_at is null or said_at <= $known_at) group by all order by speaker, user_id"""
NAMINGS = f"""
    select name, entity_type as type, list(distinct {{'at': said_at, 'id': message_id}}) as said
    from mentions join messages on messages.id = message_id where conversation_id in ({READABLE})
    and ($known_at is null or said_at <= $known_at) group by all order by name, type"""
# Names in scripts without spaces are searched for on demand, since they have no word boundaries.
SPOKEN_OF = f"""
    select name, null as type, list({{'at': said_at, 'id': messages.id}}) as said
    from messages join (select unnest($names) as name) on contains(text, name)
    where role <> 'assistant' and conversation_id in ({READABLE})
    and ($known_at is null or said_at <= $known_at) group by name order by name"""
COMPANIONS = f"""
    with said as (
      select conversation_id, user_id, min(said_at) as since, arg_min(id, (said_at, ordinal)) as message_id
      from messages where role <> 'assistant' and conversation_id in ({READABLE})
      and ($known_at is null or said_at <= $known_at) group by all),
    few as (select conversation_id from said group by all having count(*) between 2 and $most)
    select one, other, min(began) as since, arg_min(message_ids, (began, conversation_id)) as message_ids from (
      select a.user_id as one, b.user_id as other, greatest(a.since, b.since) as began, conversation_id,
             [a.message_id, b.message_id] as message_ids
      from said as a join said as b using (conversation_id)
      where a.user_id < b.user_id and conversation_id in (from few))
    group by all order by one, other"""
# A walk ends after `most` steps; what was reached before in as many steps is dropped.
REACHED = """
    with recursive reached as (
      select $start as node, 0 as steps union
      select other, steps + 1 from reached join links on one = node where steps < $most)
    select node, min(steps) as steps from reached group by node"""
# Each node has its distance from the goal; every step of a path reduces it, so a path cannot contain a circle.
PATHS = f"""
    with recursive distance as ({REACHED.replace("$start", "$goal")}),
    walked as (
      select node, steps, [node] as path from distance where node = $start union all
      select distance.node, distance.steps, list_append(path, distance.node)
      from walked join links on one = walked.node
      join distance on distance.node = other and distance.steps = walked.steps - 1)
    select distinct path from walked where steps = 0 order by path limit $limit"""

Link = tuple[str, str]


class Companions(NamedTuple):
    """Two users who talk in one chat: since when, and the first message of each."""

    one: str
    other: str
    since: datetime
    message_ids: list[str]


@dataclass(frozen=True, slots=True)
class EntityReader:
    """Reads mentions and speakers."""

    sql: Sql

    def who_speaks(self, reader: str, known_at: datetime | None = None) -> list[Speaker]:
        """Everybody who speaks in the chats that `reader` may read, by name; no assistants."""
        return [Speaker(**row) for row in self.sql.rows(SPEAKERS, user_id=reader, known_at=utc(known_at))]

    def namings(self, reader: str, known_at: datetime | None = None) -> list[Naming]:
        """All names in the chats that `reader` may read."""
        return [_naming(row) for row in self.sql.rows(NAMINGS, user_id=reader, known_at=utc(known_at))]

    def spoken_of(self, names: Iterable[str], reader: str, known_at: datetime | None = None) -> list[Naming]:
        """Where these names occur in those chats, also within text without spaces."""
        rows = self.sql.rows(SPOKEN_OF, names=sorted(set(names)), user_id=reader, known_at=utc(known_at))
        return [_naming(row) for row in rows]

    def companions(self, reader: str, known_at: datetime | None = None) -> list[Companions]:
        """Who talks with whom in small chats, and since when."""
        rows = self.sql.rows(COMPANIONS, user_id=reader, known_at=utc(known_at), most=COMPANY)
        return [Companions(**row) for row in rows]

    def reached(self, links: Iterable[Link], start: str, most: int) -> dict[str, int]:
        """What can be reached from `start` in at most so many steps in either direction, with the fewest steps."""
        self._link(links)
        return {row["node"]: row["steps"] for row in self.sql.rows(REACHED, start=start, most=most)}

    def paths(self, links: Iterable[Link], start: str, goal: str, most: int, limit: int) -> list[list[str]]:
        """The shortest paths between two entities, in order, of at most `most` steps."""
        self._link(links)
        rows = self.sql.rows(PATHS, start=start, goal=goal, most=most, limit=limit)
        return [row["path"] for row in rows]

    def _link(self, links: Iterable[Link]) -> None:
        both: Sequence[Link] = sorted({pair for one, other in links for pair in ((one, other), (other, one))})
        columns = {
            name: np.array([pair[place] for pair in both], dtype=object) for place, name in enumerate(("one", "other"))
        }
        self.sql.connection.register("links", columns)


def _naming(row: dict[str, Any]) -> Naming:
    said = sorted((mention["at"].replace(tzinfo=UTC), mention["id"]) for mention in row["said"])
    return Naming(name=row["name"], type=EntityType(row["type"]) if row["type"] else None, said=tuple(said))
