"""Phase II end to end on a real file, with scripted models: S1 to S4, S11, S12, S14, S17, S21."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from evermem_cli.ask import Asking
from evermem_cli.consolidate import Consolidation
from evermem_cli.memory import Filter, Kind, Mode
from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.people.profile import describe_person, timeline
from tests.recollection.asking import known_answer
from tests.recollection.searching import search
from tests.support.scripted import ScriptedLlm
from tests.test_ingest import Memory

DIET = (
    ("2025-01-06T09:00:00Z", "I'm keto."),
    ("2025-02-03T09:00:00Z", "I've gone pescatarian, fish only now."),
    ("2025-03-17T09:00:00Z", "As of today I'm vegan."),
)
JOBS = (
    ("2025-03-01T18:00:00Z", "I live in Leeds. I'm a junior developer at Larkfield. I earn 31k."),
    ("2025-03-21T18:00:00Z", "I got promoted today! I'm a mid-level developer now and earn 40k."),
    ("2025-04-10T18:00:00Z", "I've accepted a job at Corvane. I'm moving to Dublin next week."),
    ("2025-04-29T18:00:00Z", "I live in Dublin now and I work at Corvane. I earn 70k now."),
)


def chat(said: Iterable[tuple[str, str]]) -> list[str]:
    """A JSONL transcript for each message: conversations of their own."""
    return [json.dumps({"role": "user", "content": text, "timestamp": at, "conversation_id": at}) for at, text in said]


def remember(memory: Memory, lines: Iterable[str]) -> Memory:
    """Takes in the transcripts one by one, each with both tiers."""
    for number, line in enumerate(lines):
        memory.ingest(memory.file(line + "\n", f"{number}-{abs(hash(line))}.jsonl"))
        memory.annotate()
        memory.enrich()
    return memory


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def ask(
    memory: Memory, question: str, llm: ScriptedLlm, now: datetime, mode: Mode = Mode.STANDARD, **filters: Any
) -> Answer:
    """The owner's question on a day."""
    asking = Asking(
        store=memory.store,
        embedder=memory.embedder,
        llm="scripted",
        load_llm=lambda: llm,
        budget=600,
        mode=mode,
        on_text=lambda text: None,
        on_round=lambda query: None,
    )
    return asking.ask(question, Filter(user_id="default", as_of=now, **filters), now)


def value(memory: Memory, attribute: str, as_of: str, known_at: str | None = None) -> str | None:
    """What the profile says on a day."""
    found = describe_person(
        memory.store, "default", "default", day(as_of), day(known_at) if known_at else None, history=False
    )
    return ", ".join(fact.value for fact in found.facts.get(attribute, ())) or None


def spans(memory: Memory, attribute: str) -> list[tuple[str, str, str]]:
    """A profile's history of one attribute, times as days."""
    found = describe_person(memory.store, "default", "default", day("2026-01-01"), None, history=True)
    return [(fact.value, str(fact.valid_at)[:10], str(fact.invalid_at)[:10]) for fact in found.facts[attribute]]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_diet_that_changes_has_one_history_in_whatever_order_it_was_told(tmp_path: Path, order: tuple[int]) -> None:
    lines = chat(DIET)
    memory = remember(Memory(tmp_path), [lines[i] for i in order])
    assert spans(memory, "diet") == [
        ("keto", "2025-01-06", "2025-02-03"),
        ("pescatarian", "2025-02-03", "2025-03-17"),
        ("vegan", "2025-03-17", "None"),
    ]
    with memory.store.read() as reader:
        conflicts = reader.consolidation.conflicts("default", "default")
        facts = {fact.atomic_fact: str(fact.invalid_at)[:10] for fact in reader.topics.facts()}
        scenes = reader.consolidation.scenes("default")
        cells = reader.topics.memcells()
    assert [(each.old_value, each.new_value, each.resolution) for each in conflicts] == [
        ("keto", "pescatarian", "recency_wins"),
        ("pescatarian", "vegan", "recency_wins"),
    ]
    assert list(facts.values()) == ["2025-02-03", "2025-03-17", "None"]
    assert len(scenes) == len(cells) == 3


