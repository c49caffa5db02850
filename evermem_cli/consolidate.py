"""The workflow of consolidation: MemCells become assertions, scenes and conflicts.

No language model is involved. The result depends on the set of MemCells alone, not on the order in which they arrived.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain

from evermem_cli.config import Settings
from evermem_cli.consolidation.arrangements import arranged, read_arrangements
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.consolidation.corrections import as_of_corrected, corrected_assertions
from evermem_cli.consolidation.fact_support import fact_effects
from evermem_cli.consolidation.history import conflicts, fact_ends, histories, ties
from evermem_cli.consolidation.scenes import Member, SceneDraft, Vector, chains, place
from evermem_cli.consolidation.themes import theme
from evermem_cli.intake.identity import OWN_NOTES, conversation_of_key
from evermem_cli.memory import Assertion, MemCell, Scene, forgotten_mark
from evermem_cli.reading import entries
from evermem_cli.store import Store, Writer

SLICE = 200  # MemCells whose assertions are stored together
_LATEST = 3  # MemCells of a scene that make up its summary


@dataclass(frozen=True)
class Consolidation:
    """Consolidates every MemCell that is not consolidated yet into profiles and, once it is formed, into scenes."""

    store: Store
    settings: Settings

    def run(self) -> int:
        """Consolidates all waiting MemCells in slices; returns how many. Raises StoreError, StoreBusy, ModelError."""
        self._heed_judge()
        with self.store.read() as reader:
            waiting, interrupted = reader.topics.unconsolidated_ids(), reader.consolidation.is_unsettled()
            formed = reader.topics.has_formed()
        if not waiting and not interrupted:
            return 0
        people: set[tuple[str, str]] = set()
        for start in range(0, len(waiting), SLICE):
            with self.store.write() as writer:
                writer.consolidation.note_unsettled(True)
                people |= self._assert(writer, waiting[start : start + SLICE])
        with self.store.write() as writer:
            people |= set(writer.reader.consolidation.people()) if interrupted else set()
            owners = {owner for owner, _ in people}
            moved = {owner for owner in sorted(owners) if formed and self._place(writer, owner)}
            self._update_conflicts(
                writer,
                people | {(owner, person) for owner, person in writer.reader.consolidation.people() if owner in moved},
            )
            writer.consolidation.note_unsettled(False)
        return len(waiting)

    def _heed_judge(self) -> None:
        """Has all assertions derived anew where other weights judged which of them profiles show."""
        with self.store.read() as reader:
            known = reader.consolidation.judge()
        if known != (judge := entries.judge()):
            with self.store.write() as writer:
                writer.consolidation.judge_anew(judge)

    def _assert(self, writer: Writer, event_ids: Sequence[str]) -> set[tuple[str, str]]:
        """Derives the assertions of some MemCells; returns the people concerned, each with the owner of the memory."""
        cells = writer.reader.topics.memcells(event_ids)  # leaves out those that have grown meanwhile
        owners = writer.reader.topics.owners(cell.event_id for cell in cells)
        self._read_assertions(writer, cells, owners)
        return {(owners[cell.event_id], message.user_id) for cell in cells for message in cell.messages}

    def refresh(self) -> None:
        """Derives scenes, conflicts and the ends of facts anew after something that they depend on was forgotten."""
        with self.store.write() as writer:
            for owner in writer.reader.names.owners():
                self._place(writer, owner)
            self._update_conflicts(writer, writer.reader.consolidation.people())
            writer.consolidation.note_unsettled(False)

    def update_conflicts(self, writer: Writer) -> None:
        """Derives conflicts and the ends of facts anew, in the transaction in which names were merged or split."""
        self._update_conflicts(writer, writer.reader.consolidation.people())

    def again(self) -> int:
        """Consolidates everything from the stored MemCells anew, with the same result."""
        with self.store.write() as writer:
            writer.consolidation.unconsolidate()
        return self.run()

    def _read_assertions(self, writer: Writer, cells: Sequence[MemCell], owners: Mapping[str, str]) -> None:
        facts = writer.reader.topics.facts([cell.event_id for cell in cells])
        days, corrections = self.settings.condition_days, writer.reader.corrections.of()
        read = writer.reader.statements.of(message.id for cell in cells for message in cell.messages)
        statements = as_of_corrected(cells, read, corrections)
        drawn = {
            cell.event_id: [
                *_as_noted(cell, owners[cell.event_id], read_assertions(cell, statements, facts, days)),
                *read_arrangements(cell, facts),
            ]
            for cell in cells
        }
        writer.consolidation.put_assertions(
            {
                cell.event_id: [
                    assertion
                    for assertion in corrected_assertions(cell, drawn[cell.event_id], corrections)
                    if forgotten_mark(assertion.id) not in cell.forgotten
                ]
                for cell in cells
            }
        )

    def _update_conflicts(self, writer: Writer, people: Collection[tuple[str, str]]) -> None:
        """Updates confirmations, contradictions and the ends of facts, per person and owner."""
        threads = {owner: chains(writer.reader.consolidation.scenes(owner)) for owner in {owner for owner, _ in people}}
        for owner, person in writer.reader.names.persons(people):
            known = writer.reader.consolidation.assertions(person, owner=owner)
            held, arrangements = histories(known), list(arranged(known, threads[owner]))
            conflicts_found = [
                *(conflict for attribute, values in held.items() for conflict in conflicts(person, attribute, values)),
                *(
                    replace(conflict, scope="scene")
                    for attribute, values in arrangements
                    for conflict in conflicts(person, attribute, values)
                ),
            ]
            every = [*held.values(), *(values for _, values in arrangements)]
            ends, effects = fact_ends(every), fact_effects([*every, *ties(known).values()])
            writer.consolidation.put_conflicts(owner, person, conflicts_found)
            writer.consolidation.put_effects(owner, person, effects)
            writer.consolidation.end_facts({fact for assertion in known for fact in assertion.fact_ids}, ends)

    def _place(self, writer: Writer, owner: str) -> bool:
        """Places MemCells into scenes.

        If a MemCell is older than the latest placed one, or a placed one is gone, places all anew and returns True.
        """
        scenes = writer.reader.consolidation.scenes(owner)
        cells = self._unplaced(writer, owner)
        latest = max((scene.latest_timestamp for scene in scenes), default=None)
        starts_over = latest is not None and (
            any(c.end_at <= latest for c in cells) or writer.reader.consolidation.has_lost_members(owner)
        )
        if starts_over:
            writer.consolidation.clear_scenes(owner)
            scenes, cells = [], self._unplaced(writer, owner)
        vectors = writer.reader.topics.vectors(cell.event_id for cell in cells)
        centroids = writer.reader.consolidation.centroids(scene.scene_id for scene in scenes)
        members = [
            Member(event_id=cell.event_id, start_at=cell.start_at, end_at=cell.end_at, vector=vectors[cell.event_id])
            for cell in cells
        ]
        drafts = [_draft(scene, centroids[scene.scene_id]) for scene in scenes]
        gap = timedelta(days=self.settings.max_gap_days)
        placed = place(members, drafts, writer.reader.meta.scale.own(self.settings.scene_threshold), gap)
        new = {member.event_id for member in members}
        self._store(writer, owner, [draft for draft in placed if not new.isdisjoint(draft.memcell_ids)])
        return starts_over

    def _unplaced(self, writer: Writer, owner: str) -> list[MemCell]:
        """The MemCells that can belong to a scene: those that have been formed."""
        unplaced = writer.reader.consolidation.unplaced_ids(owner)
        formed = writer.reader.topics.vectors(unplaced)
        return writer.reader.topics.memcells([event_id for event_id in unplaced if event_id in formed])

    def _store(self, writer: Writer, owner: str, drafts: Sequence[SceneDraft]) -> None:
        if not drafts:
            return
        centroids = {draft.scene_id: draft.centroid for draft in drafts}
        latest = {draft.scene_id: draft.memcell_ids[-_LATEST:] for draft in drafts}
        cells = {cell.event_id: cell for cell in writer.reader.topics.memcells(chain.from_iterable(latest.values()))}
        members = {scene: [cells[event_id] for event_id in ids] for scene, ids in latest.items()}
        scenes = [_scene(draft, owner, writer.reader.meta.embedder, members[draft.scene_id]) for draft in drafts]
        writer.consolidation.put_scenes(scenes, centroids)


def _as_noted(cell: MemCell, owner: str, read: Iterable[Assertion]) -> Iterator[Assertion]:
    """The assertions read from a MemCell. What the owner told evermem directly is sure."""
    is_note = cell.conversation_id == conversation_of_key(OWN_NOTES, owner)
    return (replace(assertion, sure=True) if is_note else assertion for assertion in read)


def _draft(scene: Scene, centroid: Vector) -> SceneDraft:
    return SceneDraft(
        scene_id=scene.scene_id,
        total=centroid * len(scene.memcell_ids),
        first_timestamp=scene.first_timestamp,
        latest_timestamp=scene.latest_timestamp,
        previous_scene_id=scene.previous_scene_id,
        memcell_ids=list(scene.memcell_ids),
    )


def _scene(draft: SceneDraft, owner: str, embedder: str, latest: Iterable[MemCell]) -> Scene:
    summary = " ".join(filter(None, dict.fromkeys(cell.summary for cell in latest)))
    return Scene(
        scene_id=draft.scene_id,
        user_id=owner,
        theme=theme(summary, draft.centroid, embedder),
        summary=summary,
        memcell_ids=tuple(draft.memcell_ids),
        first_timestamp=draft.first_timestamp,
        latest_timestamp=draft.latest_timestamp,
        previous_scene_id=draft.previous_scene_id,
    )
