"""Names who did something, from what people say about themselves: "Who cleared the cache?", "I cleared the old cache".

A small model that is asked who cleared the cache names anybody whose messages it reads.
"""

import re

from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.words import content_stems
from evermem_cli.memory import Role
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.questions.deeds import Deed
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.search.folding import messages_of
from evermem_cli.recollection.verbs import UNDONE, has_verb, is_past

_OWN = re.compile(
    r"\bi(?:['’](?:m|ve|ll))?\s(?:(?:am|was|have|had|will|did|do|just|also|already|finally|even|then|now|really|"
    r"recently|actually|going|to|the|one|who|ones)\s)*(?P<verb>[a-z]+)"
)


def name_doer(question: Question, recollection: Recollection) -> Answer | None:
    """Everybody who says so about themselves; None where nobody does, since somebody else may have done it."""
    deed, user_id = question.done_by_whom, recollection.memory.user_id
    if deed is None or user_id is None:
        return None
    messages = messages_of(recollection.hits)
    said = [message for message in messages if message.role is not Role.ASSISTANT and _says(deed, message.text)]
    text = ", ".join(dict.fromkeys("you" if message.user_id == user_id else message.speaker for message in said))
    notes = [Note(text, tuple(message.id for message in said))] if said else []
    return answer_from(notes, question, recollection)


def _says(deed: Deed, text: str) -> bool:
    """Whether somebody says that they do, did or will do it."""
    return any(
        deed.stems <= content_stems(sentence)
        and any(has_verb(deed.verb, own["verb"]) for own in _OWN.finditer(sentence))
        and not (is_question(sentence) or UNDONE.search(sentence))
        and (is_past(deed.verb, sentence) or not is_past(deed.verb, deed.verb))
        for sentence in map(str.casefold, split_sentences(text))
    )
