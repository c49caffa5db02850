"""Whom the entries of a timeline are about, on a real file with a scripted model."""

from pathlib import Path

import pytest

from evermem_cli.recollection.people.profile import find_person, timeline
from tests.support.scripted import ScriptedLlm
from tests.test_ingest import Memory

# Two days, two topics: each with words of both.
CHAT = """[2025-03-01 09:00] Ann: I bought a red bicycle in Bristol.
[2025-03-01 09:01] Bo Lee: Nice colour!
[2025-04-01 09:00] Ann: How was the exam?
[2025-04-01 09:01] Bo Lee: I passed the chemistry exam on Monday.
[2025-05-01 09:00] Ann: The will was read at May's.
"""
CHINESE = """[2025-03-01 09:00] 小雨: 我下周一去北京出差，住三天。
[2025-03-01 09:01] 小明: 一路顺风！
"""


def told_of(folder: Path, person: str, chat: str = CHAT, llm: ScriptedLlm | None = None) -> list[str]:
    """The titles of the timeline's episodes that are about a person."""
    memory = Memory(folder, llm, me="Ann")
    memory.ingest(memory.file(chat))
    memory.annotate()
    memory.enrich()
    events = timeline(memory.store, "default", find_person(memory.store, "default", person), None)
    return [event.title for event in events if event.kind == "event"]


@pytest.mark.parametrize("person", ["Bo Lee", "Bo", "bo"])
def test_a_timeline_of_a_person_has_only_what_is_about_that_person(tmp_path: Path, person: str) -> None:
    titles = told_of(tmp_path, person)
    assert any("exam" in title for title in titles), titles
    assert not any("bicycle" in title or "will" in title for title in titles), titles


def test_a_timeline_of_the_owner_has_nothing_of_others(tmp_path: Path) -> None:
    titles = told_of(tmp_path, "Ann")
    assert any("bicycle" in title for title in titles), titles
    assert not any("passed" in title for title in titles), titles


def test_what_was_true_before_it_was_told_is_no_change(tmp_path: Path) -> None:
    memory = Memory(tmp_path, me="Ann")
    told = "[2025-03-01 09:00] Ann: My name is Ann. I come from Hull. I live in Leeds.\n"
    memory.ingest(memory.file(f"{told}[2025-04-01 09:00] Ann: My name is Anna now.\n"))
    memory.annotate()
    memory.enrich()
    changes = [event.title for event in timeline(memory.store, "default", None, None) if event.kind == "change"]
    assert changes == ["location: Leeds", "name: Ann → Anna"]


NAMELESS = """[2025-03-01 09:00] Ann: Does the blue jumper fit?
[2025-03-01 09:01] Bo Lee: The cat has slept on the jumper already.
[2025-03-01 09:02] Cy: Hello!
"""


@pytest.mark.parametrize(("person", "is_about"), [("Ann", True), ("Bo Lee", True), ("Cy", False)])
def test_an_episode_that_names_nobody_is_about_those_whose_words_it_quotes(
    tmp_path: Path, person: str, is_about: bool
) -> None:
    titles = told_of(tmp_path, person, NAMELESS, ScriptedLlm("Title: Cat on the jumper"))
    assert titles == ["Cat on the jumper"] * is_about


@pytest.mark.parametrize("other", ["Will", "May"])
def test_a_word_that_is_also_a_name_is_nobody(tmp_path: Path, other: str) -> None:
    titles = told_of(tmp_path, other, CHAT.replace("Bo Lee", other))
    assert not any("bicycle" in title for title in titles), titles


@pytest.mark.parametrize(("person", "is_about"), [("小雨", True), ("小明", False)])
def test_names_are_found_in_chinese_as_well(tmp_path: Path, person: str, is_about: bool) -> None:
    titles = told_of(tmp_path, person, CHINESE, ScriptedLlm("标题：去北京出差"))
    assert any("北京" in title for title in titles) == is_about
