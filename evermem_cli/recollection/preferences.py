"""What a request for advice should heed: likes, limits and circumstances, in the words in which they were said."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from evermem_cli.engines import Embedder
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.memory import Evidence, Message, Stance, Statement
from evermem_cli.reading.statements import labels
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.search.folding import messages_of
from evermem_cli.store import Searcher

MOST = 3  # remarks in an answer
# The kinds of statement that matter to advice: pets, health, what one may not or does not do or have, likes and habits.
KINDS = labels.KINDS[labels.KINDS.index("pets") : labels.KINDS.index("habits") + 1]
# Remarks that are compared with the question, the latest ones. Embedding one takes some 3 ms.
COMPARED = 200
# The cosine below which a remark has nothing to do with the question. Of PrefEval's questions (the half that chose),
# 95 of 100 have a larger one with the preference that they are about, and 25 of 100 with another person's.
NEAR = 0.17
# The same for sentences in which the tagger read nothing of the kind.
NEAR_UNREAD = 0.3
_SAID = {
    True: {"en": 'You said on {at}: "{words}"', "zh": "你在{at}说过：“{words}”"},
    False: {"en": '{name} said on {at}: "{words}"', "zh": "{name}在{at}说过：“{words}”"},
}


@dataclass(frozen=True, slots=True)
class _Remark:
    """A sentence in which a person states something that holds, and its message."""

    message: Message
    words: str


def preferences(
    question: Question, hits: Iterable[Evidence], memory: MemoryView, reader: Searcher, embedder: Embedder
) -> tuple[Note, ...]:
    """What matters to the advice asked for, nearest first; empty for other questions. Raises StoreError, ModelError.

    The tagger misses some likes and limits, so what was said among the `hits` counts, too, if it is nearer; not so in
    Chinese, where the default embedder tells no likeness.
    """
    if not question.wants.advice or memory.user_id is None:
        return ()
    speakers = question.whose.named or reader.names.of_user(memory.user_id)
    stated = _stated(speakers, memory, reader)
    heard = hits if question.language == "en" else ()
    said = [remark for remark in _said(speakers, heard) if remark not in stated]
    remarks = [*stated, *said]
    if not remarks:
        return ()
    asked, *vectors = embedder.embed([question.query.spoken, *(remark.words for remark in remarks)])
    margins = np.asarray(vectors) @ asked - np.repeat([NEAR, NEAR_UNREAD], [len(stated), len(said)])
    nearest = np.argsort(-margins, kind="stable")[:MOST]
    return tuple(_note(remarks[place], question) for place in nearest if margins[place] >= 0)


def _stated(speakers: Iterable[str], memory: MemoryView, reader: Searcher) -> dict[_Remark, None]:
    """The sentences in which these people said of themselves what holds, oldest first."""
    stated = [one for one in reader.statements.own(speakers, KINDS, memory.known_by, COMPARED) if _holds(one)]
    said = reader.candidates.evidence_of([one.message_id for one in stated])
    messages = {message.id: message for evidence in said for message in evidence.messages}
    return dict.fromkeys(
        _Remark(message, sentence)
        for one in stated
        if (message := messages.get(one.message_id))
        for sentence in split_sentences(message.text)
        if one.value in sentence
    )


def _said(speakers: Collection[str], hits: Iterable[Evidence]) -> dict[_Remark, None]:
    """What these people said, sentence by sentence, without questions."""
    return dict.fromkeys(
        _Remark(message, sentence)
        for message in messages_of(hits)
        if message.speaker in speakers
        for sentence in split_sentences(message.text)
        if not is_question(sentence)
    )


def _holds(statement: Statement) -> bool:
    return statement.is_asserted and statement.stance not in (Stance.ENDED, *labels.UNASSERTED)


def _note(remark: _Remark, question: Question) -> Note:
    name, tongue = remark.message.speaker, question.language
    own = name not in question.whose.named
    at = day(remark.message.local_time, tongue)
    return Note(_SAID[own][tongue].format(name=name, at=at, words=remark.words), (remark.message.id,))
