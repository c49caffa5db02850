"""Turns grounded text into stored memories: owners, parents, ids and times.

The MemCell is the parent of facts and foresights. Under v1.0 an episode is: each speaker's own episode has the
speaker's facts, and the episode for everybody has the best supported ones of all. So a group of three with 8 facts each
has 10 + 3 × 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.formation.episodes import Narrative, View
from evermem_cli.formation.facts import Claim
from evermem_cli.formation.foresights import Expectation, condition_end, expected_period, most_definite
from evermem_cli.languages.english import WORD, tells_past
from evermem_cli.languages.language import language
from evermem_cli.memory import (
    ChatKind,
    Episode,
    Fact,
    Foresight,
    MemCell,
    Policy,
    Role,
    Time,
    content_id,
    forgotten_mark,
)
from evermem_cli.timespan import Interval

_Times = tuple[Time | None, Time | None]
_GROUP_FACTS = 10  # facts of the episode for everybody under v1.0


@dataclass(frozen=True, slots=True)
class Rows:
    """The memories that one MemCell adds."""

    episodes: tuple[Episode, ...]
    facts: tuple[Fact, ...]
    foresights: tuple[Foresight, ...]


@dataclass(frozen=True, slots=True)
class _Owner:
    """The parent of facts and foresights. `speaker` None takes those of everybody."""

    speaker: str | None
    parent_type: str
    parent_id: str


def make_rows(
    cell: MemCell,
    views: Sequence[View],
    narratives: Sequence[Narrative],
    claims: Sequence[Claim],
    expected: Sequence[Expectation],
    condition_days: Mapping[str, float],
) -> Rows:
    """The memories of a MemCell; `narratives` are those of `views`, everybody's first."""
    episodes = tuple(_episode(view, narrative) for view, narrative in zip(views, narratives, strict=True))
    owners = [_Owner(None, "memcell", cell.event_id)]
    if cell.policy is Policy.V1_0:
        owners = [_Owner(view.speaker, "episode", episode.id) for view, episode in zip(views, episodes, strict=True)]
    return Rows(
        episodes=episodes,
        facts=tuple(
            _fact(cell, owner, claim, _times(claim, expected, condition_days))
            for owner in owners
            for claim in _claims_of(cell, owner, claims)
        ),
        foresights=tuple(
            _foresight(owner, expectation) for owner in owners for expectation in _expectations_of(owner, expected)
        ),
    )


def without_forgotten(made: Rows, cell: MemCell) -> Rows:
    """The memories of a MemCell that the user did not forget by their ids.

    What was forgotten in words that evermem does not use any more cannot be told from the others of its message: no
    fact or foresight is formed of it then.
    """
    fresh = {
        *(forgotten_mark("episode", cell.messages[-1].id, item.episode) for item in made.episodes),
        *(forgotten_mark("fact", item.message_ids[-1], item.atomic_fact) for item in made.facts),
        *(forgotten_mark("foresight", item.message_ids[-1], item.foresight) for item in made.foresights),
    }
    recognised = {message for mark in fresh & cell.forgotten.keys() for message in cell.forgotten[mark]}
    alone = {messages[0] for messages in cell.forgotten.values() if len(messages) == 1}

    def kept(kind: str, message_id: str, text: str) -> bool:
        is_known = message_id in recognised or message_id not in alone or kind == "episode"
        return is_known and forgotten_mark(kind, message_id, text) not in cell.forgotten

    return Rows(
        episodes=tuple(item for item in made.episodes if kept("episode", cell.messages[-1].id, item.episode)),
        facts=tuple(item for item in made.facts if kept("fact", item.message_ids[-1], item.atomic_fact)),
        foresights=tuple(item for item in made.foresights if kept("foresight", item.message_ids[-1], item.foresight)),
    )


