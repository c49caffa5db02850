"""What an agent is refused since something is withheld from it: `python -m tests.benchmarks.withheld --work DIR`.

In the twelve chats of tests/training/chats that nothing was learned from, all messages about health, money and love
are hidden. A question whose answer is hidden should be refused, and one whose answer is shown should not. No language
model. Memories are kept in `--work`.
"""

import argparse
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from evermem_cli.ask import Inquiry
from evermem_cli.config import PRIVACY, Settings
from evermem_cli.memory import Access, Filter, Tier
from evermem_cli.reading.answerability import Answerability
from evermem_cli.recollection.generation.talk import Talk, ignore
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.search.withheld import withholds_best
from tests.benchmarks.refusals import asking_without_llm, memory_of, no_llm
from tests.training.chats import Chat, chats
from tests.training.linear import chosen_embedder
from tests.training.recalled import rows_of

UNLEARNED = frozenset("ijklmn")  # authors
HIDDEN = frozenset("health finance relationships".split())
_AGENT = Access(agent="travel", reason="", command="ask", tiers=dict.fromkeys(PRIVACY, Tier.PUBLIC))


def main() -> None:
    """Prints how many questions are refused, by where their answers are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for the memories")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    counts: Counter[str] = Counter()
    for chat in (each for each in chats() if each.name[0] in UNLEARNED):
        counts += _refused(chat, options.work)
        print(chat.name, dict(counts), flush=True)
    print(json.dumps({"benchmark": "withheld", **counts}))


def _refused(chat: Chat, work: Path) -> Counter[str]:
    embedder, check = chosen_embedder(), Answerability()
    store = memory_of(chat.name, rows_of(chat), work, embedder, chat.me)
    with store.read() as reader:
        messages = [message for cell in reader.topics.memcells() for message in cell.messages]
    with store.privacy(write=True) as opened:
        for message in messages:
            areas = chat.messages[int(message.external_id)].areas
            opened.set_tier(message.id, Tier.PUBLIC if HIDDEN.isdisjoint(areas) else Tier.PRIVATE)
    now = chat.asked_at
    where = Filter(user_id=Settings.load().user, as_of=now)
    asking = asking_without_llm(store, embedder)
    memory = MemoryView(store, where, now)
    inquiry = Inquiry(asking, memory, Talk(no_llm, ignore, "none", None), asking.reader(memory))
    agent = replace(store, access=_AGENT)
    counts: Counter[str] = Counter()
    for asked in chat.questions:
        touched = {area for place in asked.now for area in chat.messages[place].areas}
        kind = "hidden" if HIDDEN & touched else "shown" if asked.now else "untold"
        counts[kind] += 1
        counts[f"{kind}, refused"] += withholds_best(inquiry.read(asked.q), agent, embedder, check, where)
    return counts


if __name__ == "__main__":
    main()
