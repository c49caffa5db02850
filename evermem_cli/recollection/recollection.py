"""From a question to its evidence: search, collect what to read, and search again in other words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from evermem_cli.consolidation.statements import attribute_of
from evermem_cli.engines import Embedder
from evermem_cli.memory import Evidence, Foresight, Message
from evermem_cli.reading.answerability import Answerability
from evermem_cli.recollection.foresights import as_changed
from evermem_cli.recollection.memory_view import MemoryView, line_of
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.passages.assembly import ReadingPlan
from evermem_cli.recollection.passages.foreign import asks_of_asker, without_foreign
from evermem_cli.recollection.passages.lines import Line, Passage, lines_of
from evermem_cli.recollection.passages.outdated import without_outdated
from evermem_cli.recollection.passages.speakers import of_those_named
from evermem_cli.recollection.people.histories import Histories, histories_of, local_histories
from evermem_cli.recollection.people.others import histories_of_other
from evermem_cli.recollection.people.profile_notes import profile_notes
from evermem_cli.recollection.plan_changes import PlanChange, changes_of, planned_in, remarks
from evermem_cli.recollection.preferences import preferences
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.retold import with_retold
from evermem_cli.recollection.search.answer_check import AROUND, check_hits, likely_answers, with_nearby
from evermem_cli.recollection.search.find import find
from evermem_cli.recollection.search.withheld import withholds_best
from evermem_cli.store import Searcher

RESULTS = 30  # more than fit the budget; the best come first
READ_FIRST = 2  # the best results, which are read with what was told later about the same thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One search for an answer. `sufficient` is None where nobody judged it."""

    query: str
    results: int
    sufficient: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """The evidence for a question: hits, best first, and the passages to read, oldest first in each round.

    `notes` are knowledge from profiles, each with its message; they are read after the passages. `histories` are those
    of the people concerned, by name; `plan_changes` are what became of the plans among the hits. `foresights` are all
    that are expected, where the question asks for them; `preferences` are what the advice that it asks for should heed.
    `attributes` are those of which the messages of the passages state something. `left_out` counts topics that do not
    fit into a story. `withholds_best`: the asker may not see some of the best evidence.
    """

    memory: MemoryView
    hits: tuple[Evidence, ...] = ()
    passages: tuple[Passage, ...] = ()
    rounds: tuple[Round, ...] = ()
    notes: tuple[Line, ...] = ()
    histories: Mapping[str, Histories] = field(default_factory=dict)
    plan_changes: tuple[PlanChange, ...] = ()
    foresights: tuple[Foresight, ...] = ()
    preferences: tuple[Note, ...] = ()
    attributes: frozenset[str] = frozenset()
    left_out: int = 0
    withholds_best: bool = False

    @property
    def lines(self) -> list[Line]:
        """All lines in reading order."""
        return [*self.notes, *lines_of(self.passages)]

    @property
    def is_by_meaning_only(self) -> bool:
        """Whether there are hits, and none of them has a word of the question, nor a message beside one."""
        return bool(self.hits) and not any(hit.why and hit.why.rank_by_words for hit in self.hits)

    @property
    def seen(self) -> tuple[Evidence, ...]:
        """The results among the passages, in reading order."""
        return tuple({line.evidence.id: line.evidence for line in self.lines}.values())

    @property
    def quotes(self) -> list[str]:
        """The text of all lines, each with its speaker."""
        return [f"{line.message.speaker}: {line.message.text}" for line in self.lines]

    def known_of(self, question: Question) -> list[Histories]:
        """The histories of whomever the question about a profile is about."""
        about, asker = question.profile.is_about, question.whose.asker
        return [known for name, known in self.histories.items() if about(name, asker)]

    @property
    def is_checked(self) -> bool:
        """Whether any hit was checked for answerability."""
        return any(hit.answers is not None for hit in self.hits)

    @property
    def holds_answer(self) -> bool:
        """Whether the learned check judged any hit to answer the question."""
        return any(hit.answers is not None and hit.answers >= 0 for hit in self.hits)

    @property
    def may_suffice(self) -> bool:
        """Whether nobody judged the passages insufficient."""
        return not self.rounds or self.rounds[-1].sufficient is not False

    @property
    def is_judged_sufficient(self) -> bool:
        """Whether the passages of any round were judged sufficient."""
        return any(done.sufficient for done in self.rounds)

    def judged(self, sufficient: bool) -> "Recollection":
        """The same with the last round's judgement."""
        return replace(self, rounds=(*self.rounds[:-1], replace(self.rounds[-1], sufficient=sufficient)))


def recall(
    question: Question, memory: MemoryView, embedder: Embedder, check: Answerability, plan: ReadingPlan
) -> Recollection:
    """The evidence in memory for a question, with passages that fit the plan. Raises StoreError, StoreBusy."""
    with memory.at_once() as opened:
        return replace(_recall(question, opened, embedder, check, plan), memory=memory)


