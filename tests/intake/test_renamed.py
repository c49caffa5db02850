"""Notes whose file was renamed are known again; copies stay apart, and nothing is lost."""

import json
import shutil
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions, find
from tests.support.fakes import WordEmbedder

CHOIR = "I sing in a choir.\n\n# Days\n\nMondays."


@pytest.fixture(params=["folder", "vault"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of notes, which may be a vault."""
    notes = tmp_path / "notes"
    (notes / ".obsidian" if request.param == "vault" else notes).mkdir(parents=True)
    (notes / "Untitled.md").write_text(CHOIR)
    (notes / "Cats.md").write_text("I have a cat.")
    return notes


def stored(folder: Path) -> dict[str, list[str]]:
    """The texts of all notes by title, after reading the folder."""
    store = Store(folder.parent / "memory.duckdb", 1.0)
    Ingestion(store, WordEmbedder(), Settings(), lambda *_: None).run(find([folder]), ReadOptions(tz=UTC))
    with store.read() as reader:
        titles = {chat.id: chat.title for chat in reader.chats.of(Settings().user)}
        return {titles[note.id]: [text for _, text in note.sections] for note in reader.chats.notes(Settings().user)}


def test_a_renamed_note_is_the_same_note_also_when_it_is_rewritten_later(folder: Path) -> None:
    assert set(stored(folder)) == {"Untitled", "Cats"}
    (folder / "Untitled.md").rename(folder / "Choir.md")
    texts = ["I sing in a choir.", "Days\nMondays."]
    assert stored(folder) == {"Choir": texts, "Cats": ["I have a cat."]}
    (folder / "Choir.md").write_text(CHOIR.replace("Mondays", "Fridays"))
    assert stored(folder)["Choir"] == ["I sing in a choir.", "Days\nFridays."]
    (folder / "Untitled.md").write_text("I paint.")  # a new note under the old name
    (folder / "Choir.md").rename(folder / "Singing.md")
    assert (
        stored(folder)
        == stored(folder)
        == {
            "Singing": ["I sing in a choir.", "Days\nFridays."],
            "Cats": ["I have a cat."],
            "Untitled": ["I paint."],
        }
    )


def test_the_notes_of_a_folder_that_was_renamed_are_the_same_notes_and_those_of_a_copy_are_others(folder: Path) -> None:
    notes = stored(folder)
    moved = folder.rename(folder.with_name("diary"))
    assert stored(moved) == stored(moved) == notes
    (moved / "Cats.md").write_text("I have two cats.")
    assert stored(moved) == notes | {"Cats": ["I have two cats."]}
    shutil.copytree(moved, folder)
    with Store(folder.parent / "memory.duckdb", 1.0).read() as reader:
        before = len(reader.chats.notes(Settings().user))
    stored(folder)
    with Store(folder.parent / "memory.duckdb", 1.0).read() as reader:
        assert (before, len(reader.chats.notes(Settings().user))) == (2, 4)


def test_a_copy_of_a_note_that_is_still_there_is_another_note(folder: Path) -> None:
    stored(folder)
    shutil.copy(folder / "Untitled.md", folder / "Choir.md")
    assert set(stored(folder)) == {"Untitled", "Choir", "Cats"}
    for name in ("First", "Second"):
        shutil.copy(folder / "Cats.md", folder / f"{name}.md")
    (folder / "Cats.md").unlink()
    assert set(stored(folder)) == {"Untitled", "Choir", "First", "Second"}


def test_a_note_that_lacks_a_word_of_the_one_that_is_gone_is_another_note(folder: Path) -> None:
    stored(folder)
    (folder / "Untitled.md").unlink()
    (folder / "Choir.md").write_text(CHOIR.replace("Mondays", "Fridays"))
    assert set(stored(folder)) == {"Untitled", "Choir", "Cats"}


def test_a_note_of_another_day_is_another_note(folder: Path) -> None:
    (folder / "Untitled.md").rename(folder / "2026-02-09.md")
    stored(folder)
    (folder / "2026-02-09.md").rename(folder / "2026-02-10.md")
    assert {"2026-02-09", "2026-02-10"} < set(stored(folder))


SMS = "<sms date='177106346{}000' type='{}' address='{}' contact_name='{}' body='message {}'/>"


def backup(folder: Path, *messages: tuple[int, str, str]) -> None:
    """A backup of messages: each by its time, the number as the phone has it, and the name of the contact."""
    folder.mkdir(exist_ok=True)
    texts = (SMS.format(at, 1 + at % 2, number, name, at) for at, number, name in messages)
    (folder / "sms.xml").write_text(f"<smses>{''.join(texts)}</smses>")


LONG, SHORT = "+44 7700 900123", "07700 900123"


@pytest.mark.parametrize(("first", "second"), [(LONG, SHORT), (SHORT, LONG)])
def test_a_contact_whose_number_begins_another_backup_in_another_form_has_one_chat(
    first: str, second: str, tmp_path: Path
) -> None:
    folder = tmp_path / "phone"
    backup(folder, (3, first, "Ben"), (4, second, "Ben"))
    assert noted(folder) == {"Ben": ["message 3", "message 4"]}
    backup(folder, (2, second, "Ben"), (3, first, "Ben"), (4, second, "Ben"), (5, first, "Ben"))
    expected = {"Ben": [f"message {at}" for at in (2, 3, 4, 5)]}
    assert noted(folder) == noted(folder) == expected
    backup(folder, (3, first, "Ben"), (4, second, "Ben"))
    assert noted(folder) == expected


@pytest.mark.parametrize(("number", "name"), [(SHORT, "Eve"), ("07700 900124", "Ben"), ("+49 7700 900123", "Ben")])
def test_another_contact_and_another_number_are_another_chat(number: str, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "phone"
    backup(folder, (3, LONG, "Ben"))
    noted(folder)
    backup(folder, (2, number, name), (4, LONG, "Ben"))
    noted(folder)
    store = Store(tmp_path / "memory.duckdb", 1.0)
    with store.read() as reader:
        sizes = [outline.message_count for outline in reader.chats.outlines(Settings().user).values()]
    assert sorted(sizes) == [1, 2]


MADE = 1738663462000000


def keep(folder: Path, title: str, text: str, made: int = MADE) -> Path:
    """A note in Takeout, in the file of its title."""
    folder.mkdir(exist_ok=True)
    note = {"isTrashed": False, "isArchived": False, "title": title, "textContent": text, "createdTimestampUsec": made}
    (path := folder / f"{title}.json").write_text(json.dumps(note))
    return path


def noted(folder: Path) -> dict[str, list[str]]:
    """The texts of all chats by title, after reading the folder."""
    store = Store(folder.parent / "memory.duckdb", 1.0)
    Ingestion(store, WordEmbedder(), Settings(), lambda *_: None).run(find([folder]), ReadOptions(tz=UTC))
    with store.read() as reader:
        chats = reader.chats.of(Settings().user)
        texts: dict[str, list[str]] = {chat.id: [] for chat in chats}
        for message in [message for cell in reader.topics.memcells() for message in cell.messages]:
            texts[message.conversation_id].append(message.text)
    return {chat.title: texts[chat.id] for chat in chats}


def test_a_note_of_keep_is_the_same_whatever_its_title(tmp_path: Path) -> None:
    folder = tmp_path / "Keep"
    keep(folder, "Cat", "She eats fish.", MADE + 1)
    garage = keep(folder, "Garage", "The code is 4711.")
    assert noted(folder) == {"Cat": ["Cat\nShe eats fish."], "Garage": ["Garage\nThe code is 4711."]}
    garage.unlink()
    keep(folder, "Garage door", "The code is 4712.")
    expected = {"Cat": ["Cat\nShe eats fish."], "Garage door": ["Garage door\nThe code is 4712."]}
    assert noted(folder) == noted(folder) == expected


@pytest.mark.parametrize("name", ["Attic", "Zoo"])
def test_notes_of_keep_made_at_the_same_time_stay_apart(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "Keep"
    keep(folder, "Garage", "The code is 4711.")
    noted(folder)
    keep(folder, name, "The code is 1.")
    texts = {"Garage": ["Garage\nThe code is 4711."], name: [f"{name}\nThe code is 1."]}
    assert noted(folder) == noted(folder) == texts


@pytest.mark.parametrize("later", ["Attic", "Zoo"])
def test_of_notes_made_at_the_same_time_in_one_zip_nothing_is_lost(later: str, tmp_path: Path) -> None:
    exports = tmp_path / "exports"
    exports.mkdir()
    keep(tmp_path / "Takeout", "Garage", "The code is 4711.")
    shutil.make_archive(str(exports / "1"), "zip", tmp_path, "Takeout")
    noted(exports)
    keep(tmp_path / "Takeout", later, "The code is 1.")
    shutil.make_archive(str(exports / "1"), "zip", tmp_path, "Takeout")
    texts = {"Garage": ["Garage\nThe code is 4711."], later: [f"{later}\nThe code is 1."]}
    assert noted(exports) == noted(exports) == texts


def test_notes_of_keep_without_the_time_of_their_making_stay_apart(tmp_path: Path) -> None:
    folder = tmp_path / "Keep"
    keep(folder, "Garage", "The code is 4711.", 0)
    noted(folder)
    keep(folder, "Zoo", "The zoo is shut.", 0)
    assert set(noted(folder)) == {"Garage", "Zoo"}
