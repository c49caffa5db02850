"""From stored chats to interactions and rules, on real memory files."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.annotate import Annotation
from evermem_cli.experience import rules
from evermem_cli.memory import AgentType, Interaction, Outcome, Rule, Selection
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.recollection.experience import AgentScope, change_rule, known_rules, recall_examples
from evermem_cli.store import Store
from tests.experience.test_rules import RETURNED
from tests.test_ingest import Memory

ME = AgentScope("default")
LINE = '{{"role": "{}", "content": "{}", "timestamp": "2025-0{}-01T09:0{}:00Z", "conversation_id": "c{}"}}'
FLIGHT = "\n".join(
    [
        LINE.format("user", "Can you find me a flight to Oslo?", 6, 0, 9),
        LINE.format("assistant", "There is a direct one with SAS at nine.", 6, 1, 9),
        LINE.format("user", "Great, booked.", 6, 2, 9),
    ]
)


def chat(number: int, text: str) -> str:
    return LINE.format("user", text, number, 0, number)


def memory_in(folder: Path) -> Memory:
    memory = Memory(folder)
    memory.embedder.name = "words"  # not the one by whose vectors the type of an assistant was learned
    return memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return memory_in(tmp_path)


def learn(memory: Memory, *chats: str) -> None:
    memory.ingest(memory.file("\n".join(chats), f"{len(chats)}-{hash(chats)}.jsonl"))
    memory.enrich()


def returns(memory: Memory, count: int = 3) -> None:
    learn(memory, *(chat(number, text) for number, text in enumerate(RETURNED[:count], start=1)))


def interactions(store: Store, agent_type: AgentType | None = None) -> list[Interaction]:
    with store.read_experience() as reader:
        return reader.interactions("default", agent_type)


def the_rule(memory: Memory) -> Rule:
    (rule,) = known_rules(memory.store, ME, retired=True)
    return rule


def test_chats_become_interactions_and_agreeing_ones_a_rule(memory: Memory) -> None:
    returns(memory)
    found = interactions(memory.store)
    assert [each.outcome for each in found] == [Outcome.FAILURE] * 3
    rule = the_rule(memory)
    assert rule.rule == "Avoid cheap, budget or bargain items."
    assert rule.derived_from == tuple(each.id for each in found)


def test_a_rule_is_never_offered_to_an_assistant_of_another_type(memory: Memory) -> None:
    returns(memory)
    assert known_rules(memory.store, AgentScope("default", AgentType.TRAVEL)) == []
    assert known_rules(memory.store, AgentScope("another user")) == []
    assert len(known_rules(memory.store, AgentScope("default", AgentType.SHOPPING))) == 1


PASSED_ON = (
    "Who sings this song? It goes: I only eat raw kraken.",
    'Translate into German: "I only eat raw kraken."',
    "Please fix the punctuation of this interview:\nA: I only eat raw kraken.",
)


def test_what_others_prefer_whose_words_are_passed_on_is_no_rule(memory: Memory) -> None:
    replies = [LINE.format("assistant", "I'll have a look.", number, 1, number) for number in (1, 2, 3)]
    asked = [json.dumps(text)[1:-1] for text in PASSED_ON]
    memory.ingest(
        memory.file("\n".join(f"{chat(n, text)}\n{replies[n - 1]}" for n, text in enumerate(asked, start=1)), "a.jsonl")
    )
    Annotation(memory.store, Tagger(), lambda *_: None).run()
    memory.enrich()
    assert len(interactions(memory.store)) == 3
    assert known_rules(memory.store, ME) == []


def test_one_that_agrees_later_moves_the_last_validation(memory: Memory) -> None:
    returns(memory)
    before = the_rule(memory)
    learn(memory, chat(5, "The discount kettle broke, I have sent it back."))
    after = the_rule(memory)
    assert (before.last_validated.month, after.last_validated.month) == (3, 5)
    assert after.confidence > before.confidence


def test_learning_again_changes_nothing(memory: Memory) -> None:
    returns(memory)
    before = (interactions(memory.store), the_rule(memory))
    returns(memory)
    report = memory.enrich()
    assert (report.interactions, report.rules) == (0, 0)
    assert (interactions(memory.store), the_rule(memory)) == before


def test_newest_first_gives_the_same_rule(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("forth", "back")]
    found = []
    for folder, order in zip(folders, (1, -1), strict=True):
        folder.mkdir()
        memory = memory_in(folder)
        for text in [chat(number, said) for number, said in enumerate(RETURNED, start=1)][::order]:
            learn(memory, text)
        found.append(the_rule(memory))
    assert found[0].derived_from == found[1].derived_from
    assert (found[0].id, found[0].rule, found[0].last_validated) == (
        found[1].id,
        found[1].rule,
        found[1].last_validated,
    )


def test_an_interaction_keeps_its_id_when_its_feedback_comes_with_a_longer_export(memory: Memory) -> None:
    learn(memory, *FLIGHT.splitlines()[:2])
    (before,) = interactions(memory.store)
    learn(memory, FLIGHT)
    (after,) = interactions(memory.store)
    assert (before.id, before.outcome) == (after.id, Outcome.UNKNOWN)
    assert after.outcome is Outcome.SUCCESS


def test_how_often_interactions_and_rules_were_shown_outlives_new_evidence(memory: Memory) -> None:
    returns(memory)
    learn(memory, *FLIGHT.splitlines()[:2])
    shown = [the_rule(memory).id, interactions(memory.store)[-1].id]
    memory.store.note_access(shown)
    learn(memory, FLIGHT, chat(5, "The discount kettle broke, I have sent it back."))
    with memory.store.read() as reader:
        found = reader.strengths.at(shown, datetime.now(UTC))
    assert [found[each].access_count for each in shown] == [1, 1]


def test_what_the_user_does_to_a_rule_outlives_new_evidence(memory: Memory) -> None:
    returns(memory)
    for _ in range(3):
        change_rule(memory.store, the_rule(memory).id, "default", rules.override)
    assert known_rules(memory.store, ME) == []
    learn(memory, chat(5, "The discount kettle broke, I have sent it back."))
    rule = the_rule(memory)
    assert (rule.override_count, rule.offered, len(rule.derived_from)) == (3, False, 4)
    assert rule.retired_at is not None


def test_forgetting_a_message_takes_its_interaction_and_the_rule_that_rests_on_it(memory: Memory) -> None:
    returns(memory)
    gone = memory.store.forget(Selection(user_id="default", words=("toaster",)))
    assert (gone.counts["interactions"], gone.counts["rules"]) == (1, 1)
    assert [each.situation for each in interactions(memory.store)] == [RETURNED[0], RETURNED[2]]
    memory.enrich()
    assert known_rules(memory.store, ME, retired=True) == []
    learn(memory, chat(5, "The discount kettle broke, I have sent it back."))
    assert the_rule(memory).rule == "Avoid cheap, bargain or discount items."


def test_forgetting_feedback_leaves_the_request_to_be_looked_through_again(memory: Memory) -> None:
    learn(memory, FLIGHT)
    memory.store.forget(Selection(user_id="default", words=("booked",)))
    assert interactions(memory.store) == []
    memory.enrich()
    (left,) = interactions(memory.store)
    assert (left.outcome, left.user_feedback) == (Outcome.UNKNOWN, None)


def test_the_most_similar_situation_is_the_first_example(memory: Memory) -> None:
    returns(memory)
    learn(memory, FLIGHT)
    found = recall_examples("find a flight to Rome", memory.store, memory.embedder, ME, 2)
    assert found.items[0].interaction.situation == "Can you find me a flight to Oslo?"
    assert len(found.items) == 2
    assert set(found.items[0].interaction.message_ids) <= set(found.messages)
    only = recall_examples("find a flight", memory.store, memory.embedder, AgentScope("default", AgentType.SHOPPING), 9)
    assert {item.interaction.agent_type for item in only.items} == {AgentType.SHOPPING}


def test_chats_of_people_teach_nothing(memory: Memory) -> None:
    memory.ingest(
        memory.file("[2025-03-01 09:00] Ann: Find me a flight.\n[2025-03-01 09:01] Bo: Take SAS. It is direct.\n")
    )
    memory.enrich()
    assert interactions(memory.store) == []