def _recall(
    question: Question, memory: MemoryView, embedder: Embedder, check: Answerability, plan: ReadingPlan
) -> Recollection:
    with memory.store.read() as reader:
        histories = dict(_histories(question, memory, reader))
        asked = question.whose
        concerned = asked.named | {question.profile.called}
        concerned |= {asked.asker} if asked.says_i else frozenset()  # not "Where does the cat sleep?"
        notes = [
            note
            for name in sorted(concerned & histories.keys())
            for note in profile_notes(question.profile, name, histories[name], plan.now)
        ]
        start = Recollection(
            memory=memory,
            notes=tuple(line_of(note, reader) for note in notes),
            histories=histories,
            foresights=tuple(_foresights(question, memory, reader, embedder)),
        )
    over = {message_id: end for note in notes for message_id, end in note.over.items()}
    recollection = recall_more(question, start, embedder, check, replace(plan, over=over))
    with memory.store.read() as reader:
        return replace(
            recollection,
            attributes=_attributes(recollection, reader),
            preferences=preferences(question, recollection.hits, memory, reader, embedder),
            withholds_best=withholds_best(question, memory.store, embedder, check, memory.where),
        )


def recall_more(
    question: Question, had: Recollection, embedder: Embedder, check: Answerability, plan: ReadingPlan
) -> Recollection:
    """The evidence with the results of another search added. Existing passages stay in place.

    `question` is the one asked, or the same in other words. Raises StoreError, StoreBusy.
    """
    memory = had.memory
    results = find(question.query, memory.store, embedder, memory.where, RESULTS)
    with memory.store.read() as reader:
        around = reader.messages.neighbours([message.id for hit in results for message in hit.messages], AROUND)
        changes = changes_of(planned_in(results), memory, reader, embedder)
        foreign = _foreign(question, around, reader)
    hits = check_hits(question, results, around, check)
    around = _within(around, memory, foreign)
    plan = replace(plan, remarks=remarks(changes))
    own = of_those_named(plan.named, without_foreign(hits, foreign))
    likely = likely_answers(with_nearby(question, own, hits, around, check), plan.reach)
    to_read = _with_retold(without_outdated(question, likely), memory, embedder)
    with memory.store.read() as reader:
        beside = reader.messages.neighbours([message.id for hit in to_read for message in hit.messages], 1)
        foreign |= _foreign(question, beside, reader)
    around |= _within(beside, memory, foreign)
    already_read = frozenset(line.message.id for line in lines_of(had.passages))
    already_found = {hit.id for hit in had.hits}
    return replace(
        had,
        hits=(*had.hits, *(hit for hit in hits if hit.id not in already_found)),
        passages=(*had.passages, *plan.choose(without_foreign(to_read, foreign), around, already_read)),
        plan_changes=tuple(changes),
        rounds=(*had.rounds, Round(query=question.text, results=len(hits))),
    )


def _with_retold(likely: Sequence[Evidence], memory: MemoryView, embedder: Embedder) -> list[Evidence]:
    """The likely answers; what was told anew about the first of them stands among these."""
    best = with_retold(likely[:READ_FIRST], memory.store, embedder, memory.where)
    first = {hit.id for hit in best}
    return [*best, *(hit for hit in likely if hit.id not in first)]


def _attributes(recollection: Recollection, reader: Searcher) -> frozenset[str]:
    """The attributes of which the messages of the passages state something, whosever it is."""
    read = reader.statements.of(line.message.id for line in recollection.lines)
    return frozenset(attribute_of(statement) for statements in read.values() for statement in statements)


def _foreign(question: Question, messages: Iterable[str], reader: Searcher) -> set[str]:
    """Those of these messages whose statements are about nobody; none for a question about what a text said."""
    return reader.statements.foreign_ids(messages) if asks_of_asker(question) else set()


def _within(around: Mapping[str, Message], memory: MemoryView, foreign: Set[str]) -> dict[str, Message]:
    """The messages that were said by then, within the span that is searched, without those that are `foreign`."""
    since, until = memory.where.since or datetime.min.replace(tzinfo=UTC), memory.where.until or memory.known_by
    last = min(until, memory.known_by)
    return {
        message_id: message
        for message_id, message in around.items()
        if message_id not in foreign and since <= message.said_at <= last
    }


def _foresights(question: Question, memory: MemoryView, reader: Searcher, embedder: Embedder) -> list[Foresight]:
    """All stated foresights if the question asks for what is ahead; none if the memory has no owner.

    What the model predicted is nobody's plan.
    """
    if memory.user_id is None or not question.upcoming:
        return []
    foresights = reader.topics.foresights(reader.topics.memcell_ids(memory.user_id))
    stated = [foresight for foresight in foresights if not foresight.predicted]
    return as_changed(reader.strengths.kept(stated, memory.where, memory.now), memory, reader, embedder).ahead


def _histories(question: Question, memory: MemoryView, reader: Searcher) -> Iterator[tuple[str, Histories]]:
    """The histories of the people concerned, by name; none where the memory has no owner."""
    if memory.user_id is None:
        return
    ids = reader.names.speaker_ids(memory.user_id)
    people = {ids[name]: name for name in sorted(question.whose.people, reverse=True) if name in ids}
    for person, name in sorted(people.items(), key=lambda entry: entry[1]):
        known = histories_of(memory.store, memory.user_id, person, memory.where.known_at, memory.now)
        yield name, local_histories(known, memory.now.tzinfo)
    asked, asker = question.profile, question.whose.asker
    if asked.called and not any(asked.is_about(name, asker) for name in people.values()):
        yield asked.called, histories_of_other(question, memory, memory.user_id)
