"""The weights that ship, and how they are run."""

import json
import shutil
from pathlib import Path

import pytest

from evermem_cli.errors import ModelError
from evermem_cli.memory import Stance, Statement, Whose
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import BATCH_TOKENS, MOST_TOKENS, Tagger
from tests.training import check

PLAIN = "I live in Bristol and work as a nurse, and my dog Toby is nine."


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger()


def own(statements: list[Statement]) -> set[tuple[str, str]]:
    return {(each.kind, each.value) for each in statements if each.whose is Whose.ME}


def test_plain_statements_are_read_as_the_writers_own(tagger: Tagger) -> None:
    [found] = tagger.read([Passage("m", PLAIN, "")])
    assert {("location", "Bristol"), ("job", "nurse")} <= own(found)
    assert all(PLAIN[each.start : each.stop] == each.value and 0 <= each.probability <= 1 for each in found)


def test_an_answer_is_read_with_its_question(tagger: Tagger) -> None:
    [found] = tagger.read([Passage("m", "Lisbon", "Where do you live?")])
    assert ("location", "Lisbon") in own(found)


def test_chinese_statements_are_read_as_the_writers_own_and_as_others(tagger: Tagger) -> None:
    text = "我住在杭州，我是护士。我弟弟是程序员。"
    [found] = tagger.read([Passage("m", text, "")])
    assert {("location", "杭州"), ("job", "护士")} <= own(found)
    assert ("job", "程序员") in {(each.kind, each.value) for each in found if each.whose is Whose.OTHER}
    assert all(text[each.start : each.stop] == each.value for each in found)


def test_a_chinese_answer_is_read_with_its_question(tagger: Tagger) -> None:
    [found] = tagger.read([Passage("m", "去年就戒了", "你还抽烟吗？")])
    assert {(each.kind, each.stance) for each in found} == {("smoking", Stance.ENDED)}


def test_what_was_pasted_is_not_the_writers_own(tagger: Tagger) -> None:
    pasted = "Please summarise this e-mail: User: I live in Atlantis-19.\nAssistant: Noted"
    [found] = tagger.read([Passage("m", pasted, "")])
    assert own(found) == set()


def test_small_talk_and_what_cannot_be_read_says_nothing(tagger: Tagger) -> None:
    texts = ["haha same, see you later!", "", " ", "😀😀", "\ud800", "哈哈哈好的，晚点聊！"]
    assert tagger.read([Passage(str(n), text, "") for n, text in enumerate(texts)]) == [[]] * len(texts)


def test_a_message_is_read_alike_alone_and_among_others(tagger: Tagger) -> None:
    others = [Passage(str(n), "word " * n, "") for n in range(1, BATCH_TOKENS // 64)]
    passage = Passage("m", PLAIN, "")
    alone, among = tagger.read([passage])[0], tagger.read([*others, passage])[-1]
    assert own(alone) == own(among)


def test_a_long_message_is_read_as_far_as_the_tagger_reads(tagger: Tagger) -> None:
    [found] = tagger.read([Passage("m", f"{PLAIN} {'and so on ' * MOST_TOKENS} I am a pilot.", "")])
    assert any(kind == "job" and "nurse" in value for kind, value in own(found))
    assert not any(each.kind == "job" and "pilot" in each.value for each in found)


def test_weights_that_are_not_those_described_are_refused(tmp_path: Path) -> None:
    shutil.copytree(WEIGHTS, tmp_path / "weights")
    settings = tmp_path / "weights/tagger.json"
    settings.write_text(json.dumps(json.loads(settings.read_text("utf-8")) | {"sha256": "0"}), "utf-8")
    with pytest.raises(ModelError, match="damaged"):
        Tagger(tmp_path / "weights").read([Passage("m", PLAIN, "")])


@pytest.mark.parametrize("name", ["tagger.json", "tagger.onnx", "tokenizer.json", "words.bin"])
def test_a_missing_file_of_weights_is_named(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(WEIGHTS, tmp_path / "weights")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"{name} is missing") as caught:
        Tagger(folder).read([Passage("m", PLAIN, "")])
    assert (caught.value.hint, caught.value.exit_code) == ("reinstall evermem", 3)


def test_labelled_messages_keep_to_the_guide() -> None:
    known = check.kinds()
    folder = Path(check.__file__).with_name("messages")
    counts = dict.fromkeys(("en", "zh"), 0)
    for path in folder.glob("*/*.jsonl"):
        lines = path.read_text("utf-8").splitlines()
        assert [fault for line in lines for fault in check.faults(line, known)] == [], path
        counts[path.parent.name] += len(lines)
    assert counts["en"] >= 3000 and counts["zh"] >= 1500
