"""Excludes answers that were replaced later: "110 a day" once "Gaz has put me up to 125" was said."""

from collections.abc import Sequence

from evermem_cli.languages.language import language
from evermem_cli.memory import NARRATIVES, Evidence, Message
from evermem_cli.reading.standing import Said, Standing
from evermem_cli.recollection.passages.extracts import extract
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question

MOST_COMPARED = 8  # hits, best first; further ones are hardly read
LANGUAGES = ("en",)  # that the reader of what stands knows


def replaced_ids(question: Question, hits: Sequence[Evidence], standing: Standing) -> frozenset[str]:
    """The messages among the best hits (by id) whose answer to the question a later one has replaced.

    None for a question that asks for several things, since what was so before may be one of them. Raises ModelError.
    """
    if question.form is Form.SEVERAL or question.language not in LANGUAGES:
        return frozenset()
    said = {message.id: message for hit in hits[:MOST_COMPARED] for message in _messages(hit)}
    messages = sorted(said.values(), key=lambda message: (message.said_at, message.ordinal))
    texts = [
        Said(message.local_time, message.speaker, extract(message.text, question.terms.stems)) for message in messages
    ]
    marks = standing.replaced(question.with_asker, texts)
    return frozenset(message.id for message, is_replaced in zip(messages, marks, strict=True) if is_replaced)


def _messages(hit: Evidence) -> Sequence[Message]:
    return hit.messages if hit.kind not in NARRATIVES and language(hit.text) in LANGUAGES else ()
