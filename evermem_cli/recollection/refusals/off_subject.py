"""Refuses if no result is related to the question."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# If no word of the question is among the best results and none is nearer in meaning, memory has nothing on the subject.
# In the sample chats such questions are at 0.18 to 0.27, all others above.
NEAREST = 0.26
BEST = 5


def off_subject(question: Question, recollection: Recollection) -> bool:
    """Whether the best hits have no word of the question and none is near it, unless a round was judged sufficient."""
    if recollection.is_judged_sufficient:
        return False
    ranked = sorted((hit for hit in recollection.hits if hit.why), key=lambda hit: -hit.score)
    nearest = max((hit.cosine for hit in ranked if hit.cosine is not None), default=NEAREST)
    return nearest < NEAREST and not any(hit.why.parts["words"] for hit in ranked[:BEST] if hit.why)