def test_the_same_question_has_another_answer_on_another_day(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(DIET))
    days = ("2025-01-01", "2025-01-20", "2025-02-10", "2025-03-20")
    assert [value(memory, "diet", on) for on in days] == [None, "keto", "pescatarian", "vegan"]
    assert value(memory, "diet", "2025-03-20", known_at="2025-02-10") == "pescatarian"


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (("I'm pescatarian now.", "I don't eat meat any more."), "pescatarian"),
        (("I don't eat meat any more.", "I'm pescatarian now."), "pescatarian"),
        (("I'm vegetarian.", "I don't eat eggs."), "vegetarian, no eggs"),
        (("I don't eat gluten.", "I'm vegan now."), "no gluten, vegan"),
    ],
)
def test_what_one_does_without_goes_with_the_diet_that_allows_it(
    tmp_path: Path, said: tuple[str, str], held: str
) -> None:
    days = ("2025-02-03T09:00:00Z", "2025-02-10T09:00:00Z")
    memory = remember(Memory(tmp_path), chat(zip(days, said, strict=True)))
    assert value(memory, "diet", "2025-04-01") == held


def test_a_wish_a_paraphrase_and_a_first_value_are_no_conflict(tmp_path: Path) -> None:
    said = (*DIET[:2], ("2025-02-04T09:00:00Z", "I might try vegan next month."))
    memory = remember(Memory(tmp_path), chat((*said, ("2025-02-05T09:00:00Z", "I'm still pescatarian."))))
    assert value(memory, "diet", "2025-04-01") == "pescatarian"
    with memory.store.read() as reader:
        assert len(reader.consolidation.conflicts("default", "default")) == 1


def test_three_jobs_in_sixty_days(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), reversed(chat(JOBS)))
    assert [value(memory, "salary", on) for on in ("2025-03-11", "2025-03-26", "2025-04-30")] == ["31k", "40k", "70k"]
    assert [value(memory, "location", on) for on in ("2025-04-11", "2025-04-30")] == ["Leeds", "Dublin"]
    assert [value(memory, "employer", on) for on in ("2025-04-09", "2025-04-30")] == ["Larkfield", "Corvane"]


def test_who_one_loves_ends_when_it_was_told_to_have_ended(tmp_path: Path) -> None:
    said = (
        ("2025-05-01T09:00:00Z", "I've been dating Sam since March."),
        ("2025-09-10T09:00:00Z", "Sam and I split up last month."),
    )
    memory = remember(Memory(tmp_path), chat(said))
    assert value(memory, "partner", "2025-06-01") == "Sam"
    assert value(memory, "partner", "2025-04-01") == "Sam"
    assert value(memory, "partner", "2025-04-01", known_at="2025-04-01") is None
    assert value(memory, "partner", "2025-09-15") is None
    assert spans(memory, "partner") == [("Sam", "2025-03-01", "2025-08-01")]


def test_whoever_has_a_partner_is_not_single_any_more(tmp_path: Path) -> None:
    said = (
        ("2025-03-10T09:00:00Z", "Sam and I split up, I'm single."),
        ("2025-09-10T09:00:00Z", "My girlfriend Kim and I have been together since August."),
    )
    memory = remember(Memory(tmp_path), chat(said))
    assert value(memory, "relationship", "2025-07-01") == "single"
    assert value(memory, "relationship", "2025-10-01") != "single"
    told = [each.title for each in timeline(memory.store, "default", None, None) if each.kind == "change"]
    assert "partner: Sam" not in told  # nobody said when that began
    assert "partner: girlfriend Kim" in told


def test_an_employer_of_before_is_past_and_no_change_of_the_day_of_the_present_one(tmp_path: Path) -> None:
    said = (
        ("2025-07-04T09:00:00Z", "I work at Octopus as a planner."),
        ("2025-09-04T09:00:00Z", "I used to work at Siemens."),
    )
    memory = remember(Memory(tmp_path), chat(said))
    assert value(memory, "employer", "2025-10-01") == "Octopus"
    assert [name for name, *_ in spans(memory, "employer")] == ["Siemens", "Octopus"]
    told = [each.title for each in timeline(memory.store, "default", None, None) if "employer" in each.title]
    assert told == ["employer: Octopus"]


