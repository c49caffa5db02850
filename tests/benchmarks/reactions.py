"""What is heard in a user's remark about an assistant's last reply, sentence by sentence, against blind hands.

    python -m tests.benchmarks.reactions

`tests/training/reactions` has replies, remarks and a label for each sentence; at least half of the judging sentences
tell it by what happened, without the usual words of praise or complaint. Nothing has learned from them yet.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from evermem_cli.experience.exchanges import find_exchanges
from evermem_cli.experience.reactions import Reaction
from tests.support.chats import cell

HANDS = Path(__file__).parents[1] / "training" / "reactions"
JUDGING = {Reaction.GOOD.value, Reaction.BAD.value, Reaction.MIXED.value}
REQUESTS = {"en": "Can you help me with this?", "zh": "你能帮我一下吗？"}
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])\s*")
_OTHER = "other"


def main() -> None:
    """Prints a row for each hand."""
    for path in sorted(HANDS.glob("*.jsonl")):
        pairs = [pair for line in path.read_text("utf-8").splitlines() for pair in _pairs(json.loads(line), path.stem)]
        heard = [(label, told) for label, told in pairs if told in JUDGING]
        figures = {
            "sentences": len(pairs),
            "judging": sum(label in JUDGING for label, _ in pairs),
            "heard": len(heard),
            "right": sum(label == told for label, told in heard),
            "opposite": sum({label, told} == {Reaction.GOOD.value, Reaction.BAD.value} for label, told in heard),
            "not judging": sum(label not in JUDGING for label, _ in heard),
        }
        print(json.dumps({"benchmark": "reactions", "hand": path.stem, **figures}))


def _pairs(row: dict[str, object], hand: str) -> Iterator[tuple[str, str]]:
    """The label of each sentence, and what was heard in it."""
    lines = (("User", REQUESTS[hand[:2]]), ("Assistant", str(row["before"])), ("User", str(row["text"])))
    feedback = (remark for exchange in find_exchanges([cell(*lines)]) for remark in exchange.feedback)
    heard = {sentence: reaction.value for _, sentence, reaction in feedback}
    sentences = [sentence for sentence in _END.split(str(row["text"])) if sentence.strip()]
    labels = row["s"]
    assert isinstance(labels, list)
    yield from ((label, heard.get(sentence, _OTHER)) for label, sentence in zip(labels, sentences, strict=True))


if __name__ == "__main__":
    main()
