"""Excludes text that is not the speaker's own: a pasted e-mail does not show where the asker lives."""

from collections.abc import Sequence, Set

from evermem_cli.memory import Evidence
from evermem_cli.recollection.questions.question import Question


def asks_of_asker(question: Question) -> bool:
    """Whether the question is about the asker, and not about what a text said."""
    profile = question.profile
    own = (profile.now, profile.then, profile.duration, profile.permission, profile.possession)
    return (
        question.whose.says_i and not question.whose.named and any(question_kind is not None for question_kind in own)
    )


def without_foreign(hits: Sequence[Evidence], foreign: Set[str]) -> list[Evidence]:
    """The hits that are based on other messages than those in `foreign`, whose statements are about nobody."""
    return [hit for hit in hits if not all(message.id in foreign for message in hit.messages)]