def test_a_fact_ends_no_earlier_than_it_begins(tmp_path: Path) -> None:
    said = (
        ("2025-03-01T09:00:00Z", "I live in York, six years in May."),
        ("2025-04-01T09:00:00Z", "I live in Leeds now."),
    )
    memory = remember(Memory(tmp_path), chat(said))
    with memory.store.read() as reader:
        periods = [(fact.valid_at, fact.invalid_at) for fact in reader.topics.facts() if fact.invalid_at]
    assert periods
    assert all(begun is None or begun <= ended for begun, ended in periods)


def test_what_others_do_is_not_ones_own(tmp_path: Path) -> None:
    said = [("2025-05-01T09:00:00Z", "My sister moved to Leeds and works at Google. If I moved to Rome I'd be happy.")]
    memory = Memory(tmp_path)
    memory.ingest(memory.file("\n".join(chat(said)), "chat.jsonl"))
    memory.enrich()
    known = describe_person(memory.store, "default", "default", day("2025-06-01"), None, history=True).facts
    assert set(known) == {"family"}


def test_users_never_mix(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path, user="u1"), chat(DIET[:1]))
    other = Memory(tmp_path, user="u2")
    remember(other, chat([("2025-02-01T09:00:00Z", "I'm vegan and I live in Rome.")]))
    assert set(describe_person(memory.store, "u1", "u1", day("2025-06-01"), None, history=False).facts) == {"diet"}
    assert {each.people for each in timeline(memory.store, "u2", None, None)} == {("User",)}
    with memory.store.read() as reader:
        assert not reader.consolidation.conflicts("u1", "u1")
        assert not reader.consolidation.conflicts("u1", None)
        assert not {c for scene in reader.consolidation.scenes("u1") for c in scene.memcell_ids} & {
            c for scene in reader.consolidation.scenes("u2") for c in scene.memcell_ids
        }


def test_consolidating_again_gives_the_same(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), reversed(chat((*DIET, *JOBS))))

    def state() -> tuple[object, ...]:
        with memory.store.read() as reader:
            return (
                reader.consolidation.scenes("default"),
                reader.consolidation.conflicts("default", "default"),
                reader.consolidation.assertions(),
                reader.topics.facts(),
            )

    before = state()
    assert Consolidation(memory.store, memory.settings).again() == 7
    assert state() == before


def test_search_as_of_a_day_knows_only_what_was_told_when_asked_so(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(DIET))
    where = Filter(kinds=(Kind.FACT,), as_of=day("2025-03-20"), known_at=day("2025-02-10"), ended=False)
    found = {each.text for each in search("pescatarian fish", memory.store, memory.embedder, where, 10)}
    assert any("pescatarian" in text for text in found)
    assert not any("vegan" in text or "keto" in text for text in found)


def test_an_answer_is_read_from_what_is_true_on_that_day(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(DIET))
    llm = ScriptedLlm("pescatarian")
    plain = ask(memory, "What is my diet?", llm, day("2025-02-10"))
    assert (plain.text, len(llm.history)) == ("pescatarian (since 3 February 2025)", 0)
    assert plain.known and plain.citations
    assert all("pescatarian" in citation.text for citation in plain.citations)


def test_a_question_that_names_a_value_is_answered_with_yes_or_no(tmp_path: Path) -> None:
    said = [
        ("2025-03-01T09:00:00Z", "My boyfriend Theo hates museums."),
        ("2025-04-13T09:00:00Z", "Theo and I split up."),
    ]
    memory = remember(Memory(tmp_path), chat(said))
    with memory.store.read() as reader:
        told = reader.consolidation.assertions("default", reader="default")

    def still(question: str, on: str) -> str | None:
        return known_answer(question, told, day(on))

    assert still("Am I together with Theo now?", "2025-03-20") == "Yes: boyfriend Theo (since 1 March 2025)"
    assert still("Am I together with Theo now?", "2025-05-10") == "No: until 13 April 2025 it was boyfriend Theo"
    assert still("Where does he live?", "2025-05-10") is None


MEETING = (
    ("2025-03-03T09:00:00Z", "The budget meeting is at three."),
    ("2025-03-04T09:00:00Z", "The budget meeting is now at four."),
    ("2025-03-05T09:00:00Z", "The budget meeting is at four."),
)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_is_arranged_anew_is_a_conflict_within_its_chain_of_scenes(tmp_path: Path, order: tuple[int, ...]) -> None:
    memory = Memory(tmp_path)
    lines = chat(MEETING)
    remember(memory, [lines[place] for place in order])
    with memory.store.read() as reader:
        found = reader.consolidation.conflicts("default", "default")
    assert [(each.scope, each.attribute, each.old_value, each.new_value) for each in found] == [
        ("scene", "the budget meeting time", "three", "four")
    ]


