"""What is read with a hit: what stands beside a short message, and what was told later about the same thing."""

import sys
from pathlib import Path

from evermem_cli.memory import Filter
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.recollection.questions.query import read_query
from evermem_cli.recollection.retold import with_retold
from evermem_cli.recollection.search.find import find
from tests.recollection.asking import recalled
from tests.support.fakes import WordEmbedder
from tests.test_ingest import Memory

HOUSE = """[2025-05-09 10:00] Peg: The Dublin people are gone. The bank gave no loan.
[2025-05-09 10:02] Orla: Oh mam. The sale was all we hoped for.
[2025-05-20 10:00] Peg: The hens are well. The weather is mild. The roses bloom along the whole wall of the old
yard, more than in any year that I remember, and the neighbours stop to look.
"""
WEIGHT = """[2025-01-10 09:00] Ann: Bruno was at the vet. He weighs 34 kilos.
[2025-06-03 09:00] Ann: the vet is happy, 31 by the new scales
"""
BABY = """[2025-01-27 18:00] Dan: saw mr barraclough in morrisons. she's had it, 3 weeks early, a boy, all well
[2025-01-27 18:01] Jo: awww
[2025-01-27 18:02] Steph: name??
[2025-01-28 07:10] Mags: It's Wilf! It was on facebook
[2025-01-28 07:30] Jo: love it
"""


def read(tmp_path: Path, chat: str, question: str, as_of: str = "2025-07-01", most: int = sys.maxsize) -> str:
    memory = Memory(tmp_path, me=chat.split("] ")[1].split(":")[0])
    memory.ingest(memory.file(chat))
    _, recollection = recalled(memory.store, question, as_of, most=most)
    return "\n".join(line.message.text for line in recollection.lines)


def test_a_short_message_is_read_with_what_was_said_before_it(tmp_path: Path) -> None:
    assert "The bank gave no loan." in read(tmp_path, HOUSE, "What did Orla hope for of the sale?")


def test_an_answer_without_a_word_of_its_question_is_read_near_what_it_is_about(tmp_path: Path) -> None:
    question = "What is the Barracloughs' baby called?"
    assert "It's Wilf!" in read(tmp_path, BABY, question, most=3)


def test_nothing_is_read_that_was_said_after_the_time_asked_about(tmp_path: Path) -> None:
    assert "Wilf" not in read(tmp_path, BABY, "What is the Barracloughs' baby called?", as_of="2025-01-27")


def test_an_answer_from_after_the_time_asked_about_is_not_read_with_its_question(tmp_path: Path) -> None:
    late = "[2025-03-01 22:30] Ann: Which oven did you buy?\n[2025-03-01 23:30] Bob: The Smeg.\n"
    assert "The Smeg." in read(tmp_path, late, "Which oven did Bob buy?", as_of="2025-03-02")
    assert "The Smeg." not in read(tmp_path, late, "Which oven did Bob buy?", as_of="2025-03-01")


def test_what_was_told_anew_of_the_same_thing_follows_what_was_told_first(tmp_path: Path) -> None:
    memory = Memory(tmp_path, me="Ann")
    memory.ingest(memory.file(WEIGHT))
    embedder, where = WordEmbedder(memory.store.embedder or "words"), Filter(user_id="default")
    [first, *_] = find(read_query("kilos", SHIPPED.read_question("kilos"), ()), memory.store, embedder, where, 1)
    texts = [hit.messages[0].text for hit in with_retold([first], memory.store, embedder, where)]
    assert texts == ["Bruno was at the vet. He weighs 34 kilos.", "the vet is happy, 31 by the new scales"]