def _episode(view: View, narrative: Narrative) -> Episode:
    """The episode of a chat with an assistant is one row that belongs to the user."""
    cell = view.cell
    people = [message for message in cell.messages if message.role is not Role.ASSISTANT]
    if cell.kind is ChatKind.GROUP:
        people = [message for message in people if message.speaker == view.speaker]
    return Episode(
        id=content_id("episode", cell.event_id, view.speaker or "", narrative.episode),
        user_id=people[0].user_id if people else None,
        subject=narrative.subject,
        summary=narrative.summary,
        episode=narrative.episode,
        memcell_event_id_list=(cell.event_id,),
        said_at=cell.end_at,
    )


def _claims_of(cell: MemCell, owner: _Owner, claims: Sequence[Claim]) -> list[Claim]:
    own = [claim for claim in claims if owner.speaker in {None, claim.statement.message.speaker}]
    is_for_everybody = owner.parent_type == "episode" and owner.speaker is None and cell.kind is not ChatKind.ASSISTANT
    if not is_for_everybody:
        return own
    best = sorted(own, key=lambda claim: -claim.confidence)[:_GROUP_FACTS]
    return [claim for claim in own if claim in best]


def _fact(cell: MemCell, owner: _Owner, claim: Claim, times: _Times) -> Fact:
    message = claim.statement.message
    valid_at, invalid_at = times
    return Fact(
        id=content_id("fact", owner.parent_id, message.id, claim.text),
        atomic_fact=claim.text,
        speaker=message.speaker,
        user_id=message.user_id,
        group_id=cell.group_id,
        parent_type=owner.parent_type,
        parent_id=owner.parent_id,
        said_at=message.said_at,
        valid_at=valid_at,
        invalid_at=invalid_at,
        confidence=claim.confidence,
        message_ids=claim.statement.message_ids,
    )


def _times(claim: Claim, expected: Sequence[Expectation], condition_days: Mapping[str, float]) -> _Times:
    """When the fact became true and when it ended; None where it does not say.

    A dated event ("went there last Friday") is true from its date on. A condition with an end ("for ten days", "until
    the 11th", "has a cold") ends then. A state without a date is true when it was said; the time of an event without a
    date is unknown. Something `expected` is on the day that is expected.
    """
    at = claim.statement.message.local_time
    is_ahead = any((claim.text, claim.statement) == (other.text, other.statement) for other in expected)
    interval = (expected_period if is_ahead else timespan.validity)(claim.sentence, at)
    if interval is None:
        end = condition_end(claim.sentence, at, condition_days)
        return (at if end or is_state(claim.sentence) else None), end
    return stated_times(claim.sentence, interval, at, ahead=is_ahead)


def stated_times(sentence: str, interval: Interval, at: datetime, *, ahead: bool = False) -> _Times:
    """When what a sentence says became true and ended, by its period as said at `at`. A dated event has no end.

    `ahead`: it tells of what is to come.
    """
    spans = [*timespan.find(sentence, at), *(timespan.find(sentence, at, ahead=True) if ahead else ())]
    dated = any(span.interval == interval for span in spans)
    is_event = dated and interval.start is not None and interval.end is not None
    return interval.stated_start, None if is_event else interval.stated_end


def _expectations_of(owner: _Owner, expected: Sequence[Expectation]) -> list[Expectation]:
    return most_definite([e for e in expected if owner.speaker in {None, e.statement.message.speaker}])


def _foresight(owner: _Owner, expectation: Expectation) -> Foresight:
    window, message = expectation.window, expectation.statement.message
    return Foresight(
        id=content_id("foresight", owner.parent_id, message.id, expectation.text),
        foresight=expectation.text,
        evidence=expectation.evidence,
        user_id=message.user_id,
        start_time=window.start,
        end_time=window.end,
        duration_days=window.duration_days,
        duration_type=window.duration_type,
        confidence=expectation.confidence,
        parent_type=owner.parent_type,
        parent_id=owner.parent_id,
        said_at=message.said_at,
        message_ids=expectation.statement.message_ids,
        predicted=expectation.predicted,
    )


def is_state(sentence: str) -> bool:
    """Whether a sentence, as its speaker said it, describes a state and not an event: no word of it is in the past."""
    if language(sentence) == "zh":
        return not re.search(r"了|过", sentence)
    return not tells_past(WORD.findall(sentence.lower()))
