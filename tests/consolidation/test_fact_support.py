"""Facts that confirm each other, and facts that end what others state."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from evermem_cli.consolidation.fact_support import confidence, fact_effects
from evermem_cli.consolidation.history import histories
from evermem_cli.memory import Assertion, Effect, FactEffect, FactSupport, Fading, Selection, Stance
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.support.lives import START
from tests.support.tables import rows
from tests.test_ingest import Memory

CHATS = {
    "first.txt": "[2025-01-06 09:00] Ann: I am vegan.\n[2025-01-06 09:01] Ben: Nice one.\n",
    "second.txt": "[2025-03-03 09:00] Ann: I'm still vegan.\n[2025-03-03 09:01] Ben: Well done.\n",
    "third.txt": "[2025-06-02 09:00] Ann: I am pescatarian now.\n[2025-06-02 09:01] Ben: I see.\n",
}


def said(name: str, value: str, day: int, *, message: str = "") -> Assertion:
    at = START + timedelta(days=day)
    return Assertion(
        id=name,
        user_id="ann",
        attribute="diet",
        value=value,
        stance=Stance.HOLDS,
        valid_at=at,
        invalid_at=None,
        said_at=at,
        confidence=0.9,
        message_ids=(message or f"m-{name}",),
        fact_ids=(f"f-{name}",),
    )


def of(*assertions: Assertion) -> set[FactEffect]:
    return fact_effects(histories(assertions).values())


def test_the_same_said_again_confirms_both() -> None:
    assert of(said("a", "vegan", 0), said("b", "vegan", 40)) == {
        FactEffect("f-a", "f-b", Effect.CONFIRMS),
        FactEffect("f-b", "f-a", Effect.CONFIRMS),
    }


def test_two_facts_of_one_message_confirm_nothing_and_a_third_but_once() -> None:
    twice = (said("a", "vegan", 0, message="m"), said("b", "vegan", 0, message="m"))
    assert of(*twice) == set()
    assert [each.other for each in of(*twice, said("c", "vegan", 9)) if each.fact == "f-c"] in (["f-a"], ["f-b"])


def test_a_newer_value_ends_the_older_one() -> None:
    both = (said("a", "vegan", 0), said("b", "pescatarian", 40))
    assert of(*both) == of(*reversed(both)) == {FactEffect("f-a", "f-b", Effect.ENDS)}
    assert of(*both[:1]) == set()


def test_confirmation_moves_confidence_towards_one_and_an_end_counts_by_its_share() -> None:
    assert confidence(0.6, FactSupport()) == pytest.approx(0.6)
    assert confidence(0.6, FactSupport(confirmed_by={"b": 0.6})) == pytest.approx(0.84)
    assert confidence(1.0, FactSupport(ended_by={"c": 1.0})) == pytest.approx(0.5)
    assert confidence(1.0, FactSupport(confirmed_by={"b": 1.0}, ended_by={"c": 1.0})) == pytest.approx(2 / 3)
    assert confidence(0.6, FactSupport(ended_by={"c": 1.0})) == pytest.approx(0.225)
    assert confidence(0.0, FactSupport()) == 0


def remembered(folder: Path, *names: str) -> Memory:
    """A memory of these chats, each taken in and consolidated before the next."""
    folder.mkdir()
    memory = Memory(folder, me="Ann", policy="v1.0")
    for name in names:
        memory.ingest(memory.file(CHATS[name], name))
        memory.annotate()
        memory.enrich()
    return memory


def by_id(store: Store, known_at: datetime | None = None) -> dict[str, tuple[int, int, float]]:
    """How many facts confirm and end each fact, and how sure it is then."""
    with store.read() as reader:
        facts = reader.topics.facts()
        known = reader.consolidation.supports((fact.id for fact in facts), known_at)
    return {
        fact.id: (
            len(known.get(fact.id, FactSupport()).confirmed_by),
            len(known.get(fact.id, FactSupport()).ended_by),
            round(confidence(fact.confidence, known.get(fact.id, FactSupport())), 6),
        )
        for fact in facts
    }


def test_it_is_the_same_when_the_newest_chat_is_read_first(tmp_path: Path) -> None:
    forward, backward = (
        remembered(tmp_path / name, *chats) for name, chats in (("a", [*CHATS]), ("b", [*reversed(CHATS)]))
    )
    found = by_id(forward.store)
    assert found == by_id(backward.store)
    assert {counts[:2] for counts in found.values()} >= {(1, 1), (0, 0)}


def test_a_confirmed_fact_is_stronger_and_an_ended_one_less_sure_until_that_is_forgotten(
    tmp_path: Path, minilm: Path
) -> None:
    memory = remembered(tmp_path / "m", *CHATS)
    shell = Shell(memory.store.path)

    def vegan() -> dict[str, object]:
        found = [each for each in shell.json("list", "facts")["facts"] if "vegan" in each["atomic_fact"]]
        return found[0]  # type: ignore[no-any-return]

    with_all = vegan()
    assert with_all["strength"] == pytest.approx(1.5, abs=0.01)
    assert (len(with_all["confirmed_by"]), len(with_all["ended_by"])) == (1, 1)  # type: ignore[arg-type]
    memory.store.forget(Selection(user_id="default", words=("pescatarian",)))
    unended = vegan()
    assert (with_all["confidence"], unended["confidence"]) == (0.667, 1.0)
    memory.store.forget(Selection(user_id="default", words=("still",)))
    alone = vegan()
    assert (alone["strength"], alone["confirmed_by"], alone["ended_by"]) == (1.0, [], [])


def test_at_an_earlier_day_only_what_was_told_by_then_counts(tmp_path: Path) -> None:
    memory = remembered(tmp_path / "m", *CHATS)
    with memory.store.read() as reader:
        first = next(fact.id for fact in reader.topics.facts() if "vegan" in fact.atomic_fact)
    known = [by_id(memory.store, START.replace(month=month))[first][:2] for month in (2, 4, 7)]
    assert known == [(0, 0), (1, 0), (1, 1)]


def test_a_confirmation_counts_for_search_too(tmp_path: Path) -> None:
    memory = remembered(tmp_path / "m", "first.txt", "second.txt")
    soon = START.replace(year=2100)
    patient = Store(memory.store.path, 1, fading=Fading(decay=1))
    with patient.read() as reader:
        (fact, *_) = [each.id for each in reader.topics.facts() if "vegan" in each.atomic_fact]
        assert reader.strengths.at([fact], soon)[fact].strength == pytest.approx(1.5)
        reader.strengths.note_lively(soon)
        assert rows(reader, "select strength, whole from lively where id = $id", id=fact) == [
            {"strength": 0.5, "whole": False}
        ]
