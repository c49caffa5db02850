"""Questions that want more than a message: a story, what is ahead, who somebody is."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.memory import Kind, Mode
from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.responders.tell_story import MOST
from tests import test_consolidate
from tests.recollection.asking import read
from tests.support.scripted import ScriptedLlm
from tests.test_consolidate import DIET, JOBS, chat, remember
from tests.test_ingest import Memory

NOW = datetime(2025, 5, 2, 12, tzinfo=UTC)
HEALTH = (
    ("2025-05-01T09:00:00Z", "I have a dentist appointment next Tuesday."),
    ("2025-05-01T10:00:00Z", "I'm on antibiotics for ten days, so no alcohol."),
    ("2025-05-01T11:00:00Z", "I'm allergic to walnuts."),
)


def ask(
    memory: Memory,
    question: str,
    llm: ScriptedLlm,
    now: datetime = NOW,
    mode: Mode = Mode.STANDARD,
    **filters: Any,
) -> Answer:
    return test_consolidate.ask(memory, question, llm, now, mode, **filters)


def test_a_story_is_told_by_the_episodes_of_whole_scenes_oldest_first_without_a_model(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(JOBS))
    llm = ScriptedLlm()
    said = ask(memory, "What happened with my job as a developer?", llm)
    days = [line.partition(":")[0] for line in said.text.splitlines()]
    assert days == ["1 March 2025", "21 March 2025", "10 April 2025", "29 April 2025"]
    assert "Larkfield" in said.text.splitlines()[0]
    assert (said.known, llm.history) == (True, [])
    assert {citation.kind for citation in said.citations} == {Kind.EPISODE}


def test_a_story_of_a_time_has_the_topics_of_that_time_alone(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(JOBS))
    said = ask(memory, "What happened with my job as a developer in April?", ScriptedLlm())
    assert [line.partition(":")[0] for line in said.text.splitlines()] == ["10 April 2025", "29 April 2025"]


def test_a_story_ends_on_the_day_it_is_asked_for(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(JOBS))
    said = ask(memory, "What happened with my job as a developer?", ScriptedLlm(), datetime(2025, 4, 1, tzinfo=UTC))
    assert "Corvane" not in said.text


def test_a_story_and_what_is_ahead_know_what_had_been_told_by_then(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), [*chat(JOBS), *chat(HEALTH)])
    said = ask(
        memory, "What happened with my job as a developer?", ScriptedLlm(), known_at=datetime(2025, 4, 1, tzinfo=UTC)
    )
    assert "Larkfield" in said.text
    assert "Corvane" not in said.text
    assert "dentist" in ask(memory, "What are my plans?", ScriptedLlm()).text
    assert not ask(memory, "What are my plans?", ScriptedLlm(), known_at=datetime(2025, 4, 1, tzinfo=UTC)).known


def test_a_story_leaves_out_what_is_archived(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(JOBS))
    later = datetime(2099, 1, 1, tzinfo=UTC)
    question = "What happened with my job as a developer?"
    assert not ask(memory, question, ScriptedLlm("Memory does not say."), later).known
    assert "Larkfield" in ask(memory, question, ScriptedLlm(), later, archived=True).text


def test_topics_that_a_story_has_no_room_for_are_counted(tmp_path: Path) -> None:
    topics = [(f"2025-03-{day:02}T09:00:00Z", f"The roof of our house lost {day} tiles.") for day in range(1, MOST + 4)]
    memory = remember(Memory(tmp_path), chat(topics))
    said = ask(memory, "What happened with the roof of our house?", ScriptedLlm())
    assert len(said.text.splitlines()) == MOST
    assert said.recollection.left_out == 3


def test_a_story_is_read_from_messages_where_tier_2_has_not_been(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file("\n".join(chat(JOBS)) + "\n", "jobs.jsonl"))
    llm = ScriptedLlm("User worked at Larkfield.")
    assert ask(memory, "What happened with my job as a developer?", llm).known
    assert "junior developer at Larkfield" in llm.history[0].user


@pytest.mark.parametrize(
    "question",
    [
        "Tell me about the trip to Rome.",
        "How did the move go?",
        "What happened with Bob?",
        "What happened in May?",
        "讲讲北京的旅行",
    ],
)
def test_questions_for_a_story_are_known(question: str) -> None:
    assert read(question).wants.story


@pytest.mark.parametrize(
    "question",
    ["When did Ann move?", "Where is Ann's car?", "Who told Ann?", "Which trip was the longest?"],
)
def test_questions_for_one_thing_of_it_are_known(question: str) -> None:
    assert not read(question).wants.story


def test_what_is_ahead_is_told_by_its_time_without_a_model(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(HEALTH))
    llm = ScriptedLlm()
    said = ask(memory, "What are my plans?", llm)
    first, second = said.text.splitlines()
    assert first.startswith("until 11 May 2025: ")
    assert second.startswith("6 May 2025: ")
    assert (said.known, llm.history) == (True, [])
    assert len({message.id for citation in said.citations for message in citation.messages}) == 2


def test_a_time_that_the_question_names_leaves_out_what_is_not_in_it(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(HEALTH))
    said = ask(memory, "What's coming up next Tuesday?", ScriptedLlm())
    assert "dentist" in said.text
    llm = ScriptedLlm()
    said = ask(memory, "What are my plans?", llm, datetime(2025, 5, 12, tzinfo=UTC))
    assert (said.text, said.known, llm.history) == (NOT_KNOWN["en"], False, [])


def test_who_i_am_is_what_the_profile_knows_on_that_day(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat((*DIET, *JOBS)))
    llm = ScriptedLlm()
    lines = ask(memory, "What do you know about me?", llm).text.splitlines()
    assert "diet: vegan (since 17 March 2025)" in lines
    assert any(line.startswith("employer: Corvane") for line in lines)
    before = ask(memory, "Who am I?", llm, datetime(2025, 3, 2, tzinfo=UTC)).text
    assert "diet: pescatarian (since 3 February 2025)" in before
    assert "Corvane" not in before
    assert llm.history == []


@pytest.mark.parametrize(("question", "name"), [("Who am I?", "name: Lena"), ("我是谁？", "名字: Lena")])
def test_who_i_am_begins_with_the_name_under_which_i_speak(tmp_path: Path, question: str, name: str) -> None:
    memory = Memory(tmp_path, me="Lena")
    memory.ingest(memory.file("[2025-03-01 09:00] Lena: I live in Kassel.\n[2025-03-01 09:01] Jonas: Nice.\n"))
    memory.enrich()
    said = ask(memory, question, ScriptedLlm())
    assert said.text.splitlines()[0] == name
    assert said.citations


def test_what_is_answered_without_the_model_is_judged_by_none(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(HEALTH))
    llm = ScriptedLlm()
    assert "dentist" in ask(memory, "What are my plans?", llm, mode=Mode.AGENTIC).text
    assert llm.history == []


@pytest.mark.parametrize(
    "question",
    [
        "What are my plans?",
        "What's coming up this week?",
        "Do I have anything planned tomorrow?",
        "What should I remember this week?",
        "接下来有什么安排？",
        "我下周有什么计划？",
    ],
)
def test_questions_for_whatever_is_ahead_are_known(question: str) -> None:
    assert read(question, NOW).upcoming


@pytest.mark.parametrize(
    "question",
    [
        "What are my plans for the garden?",
        "Remind me what Ann said.",
        "When is the party?",
    ],
)
def test_questions_for_one_thing_are_searched(question: str) -> None:
    assert not read(question, NOW).upcoming


def test_who_somebody_is_is_told_by_how_the_user_stands_to_them(tmp_path: Path) -> None:
    told = (
        ("2025-02-01T09:00:00Z", "My boss Helen is away this week."),
        ("2025-02-02T09:00:00Z", "My boyfriend Callum is a baker."),
        ("2025-04-01T09:00:00Z", "Callum and I broke up last month."),
    )
    memory = remember(Memory(tmp_path), chat(told))
    llm = ScriptedLlm()
    assert ask(memory, "Who is Helen?", llm).text.startswith("Helen: boss")
    assert ask(memory, "Who was Callum again?", llm).text == "Callum: boyfriend (until March 2025)"
    before = ask(memory, "Who was Callum again?", llm, known_at=datetime(2025, 3, 15, tzinfo=UTC)).text
    assert before.startswith("Callum: boyfriend")
    assert "until" not in before
    assert "boyfriend" in ask(memory, "Callum是谁？", llm).text
    assert not ask(memory, "Who is Zoltan?", llm).known
    assert llm.history == []


def test_who_a_pet_is_and_who_is_somebody_elses_is_told(tmp_path: Path) -> None:
    memory = Memory(tmp_path, me="Lena")
    said = (
        "[2025-03-01 09:00] Lena: We have a cat called Mochi.\n"
        "[2025-03-01 09:01] Jonas: Nice. I have a dog called Rollo, and my daughter Wilma is afraid of him.\n"
    )
    memory.ingest(memory.file(said))
    memory.annotate()
    memory.enrich()
    llm = ScriptedLlm()
    assert ask(memory, "Who is Mochi?", llm).text == "Mochi: cat (since 1 March 2025)"
    assert ask(memory, "Who is Rollo?", llm).text == "Rollo: Jonas's dog (since 1 March 2025)"
    assert ask(memory, "Who is Wilma?", llm).text.startswith("Wilma: Jonas's daughter")
    memory.ingest(memory.file("[2025-03-02 09:00] Wilma: hello\n[2025-03-02 09:01] Lena: hi\n", "later.txt"))
    assert ask(memory, "Who is Wilma?", llm).text.startswith("Wilma: Jonas's daughter")
    assert llm.history == []


def test_a_greeting_asks_for_no_profile(tmp_path: Path) -> None:
    memory = remember(Memory(tmp_path), chat(DIET))
    assert not ask(memory, "hi", ScriptedLlm(NOT_KNOWN["en"])).known
