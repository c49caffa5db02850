"""Whether the best evidence for a question is withheld from the agent that asks.

The rest may then tell the contrary: of "I missed the race", "Registered for the race!" alone is left.
"""

from dataclasses import replace

from evermem_cli.engines import Embedder
from evermem_cli.memory import Filter
from evermem_cli.reading.answerability import Answerability
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.search.answer_check import MOST_CHECKED, check_hits
from evermem_cli.recollection.search.find import find
from evermem_cli.store import Store

# How far below the best result that is shown a hidden one may be. With all about health, money and love hidden in 12
# chats that nothing was learned from, 276 of 307 questions with a hidden answer are then refused, and 23 of the 125
# others (292 and 68 where one of the owner's three best results is hidden; at 0, 252 and 17).
REACH = 1.0


def withholds_best(question: Question, store: Store, embedder: Embedder, check: Answerability, where: Filter) -> bool:
    """Whether a hidden result is about as good as the best one that is shown.

    Raises StoreError, StoreBusy, ModelError.
    """
    if store.access is None and store.public is None:
        return False
    with store.read_withheld() as reader:
        if not reader.is_any():
            return False
    owners = replace(store, access=None, public=None)
    hits = find(question.query, owners, embedder, where, MOST_CHECKED)
    with owners.read() as reader:
        around = reader.messages.neighbours([message.id for hit in hits for message in hit.messages], 1)
    checked = check_hits(question, hits, around, check)
    with store.read_withheld() as reader:
        hidden = {hit.id for hit in checked if reader.count({message.id for message in hit.messages})}
    shown = [hit.score for hit in checked if hit.id not in hidden]
    return any(hit.score >= max(shown, default=hit.score) - REACH for hit in checked if hit.id in hidden)
