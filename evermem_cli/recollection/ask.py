"""The workflow from question to answer: recall, judge whether that is enough, search in other words, answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from evermem_cli.engines import Embedder, Llm
from evermem_cli.language import UNSPACED, language
from evermem_cli.memory import Filter, Mode
from evermem_cli.recollection.answer import (
    YES,
    Answer,
    answer_request,
    cite,
    other_than,
    rewrite_request,
    said_on,
    sufficiency_request,
)
from evermem_cli.recollection.attribution import is_about_another, is_of_another_thing, is_off_subject
from evermem_cli.recollection.dated import in_tongue
from evermem_cli.recollection.deeds import lacks_deed
from evermem_cli.recollection.form import ASKS_WHO_DID, Form, form_of, wants_much
from evermem_cli.recollection.grounds import (
    lacks_attribute,
    lacks_name,
    lacks_particular,
    lacks_person,
    lacks_referent,
    lacks_relation,
    lacks_value,
)
from evermem_cli.recollection.lists import cite_each, in_parts, listed
from evermem_cli.recollection.parts import parts, together, with_name
from evermem_cli.recollection.passages import Reading
from evermem_cli.recollection.phrasing import NOT_KNOWN, Direct, date_as_told, refuses
from evermem_cli.recollection.question import FIRST_PERSON, Days, content_words
from evermem_cli.recollection.recall import Recollection, recall, recall_more
from evermem_cli.recollection.reckoning import days_told, reckoning
from evermem_cli.recollection.talk import Talk, ignore
from evermem_cli.recollection.whether import lacks_ground
from evermem_cli.store import Store

# A budget in tokens is estimated, so that nothing waits for a model that is not needed: chats in English have 4.1
# characters to the token of the default model.
CHARACTERS_PER_TOKEN = 4
# Where one thing is asked for: of LoCoMo's questions for a time or a single fact as many have their evidence in 400
# tokens as in 600 (87 of 100), of those for several things 70 and 91 (n = 102).
ENOUGH_FOR_ONE = 2 / 3
# What asks for a list is read further, but only what is likely enough: nearly all evidence for LoCoMo's lists that is
# among the 30 best results has a score at most 4 below the best; some questions have 5 such results, and some 25.
ENOUGH_FOR_LISTS = 3 / 2
REACH_OF_LISTS = 4.0
MOST_ROUNDS = 4  # the first search and three rewrites


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What questions are asked with.

    `budget` is how many tokens of memory each search may give the model to read at most; `on_round` hears of each
    further search before it is made. `load_llm` gives the model named `llm`, when that is to be asked something.
    """

    store: Store
    embedder: Embedder
    llm: str
    load_llm: Callable[[], Llm]
    budget: int
    mode: Mode
    on_text: Callable[[str], None]
    on_round: Callable[[str], None]

    def ask(self, question: str, where: Filter, now: datetime) -> Answer:
        """Answers from the memories that `where` lets pass, as of `now`. Raises StoreError, StoreBusy, ModelError.

        What dates tell is worked out from them, and each part of a question of two is answered by itself.
        """
        talk = Talk(self.load_llm, self.on_text, self.llm, self.store.replies)
        if self.mode is not Mode.LIGHT and (said := self._work_out(question, where, now, talk)):
            return said
        asked = parts(question)
        if len(asked) == 1 or self.mode is Mode.LIGHT:
            return self._ask(question, where, now, talk)
        talk.on_text = ignore
        first = self._ask(asked[0], where, now, talk)
        rest = [self._ask(with_name(each, first), where, now, talk) for each in asked[1:]]
        said = together(question, [first, *rest], talk.timings())
        self.on_text(said.text)
        return said

    def _work_out(self, question: str, where: Filter, now: datetime, talk: Talk) -> Answer | None:
        """The answer that code works out from dates, each asked for by itself; "not known" where memory lacks one.

        None where they do not tell it, and for other questions.
        """
        worked_out = reckoning(question, now)
        if worked_out is None:
            return None
        talk.on_text = ignore
        said: list[Answer] = []
        days: list[Days] = []
        for each in worked_out.questions:
            said.append(self._ask(each, where, now, talk))
            told = days_told(said[-1].text, now) if said[-1].known else None
            if told is None:
                break
            days.append(told)
        talk.on_text = self.on_text
        both = together(question, said, talk.timings())
        if refuses(said[-1].text):
            both = replace(both, text=NOT_KNOWN[language(question)], known=False, citations=())
        elif len(days) == len(worked_out.questions) and (text := worked_out.work_out(days)):
            both = replace(both, text=text)
        else:
            return None
        talk.tell(both.text)
        return both

    def _ask(self, question: str, where: Filter, now: datetime, talk: Talk) -> Answer:
        """The answer to one question."""
        reading = self._reading(question, now)
        read = recall(question, self.store, self.embedder, where, reading)
        if self.mode is Mode.AGENTIC and read.answer is None:
            search = partial(recall_more, store=self.store, embedder=self.embedder, where=where, reading=reading)
            read = self._search_on(question, read, search, talk)
        talk.note_search()
        if self.mode is Mode.LIGHT:
            return evidence_only(question, now, read, talk)
        answered = answer(question, now, read, talk, self.mode)
        talk.keep()
        return answered

    def _reading(self, question: str, now: datetime) -> Reading:
        """How much is read for a question: for several things more, if what is found is about as likely as the best."""
        if form_of(question) is Form.SEVERAL:
            budget = int(self.budget * ENOUGH_FOR_LISTS)
            return Reading(now=now, question=question, budget=budget, count=_estimate, reach=REACH_OF_LISTS)
        budget = self.budget if wants_much(question) else int(self.budget * ENOUGH_FOR_ONE)
        return Reading(now=now, question=question, budget=budget, count=_estimate)

    def _search_on(
        self, question: str, read: Recollection, search: Callable[[str, Recollection], Recollection], talk: Talk
    ) -> Recollection:
        """Has the model judge what was read and searches in its other words, until that is enough or the last round.

        Where it repeats itself, the words alone that the question is about are searched for once.
        """
        while True:
            read = read.judged(talk.say(sufficiency_request(question, read)) == YES[language(question)])
            if read.is_enough or len(read.rounds) == MOST_ROUNDS:
                return read
            tried = {done.query.casefold() for done in read.rounds}
            bare = content_words(question) if language(question) == "en" else ""  # of Chinese the index has bigrams
            wordings = (talk.say(rewrite_request(question, read)), bare)
            query = next((wording for wording in wordings if wording and wording.casefold() not in tried), None)
            if query is None:
                return read
            self.on_round(query)
            read = search(query, read)


