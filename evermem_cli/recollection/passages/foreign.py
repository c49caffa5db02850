"""Excludes text that is not the speaker's own: a pasted e-mail does not show where the asker lives."""

from collections.abc import Sequence, Set

from evermem_cli.memory import Evidence
from evermem_cli.reading.statements.labels import Owner
from evermem_cli.recollection.questions.question import Question


def asks_of_asker(question: Question) -> bool:
    """Whether the question is about the asker, and not about what a text said."""
    profile = question.profile
    return profile.owner is Owner.ASKER and (bool(profile.attribute) or profile.permission is not None)


def without_foreign(hits: Sequence[Evidence], foreign: Set[str]) -> list[Evidence]:
    """The hits that are based on other messages than those in `foreign`, whose statements are about nobody."""
    return [hit for hit in hits if not all(message.id in foreign for message in hit.messages)]
