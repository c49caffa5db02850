"""Numbers that the asker has told anew since: "four restaurants" today, where it was "three" in spring."""

from collections.abc import Sequence

from evermem_cli.memory import Evidence, Role
from evermem_cli.recollection.passages import SITTING
from evermem_cli.recollection.question import WANTS_NUMBER, WANTS_TIME, asks_how_things_are, content_stems
from evermem_cli.recollection.ranking import TELLS_NUMBER

LEAST_SHARED = 2  # words with the question: one alone may be another matter's
NEARLY = 1  # words fewer than the best, and still about the same


def without_outdated(question: str, found: Sequence[Evidence]) -> list[Evidence]:
    """What was found, without numbers on the very subject from before the asker told the last one.

    Only where the question is for a number as it is now: a small model that reads both takes either. Chats between
    people are left as they are, because whose number it is matters there.
    """
    if not asks_how_things_are(question) or not (WANTS_NUMBER.search(question) or WANTS_TIME.search(question)):
        return list(found)
    asked = content_stems(question)
    shared = {each.id: len(asked & content_stems(each.text)) for each in found if TELLS_NUMBER.search(each.text)}
    least = max(LEAST_SHARED, max(shared.values(), default=0) - NEARLY)
    alike = [each for each in found if shared.get(each.id, 0) >= least]
    own = [each for each in alike if any(message.role is Role.USER for message in each.messages)]
    if not own:
        return list(found)
    since = max(each.said_at for each in own) - SITTING
    outdated = {each.id for each in alike if each.said_at < since}
    return [each for each in found if each.id not in outdated]