def test_the_same_words_in_another_chain_are_about_another_thing(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    said = (
        ("2025-03-03T09:00:00Z", "The meeting is at three."),
        (
            "2025-06-03T09:00:00Z",
            "My choir sings Mozart in the church hall beside the river this summer. The meeting is at four.",
        ),
    )
    remember(memory, chat(said))
    with memory.store.read() as reader:
        assert len(reader.consolidation.scenes("default")) == 2
        assert reader.consolidation.conflicts("default", "default") == []
    known = describe_person(memory.store, "default", "default", day("2025-07-01"), None, history=True).facts
    assert [attribute for attribute in known if "meeting" in attribute] == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Am I married?", "No: engaged"),
        ("Am I engaged?", "Yes: engaged"),
        ("Do I live in Leeds?", "No: Bonn"),
        ("Am I still together with Theo?", "No: "),
        ("Do I own a car?", "Yes: VW Golf"),
        ("Is my dog called Olive?", "Yes: Olive (whippet)"),
        ("我现在住在波恩吗？", "不是：Bonn"),
        ("Do I have a dog?", "Yes: Olive (whippet)"),
    ],
)
def test_a_question_whether_something_holds_is_looked_up(tmp_path: Path, question: str, answer: str) -> None:
    said = (
        ("2025-01-05T09:00:00Z", "My boyfriend Theo and I moved to Bonn. I have a VW Golf."),
        ("2025-02-05T09:00:00Z", "Theo and I broke up. We adopted a whippet called Olive."),
        ("2025-05-05T09:00:00Z", "Anna and I got engaged last night!"),
    )
    memory = remember(Memory(tmp_path), chat(said))
    with memory.store.read() as reader:
        assertions = reader.consolidation.assertions("default")
    assert str(known_answer(question, assertions, day("2025-06-01"))).startswith(answer)


@pytest.mark.parametrize("zone", ["Europe/London", "UTC", "Pacific/Niue", "Pacific/Kiritimati"])
def test_a_look_up_tells_the_day_that_was_told_in_every_zone(tmp_path: Path, zone: str) -> None:
    memory = remember(Memory(tmp_path), chat([("2025-07-06T23:05:00+01:00", "I've been vegan since last Tuesday.")]))
    with memory.store.read() as reader:
        told = reader.consolidation.assertions("default")
    now = datetime(2025, 8, 1, tzinfo=ZoneInfo(zone))
    assert known_answer("What do I eat?", told, now) == "vegan (since 1 July 2025)"


def test_what_was_done_tells_an_answer_more_surely_than_what_one_only_meant_to_do(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat([("2025-02-03T09:00:00Z", "I want to buy a racket.")]))
    llm = ScriptedLlm("Yes.")
    meant = ask(memory, "Did I buy a racket?", llm, day("2025-03-01")).recollection.hits[0]
    done = chat([("2025-02-10T09:00:00Z", "I bought a racket today!")])
    remember(memory, done)
    best = ask(memory, "Did I buy a racket?", llm, day("2025-03-01")).recollection.hits[0]
    assert best.text == "I bought a racket today!"
    assert best.answers is not None and meant.answers is not None and best.answers > meant.answers + 2


DOUBTFUL = "I've just finished my first week at Corvane."


def test_what_other_weights_judged_is_judged_anew(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat([JOBS[0], ("2025-05-02T18:00:00Z", DOUBTFUL)]))

    def judged() -> dict[str, bool]:
        with memory.store.read() as reader:
            return {told.value: told.sure for told in reader.consolidation.assertions("default")}

    by_what_ships = judged()
    assert by_what_ships["Larkfield"] and not by_what_ships["Corvane"]
    with memory.store.write() as writer:
        writer.consolidation.sql.execute("update assertions set sure = not sure")
    assert Consolidation(memory.store, memory.settings).run() == 0
    assert not judged()["Larkfield"]
    with memory.store.write() as writer:
        writer.consolidation.sql.execute("update meta set value = 'of an earlier version' where key = 'judge'")
    assert Consolidation(memory.store, memory.settings).run() == 2
    assert judged() == by_what_ships
