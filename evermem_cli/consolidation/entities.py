"""Entity resolution: which entity each name refers to, and which names refer to the same entity.

A pure function of the set of names, so the order in which chats were read does not matter.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evermem_cli.memory import UNNAMED, Entity, EntityType, Naming, Speaker, content_id
from evermem_cli.naming import key

Key = tuple[str, ...]

TOLD_WEIGHT = 3  # an explicit statement about a name counts as much as this many contextual clues
# A short name stands for the only longer name of these types that begins with it: "Tidewater" for "Tidewater Health".
SHORTENED = (EntityType.PERSON, EntityType.ORGANIZATION)


@dataclass(slots=True)
class _Draft:
    """What is known about one name key."""

    speakers: list[Speaker] = field(default_factory=list)
    namings: list[Naming] = field(default_factory=list)
    votes: Counter[EntityType] = field(default_factory=Counter)

    def add(self, naming: Naming, weight: int) -> None:
        """Takes a name into account."""
        self.namings.append(naming)
        if naming.type:
            self.votes[naming.type] += weight

    @property
    def type(self) -> EntityType | None:
        """The type that most clues indicate. Somebody who speaks is a person."""
        if self.speakers:
            return EntityType.PERSON
        order = list(EntityType)
        return min(self.votes, key=lambda kind: (-self.votes[kind], order.index(kind)), default=None)


@dataclass(frozen=True, slots=True)
class EntityIndex:
    """All entities, most mentioned first, and the entity of each name or user."""

    entities: tuple[Entity, ...]
    by_key: Mapping[Key, Entity]
    by_user: Mapping[str, Entity]

    def find(self, name: str) -> Entity | None:
        """The entity with this name."""
        return self.by_key.get(key(name))


def resolve_names(
    speakers: Iterable[Speaker],
    namings: Iterable[Naming],
    stated: Iterable[Naming],
    merged: Mapping[str, str] | None = None,
) -> EntityIndex:
    """Resolves all names into entities; `stated` are names in what people stated about themselves.

    `merged` gives the person that the user declared a name to stand for, as user ids or as names of people who do not
    speak. A name whose type no clue shows is left out: a wrong entity is worse than a missing one.
    """
    drafts: defaultdict[Key, _Draft] = defaultdict(_Draft)
    primary: dict[str, Key] = {}
    other: dict[Key, Key] = {}
    for speaker in sorted(speakers, key=lambda speaker: (speaker.name == UNNAMED, -speaker.messages, speaker.name)):
        its = key(speaker.name)
        drafts[its].speakers.append(speaker)
        if primary.setdefault(speaker.user_id, its) != its:
            other[its] = primary[speaker.user_id]
    for naming in namings:
        drafts[key(naming.name)].add(naming, len(naming.said))
    for naming in stated:
        drafts[key(naming.name)].add(naming, TOLD_WEIGHT)
    ids = {user_id.casefold(): its for user_id, its in primary.items()}
    same = {ids.get(one.casefold(), key(one)): ids.get(who.casefold(), key(who)) for one, who in (merged or {}).items()}
    return _index(drafts, _followed(_shortened(drafts) | other | same, drafts), primary)


def _followed(links: Mapping[Key, Key], drafts: Mapping[Key, _Draft]) -> dict[Key, Key]:
    """Follows each link to its end: a short name leads to the longer one, that one to the person it was merged into."""
    ends = {}
    for short in links:
        whole = short
        while (further := links.get(whole)) is not None and further in drafts and further != short:
            whole = further
        ends[short] = whole
    return ends


def _index(drafts: Mapping[Key, _Draft], links: Mapping[Key, Key], primary: Mapping[str, Key]) -> EntityIndex:
    groups: defaultdict[Key, list[Key]] = defaultdict(list)
    for draft in drafts:
        groups[links.get(draft, draft)].append(draft)
    made = {
        whole: _entity(whole, kind, [drafts[member] for member in members])
        for whole, members in groups.items()
        if (kind := drafts[whole].type) is not None
    }
    return EntityIndex(
        entities=tuple(sorted(made.values(), key=lambda entity: (-entity.mention_count - entity.said, entity.name))),
        by_key={member: made[whole] for whole, members in groups.items() if whole in made for member in members},
        by_user={user_id: made[links.get(its, its)] for user_id, its in primary.items()},
    )


def _shortened(drafts: Mapping[Key, _Draft]) -> dict[Key, Key]:
    """The longer name that a short one stands for."""
    longer: defaultdict[str, list[Key]] = defaultdict(list)
    for short, draft in drafts.items():
        if len(short) > 1 and draft.type in SHORTENED:
            longer[short[0]].append(short)
    longer_names = {}
    for short, draft in drafts.items():
        fits = [
            whole
            for whole in longer.get(short[0], ())
            if short and len(whole) > len(short) and whole[: len(short)] == short and _stands_for(draft, drafts[whole])
        ]
        longest = max(fits, key=len, default=None)
        if longest and all(longest[: len(fit)] == fit for fit in fits):
            longer_names[short] = longest
    return longer_names


def _stands_for(short: _Draft, whole: _Draft) -> bool:
    """Whether a short name may stand for a longer one: a friend Tom is not Tom Hanks."""
    if short.speakers or short.type not in (None, whole.type):
        return False
    return whole.type is not EntityType.PERSON or bool(whole.speakers) or short.type is None


def _entity(whole: Key, kind: EntityType, drafts: Sequence[_Draft]) -> Entity:
    speakers = sorted(
        (speaker for draft in drafts for speaker in draft.speakers),
        key=lambda speaker: (-speaker.messages, speaker.name),
    )
    namings = sorted(
        (naming for draft in drafts for naming in draft.namings), key=lambda naming: (naming.first_at, naming.name)
    )
    speakers.sort(key=lambda speaker: key(speaker.name) != whole)
    names = [speaker.name for speaker in speakers]
    names += sorted(
        {naming.name for naming in namings if key(naming.name) == whole}, key=lambda name: (-len(name), name)
    )
    names += sorted({naming.name for naming in namings})
    distinct = list({name.casefold(): name for name in reversed(names)}.values())[::-1]
    sources: list[Speaker | Naming] = [*speakers, *namings]
    return Entity(
        id=content_id("entity", *whole),
        name=names[0],
        type=kind,
        aliases=tuple(name for name in distinct if name.casefold() != names[0].casefold()),
        message_ids=tuple(
            message_id for _, message_id in sorted({mention for naming in namings for mention in naming.said})
        ),
        first_seen=min(source.first_at for source in sources),
        last_mentioned=max(source.last_at for source in sources),
        user_id=next((speaker.user_id for speaker in speakers if key(speaker.name) == whole), None),
        said=sum(speaker.messages for speaker in speakers),
    )
