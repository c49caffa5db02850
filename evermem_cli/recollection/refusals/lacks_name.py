"""Nothing that was found has a name that the question has: "my flat in Shinjuku"."""

from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.words import content_stems


def lacks_name(question: Question, recollection: Recollection) -> bool:
    """Whether it is about oneself and something by a name of which no text has a word.

    Of 150 questions of LongMemEval about one's own chats that have an answer none lacks one, of 15 without one 2. What
    one asks of others is left alone: of LoCoMo's 113 with a name 6 say "Canada" for "Toronto" or the like.
    """
    known = content_stems(" ".join([*recollection.quotes, *(hit.text for hit in recollection.hits)]))
    return any(name.isdisjoint(known) for name in question.subject.names)