def answer(question: str, as_of: datetime, read: Recollection, talk: Talk, mode: Mode) -> Answer:
    """Has the model answer from the passages alone; what a profile answers wholly needs no model.

    Known unless the passages are judged not to tell, are off the subject, were said by somebody else than the question
    asks about, or hold nothing of what the model says. Raises ModelError.
    """
    if read.answer is None and read.lines and read.is_enough and _can_answer(question, read):
        text = _answered(question, as_of, read, talk)
    else:
        text = read.answer or NOT_KNOWN[language(question)]
        talk.tell(text)
    if read.answer:
        citations = cite(text, question, read.notes)
    else:
        citations = (cite_each if form_of(question) is Form.SEVERAL else cite)(text, question, read.lines)
    return Answer(
        question=question,
        as_of=as_of,
        text=in_tongue(text, as_of, language(question)) if form_of(question) is Form.DATE else text,
        known=bool(citations),
        citations=tuple(citations),
        read=read,
        mode=mode,
        model=talk.model if talk.asked else None,
        timings=talk.timings(),
        tokens=talk.tokens,
    )


def _answered(question: str, as_of: datetime, read: Recollection, talk: Talk) -> str:
    """The model's answer, told as it is written; a date is told whole, because it may have to be put otherwise.

    Asked who inspired Ann, a small model says that Ann did: it is asked for somebody else.
    """
    request = answer_request(question, as_of, read)
    if form_of(question) is Form.DATE:
        reply = talk.say(request)
        text = "" if refuses(reply) else date_as_told(reply, question, read.lines, said_on)
        cited = cite(text, question, read.lines)[:1]
        if not text or any(is_of_another_thing(question, each, read.passages) for each in cited):
            text = NOT_KNOWN[language(question)]
        talk.tell(in_tongue(text, as_of, language(question)))
        return text
    asker = {read.asker} if FIRST_PERSON.search(question) else set()
    asked = " ".join([question, *asker])
    if form_of(question) is Form.SEVERAL:
        return listed(question, asked, as_of, read, talk, in_parts(read.passages, _estimate))
    requests, people = [request], read.named | asker
    if form_of(question) is Form.PERSON and len(people) == 1:
        another = replace(request, pattern=other_than(*people))
        requests = [another] if ASKS_WHO_DID.match(question.strip()) else [request, another]
    for each in requests:
        direct = Direct(asked, talk.tell)
        talk.say(each, direct)
        if not direct.only_repeats:
            break
    return direct.end()


def _can_answer(question: str, read: Recollection) -> bool:
    """Whether a profile knows of it, or what was found is on the subject, of the one and of the thing asked about."""
    told = [f"{line.message.speaker}: {line.message.text}" for line in read.lines]
    if lacks_referent(question) or lacks_relation(question, told) or lacks_person(question, told):
        return False
    if lacks_value(question, read.named | {read.asker}, told) or _lacks_any(question, read):
        return False
    if read.notes:
        return True
    if lacks_attribute(question, told) or lacks_particular(question, told):
        return False
    if lacks_name(question, [*told, *(each.text for each in read.evidence)]) or _lacks_deed(question, read):
        return False
    judged = any(done.sufficient for done in read.rounds)
    about_another = is_about_another(read.named, read.evidence, several=wants_much(question))
    return not (about_another or (not judged and is_off_subject(read.evidence)))


def _lacks_any(question: str, read: Recollection) -> bool:
    """Whether it asks if somebody has any, and nothing that they said tells of one."""
    for name in read.named or {read.asker}:
        said = [line.message.text for line in read.lines if line.message.speaker == name]
        if lacks_ground(question, name, said):
            return True
    return False


def _lacks_deed(question: str, read: Recollection) -> bool:
    """Whether it asks if somebody did something that they only meant to do."""
    for name in read.named or {read.asker}:
        said = [line.message.text for line in read.lines if line.message.speaker == name]
        others = [line.message.text for line in read.lines if line.message.speaker != name]
        if lacks_deed(question, said, others):
            return True
    return False


def evidence_only(question: str, as_of: datetime, read: Recollection, talk: Talk) -> Answer:
    """The answer of no model: what was found, to be read by the user. Known when anything was found."""
    return Answer(
        question=question,
        as_of=as_of,
        text="",
        known=bool(read.evidence),
        citations=read.evidence,
        read=read,
        mode=Mode.LIGHT,
        model=None,
        timings=talk.timings(),
        tokens=talk.tokens,
    )


def _estimate(text: str) -> int:
    """Tokens of a text; one in a script without spaces has about one to the character."""
    unspaced = sum(map(len, UNSPACED.findall(text)))
    return unspaced + (len(text) - unspaced) // CHARACTERS_PER_TOKEN
