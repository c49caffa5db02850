"""Numbers that the asker has told anew since: "four restaurants" today, where it was "three" in spring."""

from collections.abc import Sequence

from evermem_cli.languages.words import content_stems
from evermem_cli.memory import Evidence, Role
from evermem_cli.recollection.passages.lines import SITTING
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.search.ranking import TELLS_NUMBER

LEAST_SHARED = 2  # words with the question: one alone may be another matter's
NEARLY = 1  # words fewer than the best, and still about the same


def without_outdated(question: Question, hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits without numbers on the very subject from before the asker told the last one.

    Only where the question asks for a number as it is now: a small model that reads both takes either. Chats between
    people are left as they are, because whose number it is matters there.
    """
    wants = question.wants
    if not wants.how_things_are or not (wants.number or wants.time):
        return list(hits)
    asked = question.terms.stems
    shared = {hit.id: len(asked & content_stems(hit.text)) for hit in hits if TELLS_NUMBER.search(hit.text)}
    least = max(LEAST_SHARED, max(shared.values(), default=0) - NEARLY)
    alike = [hit for hit in hits if shared.get(hit.id, 0) >= least]
    own = [hit for hit in alike if any(message.role is Role.USER for message in hit.messages)]
    if not own:
        return list(hits)
    since = max(hit.said_at for hit in own) - SITTING
    outdated = {hit.id for hit in alike if hit.said_at < since}
    return [hit for hit in hits if hit.id not in outdated]
