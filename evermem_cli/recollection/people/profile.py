"""Profiles and timelines of people, from the results of consolidation."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce

from evermem_cli.consolidation.attributes import SEVERAL, TIMELESS
from evermem_cli.consolidation.history import is_other_value
from evermem_cli.consolidation.traits import CUE, find_traits
from evermem_cli.errors import UsageError
from evermem_cli.languages.labels import label_of
from evermem_cli.languages.language import HAN, language
from evermem_cli.memory import MemCell, Profile, ProfileFact, Stance, Time, TimelineEvent, moment_in, name_given
from evermem_cli.reading.domain import GENERAL
from evermem_cli.recollection.people.histories import histories_of
from evermem_cli.store import Searcher, Store

_DENIES = re.compile("no |not |不|没", re.IGNORECASE)


def describe_person(
    store: Store, reader_id: str, person: str, as_of: datetime, known_at: datetime | None, *, history: bool
) -> Profile:
    """A person as of a day, as known by `known_at`; with `history` all earlier values.

    `reader_id` is the user who asks: only chats that they own or took part in count. What begins after `as_of` is a
    plan and not included. Raises StoreError, StoreBusy.
    """
    with store.read() as reader:
        assertions = reader.consolidation.assertions(person, reader=reader_id, known_at=known_at)
        habits = reader.consolidation.habits(person, CUE, as_of, known_at or as_of, reader=reader_id)
        name = next(iter(reader.names.of_user(person)), person)
    known = histories_of(store, reader_id, person, known_at)
    facts = {
        attribute: tuple(fact for fact in values if history or fact.holds_at(as_of))
        for attribute, values in sorted(known.items())
    }
    return Profile(
        user_id=person,
        name=name,
        as_of=as_of,
        facts={attribute: values for attribute, values in facts.items() if values},
        traits=tuple(find_traits(*habits)),
        last_updated=max((assertion.said_at for assertion in assertions), default=None),
    )


def find_person(store: Store, user_id: str, name: str, *, assistants: bool = False) -> str:
    """The user id of somebody who speaks in a user's chats, by a whole name or else by its first word.

    Raises UsageError when nobody, or more than one person, has that name.
    """
    name = name_given(name)
    with store.read() as reader:
        known = reader.names.speaker_ids(user_id, assistants=assistants) | reader.names.merged(user_id)
    called = name.casefold()
    for speaker, person_id in known.items():
        if called in (speaker.casefold(), person_id.casefold()):
            return person_id
    first = {speaker: person_id for speaker, person_id in known.items() if called == speaker.split(" ")[0].casefold()}
    if len({person_id.casefold() for person_id in first.values()}) > 1:
        raise UsageError(f"{name} may be any of several people", f"give the whole name: {', '.join(first)}")
    if first:
        return next(iter(first.values()))
    raise UsageError(f"nobody called {name} speaks in these chats", f"known names: {', '.join(known) or 'none'}")


def timeline(store: Store, user_id: str, person: str | None, theme: str | None) -> list[TimelineEvent]:
    """What happened and changed in a user's chats, in order of time; limited to a `theme` if given.

    With a `person`, a user id, only what is about them, and not all that was said in their presence. Raises StoreError,
    StoreBusy.
    """
    with store.read() as reader:
        cells = {cell.event_id: cell for cell in reader.topics.memcells(reader.topics.memcell_ids(user_id))}
        themes = reader.consolidation.themes(user_id)
        called = _called(reader.names.speaker_ids(user_id))
        events = [*_episodes(reader, user_id, cells, themes), *_changes(store, reader, user_id, cells, themes)]
    return sorted(
        (
            event
            for event in events
            if (theme is None or event.theme == theme) and (person is None or person in _concerned(event, called))
        ),
        key=lambda event: (moment_in(event.at, UTC), event.kind, event.id),
    )


def _called(ids: Mapping[str, str]) -> dict[str, str]:
    """User ids by the names of speakers, and by the first words of names if only one person has them."""
    firsts: defaultdict[str, set[str]] = defaultdict(set)
    for name, person in ids.items():
        firsts[name.split(" ")[0]].add(person)
    return {first: next(iter(people)) for first, people in firsts.items() if len(people) == 1} | dict(ids)


def _concerned(event: TimelineEvent, called: Mapping[str, str]) -> set[str]:
    """The user ids of those whom an event is about.

    An episode is about whoever its title names, else about whoever its text names first other than as the speaker of a
    quote, else about those whose words it quotes, else about its speakers.
    """
    speakers = {called.get(name, name) for name in event.people if event.kind == "change" or name in called}
    if event.kind == "change":
        return speakers
    if named := set(_named(event.title, called).values()):
        return named
    labels = {f"{name}{colon}": person for name, person in called.items() for colon in ":："}
    unquoted = reduce(lambda text, label: text.replace(label, " "), labels, event.text)
    if places := _named(unquoted, called):
        return {places[min(places)]}
    return {person for label, person in labels.items() if label in event.text} or speakers


def _named(text: str, called: Mapping[str, str]) -> dict[int, str]:
    """The user ids of the people whom a text names, by the place of the name."""
    return {place: person for name, person in called.items() if (place := _place(name, text)) is not None}


def _place(name: str, text: str) -> int | None:
    """Where a text first has a name, as a whole word if its script has spaces."""
    place = text.find(name)
    while place >= 0 and not HAN.search(name):
        end = place + len(name)
        around = text[max(0, place - 1) : place] + text[end : end + 1]
        if not any(letter.isalnum() and not HAN.match(letter) for letter in around):
            return place
        place = text.find(name, end)
    return place if place >= 0 else None


def _episodes(
    reader: Searcher, user_id: str, cells: dict[str, MemCell], themes: dict[str, str]
) -> Iterator[TimelineEvent]:
    """The episode of each MemCell: the one for everybody, or the user's own."""
    seen: set[str] = set()
    for episode in sorted(reader.topics.episodes_for(user_id), key=lambda episode: episode.user_id is not None):
        cell = cells[episode.memcell_event_id_list[0]]
        if cell.event_id not in seen:
            seen.add(cell.event_id)
            yield TimelineEvent(
                at=cell.start_at,
                kind="event",
                title=episode.subject,
                text=episode.summary or episode.subject,
                theme=themes.get(cell.event_id, GENERAL),
                people=cell.participants,
                id=cell.event_id,
                message_ids=tuple(message.id for message in cell.messages),
            )


