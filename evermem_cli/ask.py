"""The workflow from question to answer: read the question, recall, try the responders, then refuse or generate."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from evermem_cli.engines import Embedder, Llm
from evermem_cli.memory import Filter, Mode
from evermem_cli.reading.answerability import Answerability
from evermem_cli.reading.statements.tagger import SHIPPED, Tagger
from evermem_cli.recollection.dates import Days, days_named
from evermem_cli.recollection.generation.answers import Answer, evidence_only, not_known
from evermem_cli.recollection.generation.joining import joined_answer, with_name
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN, refuses
from evermem_cli.recollection.generation.requests import YES, rewrite_request, sufficiency_request
from evermem_cli.recollection.generation.talk import Talk
from evermem_cli.recollection.generation.writing import tokens_in, write_answer
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.passages.assembly import ReadingPlan
from evermem_cli.recollection.questions.form import Form
from evermem_cli.recollection.questions.question import Question, read_question
from evermem_cli.recollection.recollection import Recollection, recall, recall_more
from evermem_cli.recollection.refusals import PRECAUTIONS, REFUSALS
from evermem_cli.recollection.responders import FROM_MESSAGES, RESPONDERS
from evermem_cli.store import Store

# Factor of the budget for questions that ask for one thing, and the most messages that are read for them. Of LoCoMo's
# questions about a time or a single fact, 87 of 100 have their evidence within 400 tokens, and no more within 600.
ENOUGH_FOR_ONE = 2 / 3
MOST_FOR_ONE = 14
ENOUGH_FOR_LISTS = 3 / 2  # factor of the budget for questions that ask for a list
REACH_OF_LISTS = 6.0  # such a question reads what has a margin at most this far below the best margin
MOST_ROUNDS = 4  # the first search and three rewrites


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The settings with which questions are asked.

    `budget` is how many tokens of memory each search may pass to the model. `on_round` is called before each further
    search, and `go_on` between all steps; it raises to end the asking. `load_llm` loads the model named `llm` when it
    is needed. `check` tells which hits contain the answer, and `tagger` what a question asks about a person; a caller
    with several questions passes one of each, which keep their weights.
    """

    store: Store
    embedder: Embedder
    llm: str
    load_llm: Callable[[], Llm]
    budget: int
    mode: Mode
    on_text: Callable[[str], None]
    on_round: Callable[[str], None]
    go_on: Callable[[], None] = lambda: None
    check: Answerability = field(default_factory=Answerability)
    tagger: Tagger = SHIPPED

    def ask(self, text: str, where: Filter, now: datetime) -> Answer:
        """Answers a question from the memories that `where` admits, as of `now`.

        Raises StoreError, StoreBusy, ModelError.

        Answers to questions about dates are computed from them, and the parts of a double question are answered
        separately.
        """
        memory = MemoryView(self.store, where, now)
        talk = Talk(self.load_llm, self.on_text, self.llm, self.store.replies, go_on=self.go_on)
        inquiry = Inquiry(self, memory, talk, self.reader(memory))
        question = inquiry.read(text)
        for attempt in (inquiry.answer_by_dates, inquiry.answer_in_parts):
            if self.mode is not Mode.LIGHT and (answer := attempt(question)):
                return answer
        return inquiry.answer(question)

    def reader(self, memory: MemoryView) -> Callable[[str], Question]:
        """Reads questions that are asked of a memory. Whatever reads may raise ModelError."""
        speakers = memory.speakers()

        def read(text: str) -> Question:
            return read_question(text, self.tagger.read_question(text), memory.now, speakers)

        return read


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question to one memory, and the further questions derived from it. `read` parses each question."""

    asking: Asking
    memory: MemoryView
    talk: Talk
    read: Callable[[str], Question] = field(repr=False)

    def answer_by_dates(self, question: Question) -> Answer | None:
        """The answer that code computes from dates, each asked for separately; "not known" where one is missing.

        None for other questions, and where dates do not give an answer.
        """
        reckoning, talk = question.reckoning, self.talk
        if reckoning is None:
            return None
        answers: list[Answer] = []
        days: list[Days] = []
        with talk.silently():
            for text in reckoning.questions:
                answers.append(self.answer(self.read(text)))
                named = days_named(answers[-1].text, self.memory.now) if answers[-1].known else None
                if named is None:
                    break
                days.append(named)
        both = self._with_costs(joined_answer(question, answers))
        if refuses(answers[-1].text):
            both = replace(both, text=NOT_KNOWN[question.language], known=False, citations=())
        elif len(days) == len(reckoning.questions) and (length := reckoning.work_out(days)):
            both = replace(both, text=length)
        else:
            return None
        talk.tell(both.text)
        return both

    def answer_in_parts(self, question: Question) -> Answer | None:
        """The answers to the parts of a double question, joined; None for a single question.

        A model that has learned to answer is asked a double question as one, unless its parts want other forms: a day
        and a place.
        """
        if len(question.parts) == 1:
            return None
        parts = [self.read(text) for text in question.parts]
        if len({part.form for part in parts}) == 1 and self.talk.adapter(question.language):
            return None
        with self.talk.silently():
            answer = self.answer(parts[0])
            rest = [self.answer(self.read(with_name(text, parts[0], answer))) for text in question.parts[1:]]
        both = self._with_costs(joined_answer(question, [answer, *rest]))
        self.talk.tell(both.text)
        return both

    def answer(self, question: Question) -> Answer:
        """The answer to one question: the first that a responder has, else the model's unless a refusal applies."""
        self.asking.go_on()
        plan = self._plan(question)
        recollection = self.recalled(question, plan)
        answer = responded(question, recollection)
        if self.asking.mode is Mode.LIGHT:
            self.talk.note_search()
            by_code = self._with_costs(answer) if answer else None
            return self._with_costs(evidence_only(question, recollection, by_code))
        if answer is None:
            recollection = self._for_the_model(question, recollection, plan)
        self.talk.note_search()
        if answer is None:
            answer = answer_from_passages(question, recollection, self.talk)
        else:
            self.talk.tell(answer.text)
        self.talk.keep()
        return self._with_costs(answer)

    def recalled(self, question: Question, plan: ReadingPlan | None = None) -> Recollection:
        """The evidence in memory for one question."""
        asking = self.asking
        return recall(question, self.memory, asking.embedder, asking.check, plan or self._plan(question))

    def _for_the_model(self, question: Question, recollection: Recollection, plan: ReadingPlan) -> Recollection:
        """The passages for the model. In agentic mode the model judges them and may search again.

        A question for everything upcoming has no passages, since a small model would turn anything into a plan.
        """
        if recollection.foresights:
            recollection = replace(recollection, passages=())
        if self.asking.mode is not Mode.AGENTIC:
            return recollection
        return self._search_on(question, recollection, plan)

    def _search_on(self, question: Question, recollection: Recollection, plan: ReadingPlan) -> Recollection:
        """Lets the model judge the passages and search in other words, until they suffice or the last round is done.

        If the model repeats itself, the content words of the question are searched for once.
        """
        while True:
            reply = self.talk.say(sufficiency_request(question, recollection))
            recollection = recollection.judged(reply == YES[question.language])
            if recollection.may_suffice or len(recollection.rounds) == MOST_ROUNDS:
                return recollection
            tried = {done.query.casefold() for done in recollection.rounds}
            wordings = (self.talk.say(rewrite_request(question, recollection)), question.terms.content)
            text = next((wording for wording in wordings if wording and wording.casefold() not in tried), None)
            if text is None:
                return recollection
            self.asking.on_round(text)
            recollection = recall_more(self.read(text), recollection, self.asking.embedder, self.asking.check, plan)

    def _plan(self, question: Question) -> ReadingPlan:
        """How much to read for a question. A question for several things gets a larger budget and a longer reach."""
        plan = ReadingPlan(now=self.memory.now, stems=question.terms.stems, named=question.whose.named, count=tokens_in)
        if question.form is Form.SEVERAL:
            return replace(plan, budget=int(self.asking.budget * ENOUGH_FOR_LISTS), reach=REACH_OF_LISTS)
        if question.wants.much:
            return replace(plan, budget=self.asking.budget, reach=REACH_OF_LISTS)
        return replace(plan, budget=int(self.asking.budget * ENOUGH_FOR_ONE), most=MOST_FOR_ONE)

    def _with_costs(self, answer: Answer) -> Answer:
        """The answer with its mode and costs."""
        is_light = self.asking.mode is Mode.LIGHT
        return replace(
            answer,
            mode=self.asking.mode,
            model=self.talk.model if self.talk.asked and not is_light else None,
            timings=self.talk.timings(),
            tokens=self.talk.tokens,
        )


def responded(question: Question, recollection: Recollection) -> Answer | None:
    """The answer of the first responder that has one.

    Where the best evidence is withheld from the asker, none answers from messages: a withheld one may say the contrary.
    """
    left = [respond for respond in RESPONDERS if not (recollection.withholds_best and respond in FROM_MESSAGES)]
    return next((answer for respond in left if (answer := respond(question, recollection))), None)


def is_refused(question: Question, recollection: Recollection, *, taught: bool) -> bool:
    """Whether a refusal forbids an answer; `taught` is whether the model has learned to refuse by itself."""
    refusals = REFUSALS if taught else [*REFUSALS, *PRECAUTIONS]
    return any(refuse(question, recollection) for refuse in refusals)


def answer_from_passages(question: Question, recollection: Recollection, talk: Talk) -> Answer:
    """The model's answer from the passages alone; "not known" where a refusal applies. Raises ModelError."""
    taught = talk.adapter(question.language) is not None
    if not is_refused(question, recollection, taught=taught):
        return write_answer(question, recollection, talk)
    refused = not_known(question, recollection)
    talk.tell(refused.text)
    return refused
