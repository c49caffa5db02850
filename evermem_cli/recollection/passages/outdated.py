"""Excludes numbers that the asker has updated since: "four restaurants" today, "three" in spring."""

from collections.abc import Sequence

from evermem_cli.languages.words import content_stems
from evermem_cli.memory import Evidence, Role
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.search.ranking import TELLS_NUMBER
from evermem_cli.recollection.search.sittings import SITTING

LEAST_SHARED = 2  # words shared with the question; a single one may belong to another subject
NEARLY = 1  # words fewer than the best that still mean the same subject


def without_outdated(question: Question, hits: Sequence[Evidence]) -> list[Evidence]:
    """The hits without numbers about the same subject from before the asker's last one.

    Only where the question asks for a present number, since a small model that reads both takes either. Chats between
    people are unchanged, because it matters there whose number it is.
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
