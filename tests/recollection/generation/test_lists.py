"""Lists: read in parts, each thing named once, nothing named that was not said."""

from pathlib import Path

import pytest

from evermem_cli.recollection.generation.lists import PART_TOKENS, in_parts, items
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.passages.lines import Passage
from evermem_cli.recollection.search.answer_check import likely_answers
from evermem_cli.store import Store
from tests.support.scripted import ScriptedLlm
from tests.test_ask import ask, memory_of

TALK = " It was such a lovely day out, we laughed, we talked for hours and then we drove home in the rain." * 3
HOBBIES = ("climbing", "judo", "rowing", "chess", "pottery", "sailing")


@pytest.fixture
def hobbies(tmp_path: Path) -> Store:
    """A memory with more about hobbies than is read at once."""
    said = (f"[2025-05-0{day} 09:00] Bob: My hobby is {hobby}.{TALK}\n" for day, hobby in enumerate(HOBBIES, 1))
    return memory_of("".join(said), tmp_path)


def asked_of(passage: Passage) -> int:
    return sum(len(line.text) // 4 for line in passage)


def test_passages_are_parted_evenly_and_in_order(hobbies: Store) -> None:
    said, _, _ = ask("Which hobbies does Bob have?", hobbies, ScriptedLlm("chess"))
    parts = in_parts(said.recollection.passages, lambda text: len(text) // 4)
    assert [passage for part in parts for passage in part] == list(said.recollection.passages)
    assert len(parts) == round(sum(map(asked_of, said.recollection.passages)) / PART_TOKENS) > 1
    assert all(parts)
    assert in_parts(said.recollection.passages, lambda _: 1) == [said.recollection.passages]
    assert in_parts((), len) == []


def test_each_thing_of_a_list_is_named_once_and_cited(hobbies: Store) -> None:
    llm = ScriptedLlm().enqueue("climbing and skydiving, Climbing.", "Bob's hobby, chess, and sailing.")
    said, streamed, _ = ask("Which hobbies does Bob have?", hobbies, llm)
    assert len(llm.history) == 2
    assert "climbing" in llm.history[0].user
    assert "climbing" not in llm.history[1].user
    assert said.text == streamed == "Climbing, chess, sailing"
    assert [message.external_id for each in said.citations for message in each.messages] == ["1", "4", "6"]


def test_a_list_of_which_no_part_tells_anything_is_not_known(hobbies: Store) -> None:
    llm = ScriptedLlm().enqueue("The excerpts do not mention any hobbies.", "skydiving, knitting")
    said, streamed, _ = ask("Which hobbies does Bob have?", hobbies, llm)
    assert (said.text, streamed, said.known) == (NOT_KNOWN["en"], NOT_KNOWN["en"], False)


def test_what_one_part_does_not_tell_another_may(hobbies: Store) -> None:
    llm = ScriptedLlm().enqueue("The excerpts do not mention any hobbies.", "chess")
    said, streamed, _ = ask("Which hobbies does Bob have?", hobbies, llm)
    assert (said.text, streamed, said.known) == ("chess", "chess", True)


def test_a_thing_may_be_said_in_another_order_in_chinese(tmp_path: Path) -> None:
    store = memory_of("[2025-05-03 09:00] 小雨: 今天吃的寿司很好\n[2025-05-04 09:00] 小雨: 火锅也吃了\n", tmp_path)
    said, streamed, _ = ask("小雨今天吃了哪些？", store, ScriptedLlm("吃寿司、饺子，吃火锅"))
    assert said.text == streamed == "吃寿司、吃火锅"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Emma, Dune, and Middlemarch.", ["Emma", "Dune", "Middlemarch"]),
        ("And Then There Were None, Emma", ["And Then There Were None", "Emma"]),
        ("1,000 stamps; a map\ncoins", ["1,000 stamps", "a map", "coins"]),
        ("颐和园、和平公园。", ["颐和园", "和平公园"]),
        ("The excerpts do not mention any books.", []),
    ],
)
def test_a_list_is_of_items(text: str, told: list[str]) -> None:
    assert items(text) == told


def test_what_is_much_less_likely_than_the_best_is_not_read(tmp_path: Path) -> None:
    texts = ("My hobby is chess.", "See you.", "Yes.", "The canteen is awful.")
    chat = "".join(f"[2025-05-0{day} 09:00] Bob: {text}\n" for day, text in enumerate(texts, 1))
    said, _, _ = ask("Which hobbies does Bob have?", memory_of(chat, tmp_path), ScriptedLlm("chess"))
    chess, canteen = (hit for text in texts[::3] for hit in said.recollection.hits if hit.text == text)
    assert chess.answers is not None and canteen.answers is not None and chess.answers > canteen.answers
    apart = chess.answers - canteen.answers
    assert likely_answers([chess, canteen], apart / 2) == [chess]
    assert likely_answers([chess, canteen], apart * 2) == [chess, canteen]
