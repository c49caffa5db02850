"""Who has, does or is something, asked of a real memory: code answers from what people say."""

from pathlib import Path

import pytest

from evermem_cli.store import Store
from tests.recollection.asking import answered
from tests.test_ingest import Memory

FRIENDS = """[2025-03-01 09:00] Maya: I live in Leeds and I have a cat called Biscuit.
[2025-03-01 09:01] Tom: I work at the Sparkasse. I'm vegetarian, too.
[2025-03-01 09:02] Priya: My sister has adopted a greyhound called Pip. I have a dog.
[2025-03-01 09:03] Maya: My flatmate Dee works at Quillbank as a product manager.
[2025-03-01 09:04] Tom: Would anybody like a hamster? Should I get a horse?
[2025-03-01 09:05] 小雨: 我住在成都。
"""


def remembered(folder: Path, *chats: str) -> Store:
    """A memory that has been through both tiers."""
    memory = Memory(folder)
    for number, chat in enumerate(chats):
        memory.ingest(memory.file(chat, f"{number}.txt"))
        memory.annotate()
        memory.enrich()
    return memory.store


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who works at Quillbank?", "Maya's flatmate Dee"),
        ("Who works at the Sparkasse?", "Tom"),
        ("Who's vegetarian?", "Tom"),
        ("Who lives in Leeds?", "Maya"),
        ("谁住在成都？", "小雨"),
        ("Who has a horse?", None),
        ("Who wanted to go to Lisbon?", None),
    ],
)
def test_whoever_said_it_or_of_whom_it_was_said_is_told(tmp_path: Path, question: str, told: str | None) -> None:
    assert answered(remembered(tmp_path, FRIENDS), question, "2025-04-01") == told


def test_who_moved_away_is_not_told_any_more(tmp_path: Path) -> None:
    moved = "[2025-03-10 09:00] Maya: I moved to Turin yesterday.\n[2025-03-10 09:01] Tom: Oh!\n"
    store = remembered(tmp_path, FRIENDS, moved)
    assert answered(store, "Who lives in Leeds?", "2025-03-05") == "Maya"
    assert answered(store, "Who lives in Leeds?", "2025-04-05") is None
    assert answered(store, "Who lives in Turin?", "2025-04-05") == "Maya"


ACTIONS = """[2025-03-01 09:00] Dylan: I cleared the old cache.
[2025-03-01 09:01] Alex: I'll write the release notes. I didn't book the room.
[2025-03-01 09:02] Betty: Could I move the meeting? I am drafting a script for the demonstration.
[2025-03-01 09:03] Alex: I think Dylan fixed the search. I would paint the hall. I also set up the index.
[2025-03-01 09:04] Betty: It was me and Alex, I've just set up the index.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who cleared the cache?", "Dylan"),
        ("Who is writing the release notes?", "Alex"),
        ("Who drafts the demonstration script?", "Betty"),
        ("Who set up the index?", "Alex, Betty"),
        ("Who wrote the release notes?", None),
        ("Who booked the room?", None),
        ("Who moved the meeting?", None),
        ("Who fixed the search?", None),
        ("Who painted the hall?", None),
        ("Who drafted my script?", None),
        ("Who is the boss?", None),
    ],
)
def test_who_says_to_have_done_it_is_told(tmp_path: Path, question: str, told: str | None) -> None:
    answer = answered(remembered(tmp_path, ACTIONS), question, "2025-04-01")
    assert sorted(answer.split(", ") if answer else []) == (told.split(", ") if told else [])
