"""Refuses if nobody says that they have the thing asked about."""

from collections.abc import Iterable, Set

from evermem_cli.consolidation.assertions import asserted
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection


def lacks_possession(question: Question, recollection: Recollection) -> bool:
    """Whether it asks if somebody has any, and nothing that the person says asserts having one.

    From "I'm thinking of getting a car" a small model infers a car, and from somebody else's brother one's own.
    """
    asked = question.profile.possession
    return asked is not None and any(
        asked.is_about(name) and not _has_any(asked.of.attributes, recollection.said_by(name))
        for name in question.whose.subjects
    )


def _has_any(attributes: Set[str], texts: Iterable[str]) -> bool:
    return any(attribute in attributes for text in texts for attribute, _ in asserted(text))
