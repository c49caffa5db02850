"""Profiles, conflicts, scenes and timelines, as JSON documents and screens."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table

from evermem_cli.cli.presentation.documents import CONFIDENCE_DIGITS, Document, cited, external, pick, plain
from evermem_cli.cli.shared.formatting import DIM, counted, day, day_of_month, heading, month, value_shown
from evermem_cli.cli.shared.terminal import Hanging, OneLine, joined, label, styled
from evermem_cli.consolidation.attributes import beginning, is_outgrown
from evermem_cli.languages.labels import label_of
from evermem_cli.languages.language import language
from evermem_cli.memory import (
    Conflict,
    Message,
    Profile,
    ProfileFact,
    Scene,
    Time,
    TimelineEvent,
    Trait,
    grain_of,
    moment_in,
    seen_from,
)
from evermem_cli.recollection.dates import since_when
from evermem_cli.terminal.visible import one_line

if TYPE_CHECKING:
    from evermem_cli.cli.lookups.memories import Listing

NO_SCENES = "no scenes yet; `ingest` and `evermem enrich` form them"
_NAMELESS = "default"  # the id of a user who has neither said a name nor a user id
LONGEST_LINE = 80  # characters of a value on one line, so that the days of all values stand near them
FEW_TRAITS = 8  # tentative traits shown, of which there may be many


def profile_document(person: Profile, messages: Mapping[str, Message], *, history: bool) -> Document:
    """`profile --json`: each attribute's value, or with `history` all its values, oldest first."""
    facts = {
        attribute: [_profile_fact(fact, messages) for fact in values] for attribute, values in person.facts.items()
    }
    return pick(person, "user_id", "as_of") | {
        "explicit_facts": facts
        if history
        else {attribute: _joined_values(values) for attribute, values in facts.items()},
        "implicit_traits": [
            pick(trait, "trait", "confidence", "tentative", "source_scenes")
            | cited(messages[message_id] for message_id in trait.message_ids)
            for trait in person.traits
        ],
        "last_updated": plain(person.last_updated),
    }


def _profile_fact(fact: ProfileFact, messages: Mapping[str, Message]) -> Document:
    document = pick(fact, "value", "valid_at", "invalid_at", "said_at", "source_scenes")
    document |= {"confidence": round(fact.confidence, CONFIDENCE_DIGITS)}
    return document | cited(messages[message_id] for message_id in fact.message_ids)


def _joined_values(values: Sequence[Document]) -> Document:
    """Several values that hold together as one: all of them, since the latest began, with the lowest confidence.

    `values` are the several, each with its own dates and messages.
    """
    joined_values = values[0] | {
        "value": ", ".join(value["value"] for value in values),
        "confidence": min(value["confidence"] for value in values),
        "valid_at": max((value["valid_at"] for value in values if value["valid_at"]), default=None),
        **{name: _each_once(values, name) for name in ("source_scenes", "messages", "message_ids")},
    }
    return joined_values | ({"values": list(values)} if len(values) > 1 else {})


def _each_once(values: Sequence[Document], name: str) -> list[str]:
    return list(dict.fromkeys(entry for value in values for entry in value[name]))


def conflicts_document(items: Sequence[Conflict], messages: Mapping[str, Message]) -> Document:
    """`conflicts --json`."""
    names = ("id", "scope", "user_id", "attribute", "old_value", "new_value", "old_timestamp", "new_timestamp")
    return {
        "conflicts": [
            pick(conflict, *names, "resolution")
            | {
                "old_messages": external(messages[m] for m in conflict.old_messages),
                "new_messages": external(messages[m] for m in conflict.new_messages),
            }
            for conflict in items
        ]
    }


def timeline_document(user_id: str, events: Sequence[TimelineEvent], messages: Mapping[str, Message]) -> Document:
    """`timeline --json`: entries by month."""
    months: dict[str, list[Document]] = {}
    for event in events:
        entry = pick(event, "at", "kind", "title", "text", "theme", "people", "id") | {"grain": grain_of(event.at)}
        entry |= cited(messages[m] for m in event.message_ids)
        months.setdefault(f"{moment_in(event.at, UTC):%Y-%m}", []).append(entry)
    return {"user_id": user_id, "months": [{"month": month, "entries": rows} for month, rows in months.items()]}


def profile(described: Profile, zone: tzinfo, elsewhere: str = "", *, history: bool) -> RenderableType:
    """Attributes with their values and since when, then habits; of somebody unknown what to try `elsewhere`."""
    if not described.is_known:
        is_nameless = described.name == _NAMELESS
        who = "`evermem me NAME` tells who you are in your chats" if is_nameless else ""
        known = f"nothing known of {'you' if is_nameless else described.name}"
        return styled("; ".join(filter(None, (known, who, elsewhere))))
    head = joined(label(described.name, "bold"), ("" if history else f", {day(described.as_of, zone)}", DIM))
    table = Table.grid(Column(), Column(max_width=LONGEST_LINE), padding=(0, 2))
    tongue = language_of([fact for values in described.facts.values() for fact in values])
    for attribute, values in described.facts.items():
        for place, fact in enumerate(values):
            name = "" if place else label_of(attribute, tongue)
            table.add_row(styled(name, style="bold"), label(fact.value), styled(held(fact, zone, tongue), style=DIM))
    habits = [trait for trait in described.traits if not trait.tentative]
    remarks = [trait for trait in described.traits if trait.tentative][:FEW_TRAITS]
    return Group(head, table, *_traits("habits and likings", habits), *_traits("perhaps (said once or twice)", remarks))