def _changes(
    store: Store, reader: Searcher, user_id: str, cells: dict[str, MemCell], themes: dict[str, str]
) -> Iterator[TimelineEvent]:
    """What became true and what ended, for everybody who speaks in the user's chats."""
    cells_by_message = {message.id: cell for cell in cells.values() for message in cell.messages}
    for person, name in reader.names.display_names(user_id).items():
        known = histories_of(store, user_id, person, None)
        tongue = language(" ".join(fact.value for values in known.values() for fact in values))
        for attribute, values in known.items():
            label = label_of(attribute, tongue)
            for place, fact in enumerate(values):
                theme = themes.get(cells_by_message[fact.message_ids[0]].event_id, GENERAL)
                before = values[place - 1] if place and attribute not in SEVERAL else None
                yield from _change(name, label, fact, before, theme)


def _change(
    name: str, label: str, fact: ProfileFact, before: ProfileFact | None, theme: str
) -> Iterator[TimelineEvent]:
    is_next = before is not None and before.invalid_at == fact.valid_at and _is_end_told(before)
    values = (before, fact) if before is not None and is_next and is_other_value(before, fact) else None
    text = f"{values[0].value} → {fact.value}" if values else fact.value
    begun = fact.valid_at or fact.said_at
    has_begun = fact.invalid_at is None or begun < fact.invalid_at  # unknown where only the end was mentioned
    if has_begun and (values or fact.attribute not in TIMELESS):
        yield replace(_entry(name, fact, begun, f"{label}: {text}", theme), values=values)
    superseded = any(by.value for by in fact.ended_by if by.stance is Stance.HOLDS)
    if fact.invalid_at is not None and not superseded and _is_end_told(fact):
        over = f"{fact.value} is over" if _DENIES.match(fact.value) else f"no longer {fact.value}"
        yield _entry(name, fact, fact.invalid_at, f"{label}: {over}", theme)


def _is_end_told(fact: ProfileFact) -> bool:
    """Whether the day of an end was told. Of what was over before all that is known it is not."""
    first = fact.assertions[0]
    return first.stance is not Stance.ENDED or first.valid_at == fact.invalid_at


def _entry(name: str, fact: ProfileFact, at: Time, text: str, theme: str) -> TimelineEvent:
    return TimelineEvent(
        at=at,
        kind="change",
        title=text,
        text=text,
        theme=theme,
        people=(name,),
        id=fact.assertions[0].id,
        message_ids=fact.message_ids,
    )
