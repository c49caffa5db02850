"""Requests: what the model is asked about the passages, in the language of the question."""

import re

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.engines.adapters import LEARNED, Adapter
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.passages.lines import Passage
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

ANSWER_TOKENS = 96  # a long list; most answers are a few words
REWRITE_TOKENS = 48
# What a question is about beyond its words; said only where it matters: a small model answers with it otherwise.
TODAY = {"en": "Today is {}.\n", "zh": "今天是{}。\n"}
ASKER = {"en": 'In the question, "I" and "my" mean {}.\n', "zh": "问题中的“我”指{}。\n"}
KNOWN = {"en": "True today, worked out from all excerpts:", "zh": "由全部摘录得出，今天的情况："}
YES = {"en": "yes", "zh": "有"}
NO = {"en": "no", "zh": "没有"}


def answer_request(question: Question, recollection: Recollection, adapter: Adapter | None = None) -> Request:
    """Asks for the answer, in the form that the question wants; with an adapter the model needs no instructions."""
    tongue = question.language
    about = TODAY[tongue].format(day(recollection.memory.now, tongue)) if question.wants.as_of_today else ""
    if adapter:
        return adapted_request(question.text, _excerpts(recollection, tongue), about + _asker(question), adapter)
    return _request(f"answer-{question.form}", question, recollection, ANSWER_TOKENS, about=about)


def adapted_request(question: str, excerpts: str, about: str, adapter: Adapter) -> Request:
    """Asks a model that has learned to answer, as it was asked when it learned; `about` goes before the question."""
    system, user = prompts.fill("answer-adapted", LEARNED, passages=excerpts, about=about, question=question)
    return Request(system=system, user=user, max_tokens=ANSWER_TOKENS, adapter=adapter.name)


def sufficiency_request(question: Question, recollection: Recollection) -> Request:
    """Asks whether the passages tell the answer: a yes or a no."""
    tongue = question.language
    return _request("sufficient", question, recollection, 4, pattern=f"{YES[tongue]}|{NO[tongue]}")


def rewrite_request(question: Question, recollection: Recollection) -> Request:
    """Asks for the question in other words than those tried."""
    tried = "; ".join(done.query for done in recollection.rounds)
    return _request("rewrite", question, recollection, REWRITE_TOKENS, pattern=r"[^\n]{3,200}", tried=tried)


def other_than(name: str) -> str:
    """A pattern of lines that do not begin with this name, but may with what is theirs: "Ann's aunt"."""
    others = "|".join(f"{re.escape(name[:place])}[^{re.escape(name[place])}\\n]" for place in range(len(name)))
    return rf"(?:{others}|{re.escape(name)}(?:['’]s |[a-z]|的))[^\n]*"


def _request(
    step: str,
    question: Question,
    recollection: Recollection,
    max_tokens: int,
    pattern: str | None = None,
    **values: str,
) -> Request:
    """A step's request after the passages. All steps begin alike, so the model reads the passages once."""
    tongue = question.language
    system, passages = prompts.fill("reading", tongue, passages=_excerpts(recollection, tongue))
    values["about"] = values.get("about", "") + _asker(question)
    _, task = prompts.fill(step, tongue, question=question.text, **values)
    return Request(system=system, user=f"{passages}\n\n{task}", max_tokens=max_tokens, pattern=pattern)


def _excerpts(recollection: Recollection, tongue: str) -> str:
    notes = recollection.notes
    known = ["\n".join([KNOWN[tongue], *(line.text for line in notes)])] if notes else []
    return "\n\n".join([*map(_passage, recollection.passages), *known])


def _asker(question: Question) -> str:
    return ASKER[question.language].format(question.whose.asker) if question.whose.says_i else ""


def _passage(passage: Passage) -> str:
    return "\n".join([f"{passage[0].date}:", *(line.text for line in passage)])
