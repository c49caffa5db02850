"""Writing: the model answers from the passages, in the form that the question wants, and the answer is cited."""

from dataclasses import replace

from evermem_cli.languages.language import UNSPACED, language
from evermem_cli.languages.words import content_stems
from evermem_cli.memory import Evidence
from evermem_cli.recollection.dates import in_tongue
from evermem_cli.recollection.generation.answers import Answer, answer_of
from evermem_cli.recollection.generation.citations import (
    cite,
    has_invented_amount,
    has_invented_name,
    likeliest,
    repeats_question,
)
from evermem_cli.recollection.generation.lists import cite_each, in_parts, listed
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN, AnswerStream, refuses
from evermem_cli.recollection.generation.requests import answer_request, other_than
from evermem_cli.recollection.generation.talk import Talk
from evermem_cli.recollection.generation.told_dates import date_as_told
from evermem_cli.recollection.passages.lines import Passage
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

# The budget in tokens is estimated, so that no model is loaded just to count. English chats have 4.1 characters per
# token of the default model.
CHARACTERS_PER_TOKEN = 4
# A date may come from a passage that shares a word with the question, or that has at least this cosine to it. Of 127
# dates given for questions of LoCoMo and LongMemEval two come from other passages, and both are wrong.
NEAR = 0.4


def write_answer(question: Question, recollection: Recollection, talk: Talk) -> Answer:
    """The model's answer if a message supports it, else "not known". Raises ModelError."""
    if question.form is Form.DATE:
        text = _written_date(question, recollection, talk)
        return answer_of(text, question, recollection, cite(text, question, recollection.lines))
    if question.form is Form.SEVERAL:
        text = listed(question, recollection, talk, in_parts(recollection.passages, tokens_in))
        return answer_of(text, question, recollection, cite_each(text, question, recollection.lines))
    text = _written(question, recollection, talk)
    cited = _cited(text, question, recollection, talk)
    text = text if cited else NOT_KNOWN[question.language]
    talk.tell(text)
    return answer_of(text, question, recollection, cited)


def _cited(text: str, question: Question, recollection: Recollection, talk: Talk) -> list[Evidence]:
    """The results that support an answer; none for one that says nothing beyond the question.

    Without an adapter, a model that uses words of no line has invented them.
    """
    lines = recollection.lines
    invented = has_invented_amount(text, question, lines) or has_invented_name(text, question, lines)
    if invented or repeats_question(text, question):
        return []
    return cite(text, question, lines) or (likeliest(text, lines) if talk.adapter(question.language) else [])


def tokens_in(text: str) -> int:
    """About how many tokens a text has. A script without spaces has about one token per character."""
    unspaced = sum(map(len, UNSPACED.findall(text)))
    return unspaced + (len(text) - unspaced) // CHARACTERS_PER_TOKEN


def _written(question: Question, recollection: Recollection, talk: Talk) -> str:
    """The model's answer. Asked who inspired Ann, a small model says "Ann", so it is asked again for somebody else."""
    request, whose = answer_request(question, recollection, talk.adapter(question.language)), question.whose
    requests, people = [request], whose.named | ({whose.asker} if whose.says_i else set())
    if question.form is Form.PERSON and len(people) == 1:
        another = replace(request, pattern=other_than(*people))
        requests = [another] if question.done_by_another else [request, another]
    for attempt in requests:
        stream = AnswerStream(question, lambda _: talk.tell(""))  # it is shown when whole
        talk.say(attempt, stream)
        if not stream.only_repeats:
            break
    return stream.end()


def _written_date(question: Question, recollection: Recollection, talk: Talk) -> str:
    """A date. It is handed on whole, because its wording may change."""
    tongue, lines = question.language, recollection.lines
    adapter = talk.adapter(tongue)
    reply = talk.say(answer_request(question, recollection, adapter))
    text = "" if refuses(reply) else date_as_told(reply, question, lines)
    cited = _cited(text, question, recollection, talk)[:1]
    invented = not adapter and any(is_of_another_thing(question, hit, recollection.passages) for hit in cited)
    if not text or invented:
        text = NOT_KNOWN[tongue]
    talk.tell(in_tongue(text, recollection.memory.now, tongue))
    return text


def is_of_another_thing(question: Question, cited: Evidence, passages: tuple[Passage, ...]) -> bool:
    """Whether the cited passage shares no word with the question and is not near it in meaning.

    Asked for the date of something that nobody mentioned, a small model takes any date that it reads. Names of
    speakers do not count, because all passages contain them. False if one of the texts is not English, since their
    words cannot be compared then, and if the result has no cosine because no search returned it.
    """
    passage = next((passage for passage in passages if any(line.evidence.id == cited.id for line in passage)), ())
    text = " ".join(line.text for line in passage)
    asked = question.terms.all_stems - content_stems(" ".join(line.message.speaker for line in passage))
    if not passage or not asked or cited.cosine is None or {question.language, language(text)} != {"en"}:
        return False
    return cited.cosine < NEAR and asked.isdisjoint(content_stems(text))
