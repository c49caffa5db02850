"""What somebody only meant to do: of "I want to buy a racket" a small model makes one bought."""

from collections.abc import Iterable

from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.recollection.questions.deeds import Deed
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.verbs import has_verb, is_open, is_past
from evermem_cli.recollection.words import content_stems

_POINTING = frozenset("it one ones them that this these those".split())


def lacks_deed(question: Question, recollection: Recollection) -> bool:
    """Whether it asks if somebody did something, and all that is told of it is that they mean to.

    What is denied is ground for an answer, and so is "it" with the very verb.
    """
    deed = question.deed
    return deed is not None and any(
        _is_only_meant(deed, recollection.said_by(name), recollection.said_beside(name))
        for name in question.whose.subjects
    )


def _is_only_meant(deed: Deed, own: Iterable[str], others: Iterable[str]) -> bool:
    verb, asked = deed.verb, deed.stems
    own, others = ([each.casefold() for text in said for each in split_sentences(text)] for said in (own, others))

    def tells(sentence: str) -> bool:
        return has_verb(verb, sentence) and not (asked | _POINTING).isdisjoint(
            content_stems(sentence) | set(sentence.split())
        )

    if any(tells(each) and is_past(verb, each) for each in others):
        return False
    told = [each for each in own if tells(each) or asked & content_stems(each)]
    return any(map(tells, told)) and all(is_open(verb, each) for each in told)