def language_of(facts: Sequence[ProfileFact]) -> str:
    """The language of all labels and dates of a profile: that of the values that hold, of all where none does."""
    holding = [fact for fact in facts if fact.invalid_at is None]
    return language(" ".join(fact.value for fact in holding or facts))


def held(fact: ProfileFact, zone: tzinfo, tongue: str) -> str:
    """The period in which a value holds or held, in the language of its label: "since Feb 2026"; "" if unknown.

    Of an age it is the day of which it was told.
    """
    start, end = fact.valid_at if fact.invalid_at else beginning(fact), fact.invalid_at
    if is_outgrown(fact) and start:
        begun = _date(start, zone, tongue)
        return f"{begun}时" if tongue == "zh" else f"as of {begun}"
    begun, ended = ("…" if time is None else _date(time, zone, tongue) for time in (start, end))
    if end:
        return f"{begun}到{ended}" if tongue == "zh" else f"{begun} to {ended}"
    if start is None:
        return ""
    return f"{begun}起" if tongue == "zh" else f"since {begun}"


def _date(time: Time, zone: tzinfo, tongue: str) -> str:
    return since_when(seen_from(time, zone), tongue) if tongue == "zh" else day(time, zone)


def conflicts(items: Sequence[Conflict], messages: Mapping[str, Message], zone: tzinfo) -> RenderableType:
    """What changed, when, and which messages say so."""
    if not items:
        return styled("no conflicts")
    return Group(*(_conflict(conflict, messages, zone) for conflict in items))


def scenes(listed: "Listing", zone: tzinfo) -> RenderableType:
    """One line of properties each, and what the scene is about."""
    if not listed.items:
        return styled(NO_SCENES)
    return Group(*(_scene(scene, zone) for scene in listed.items if isinstance(scene, Scene)))


def timeline(events: Sequence[TimelineEvent], zone: tzinfo, nothing: str) -> RenderableType:
    """Entries under their months, or years where no month is known; without entries the words `nothing`."""
    if not events:
        return styled(nothing)
    months: dict[str, Table] = {}
    for event in events:
        table = months.setdefault(month(event.at, zone), Table.grid(padding=(0, 2)))
        table.add_row(styled(f"{day_of_month(event.at, zone):>5}", style=DIM), _event_screen(event))
    return Group(*(part for name, table in months.items() for part in (styled(name, style="bold"), table)))


def no_events(*, theme: bool, scenes: bool, within: bool) -> str:
    """Why a timeline is empty: asked for a `theme` or `within` a time, in a memory with `scenes` or without."""
    if theme and not scenes:
        return NO_SCENES
    return "nothing of this theme" * theme + "nothing to show" * (not theme) + " in this time" * within


def _traits(title: str, traits: Sequence[Trait]) -> list[RenderableType]:
    if not traits:
        return []
    return [
        styled(title, style="bold"),
        *(Padding(Hanging(styled(trait.trait)), (0, 0, 0, 2), expand=False) for trait in traits),
    ]


def _conflict(conflict: Conflict, messages: Mapping[str, Message], zone: tzinfo) -> RenderableType:
    head = joined(
        (heading(conflict.attribute), "bold"),
        f": {value_shown(conflict.old_value)} → {value_shown(conflict.new_value)}",
        (f"  (since {day(conflict.new_timestamp, zone)})", DIM),
    )
    said = [messages[m] for m in (conflict.old_messages[0], conflict.new_messages[0])]
    lines = (
        f"{day(message.said_at, zone)}, {one_line(message.speaker)}: {' '.join(message.text.split())}"
        for message in said
    )
    return Group(head, *(Padding(styled(line, style=DIM), (0, 0, 0, 2), expand=False) for line in lines))


def _scene(scene: Scene, zone: tzinfo) -> RenderableType:
    begun, ended = day(scene.first_timestamp, zone), day(scene.latest_timestamp, zone)
    topics = counted(len(scene.memcell_ids), "topics")
    head = joined((scene.theme, "bold"), (f"  {begun if begun == ended else f'{begun} to {ended}'}, {topics}", DIM))
    name = scene.scene_id + (f", continues {scene.previous_scene_id}" if scene.previous_scene_id else "")
    below = (styled(scene.summary), styled(name, DIM))
    return Group(head, *(Padding(text, (0, 0, 0, 4), expand=False) for text in below))


def _event_screen(event: TimelineEvent) -> RenderableType:
    if event.kind == "change":
        return joined((one_line(event.people[0]), "bold"), ", ", label(event.title))
    return OneLine(label(event.title), label(f"  ({event.theme})", DIM))
