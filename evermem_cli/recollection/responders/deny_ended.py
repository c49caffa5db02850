"""Answers no about what was expected to end by now: "Do I have a cold?" a month after "I have a cold"."""

from evermem_cli.languages.words import content_stems
from evermem_cli.memory import Foresight, seen_from
from evermem_cli.recollection.dates import day, since_when
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import NO, Note
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

UNTIL = {"en": 'said on {}: "{}", expected until {}', "zh": "{}说“{}”，预计到{}为止"}


def deny_ended(question: Question, recollection: Recollection) -> Answer | None:
    """No, with what was said and its expected end; None unless the last hit with all words of the question has one.

    Only for questions about the present.
    """
    memory, asked, tongue = recollection.memory, question.terms.stems, question.language
    if question.form is not Form.POLAR or not question.wants.present or not asked:
        return None
    hits = [hit for hit in recollection.hits if hit.messages and asked <= content_stems(hit.text)]
    if not hits:
        return None
    [message, *_] = max(hits, key=lambda hit: hit.said_at).messages
    with memory.store.read() as reader:
        foresights = [
            one for one in reader.topics.foresights_from([message.id]) if asked <= content_stems(one.evidence)
        ]
    if not foresights or not all(_is_over(foresight, recollection) for foresight in foresights):
        return None
    last = foresights[-1]
    assert last.end_time
    end = since_when(seen_from(last.end_time, memory.now.tzinfo), tongue)
    text = NO[tongue] + UNTIL[tongue].format(day(message.local_time, tongue), last.evidence.strip(), end)
    return answer_from([Note(text, last.message_ids)], question, recollection)


def _is_over(foresight: Foresight, recollection: Recollection) -> bool:
    return foresight.end_time is not None and foresight.end_time < recollection.memory.now
