"""Questions of the blind hands as the product asks them: the prompt's texts, and the reply that is right."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.engines.adapters import LEARNED, Adapter
from evermem_cli.recollection.dates import dated, day
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.generation.requests import ANSWER_TOKENS, ASKER, adapted_request
from evermem_cli.recollection.passages.lines import SITTING
from evermem_cli.recollection.questions.form import form_of
from evermem_cli.recollection.questions.wants import FIRST_PERSON
from tests.training.pairs import Item

LANGUAGE = LEARNED
_FIRST, _DAYS = datetime(2023, 1, 1, 9, tzinfo=UTC), 3 * 365  # when messages were sent of which a hand says nothing


def request_of(item: Item, adapter: Adapter | None) -> Request:
    """The request for an answer from the whole excerpt, with the adapter or without one."""
    about, excerpts = about_asker(item), excerpts_of(item)
    if adapter:
        return adapted_request(item.question, excerpts, about, adapter)
    system, passages = prompts.fill("reading", LANGUAGE, passages=excerpts)
    _, task = prompts.fill(f"answer-{form_of(item.question)}", LANGUAGE, question=item.question, about=about)
    return Request(system=system, user=f"{passages}\n\n{task}", max_tokens=ANSWER_TOKENS)


def answer_of(item: Item) -> str:
    """The right reply."""
    return item.answer if item.answers else NOT_KNOWN[LANGUAGE]


def about_asker(item: Item) -> str:
    """Whom "I" means in the question, where it says so."""
    return ASKER[LANGUAGE].format(item.asker) if item.asker and FIRST_PERSON.search(item.question) else ""


def excerpts_of(item: Item) -> str:
    """The messages as the product shows them to the model: under their day, what their dates mean in brackets."""
    times = item.times or tuple(_some_times(item))
    shown = ""
    for said, (before, time) in zip(item.messages, pairwise([None, *times]), strict=True):
        assert time is not None
        if before is None or time - before > SITTING:
            shown += f"\n\n{day(time, LANGUAGE)}:"
        shown += f"\n{said.speaker}: {' '.join(dated(said.text, time).split())}"
    return shown.strip()


def _some_times(item: Item) -> Iterator[datetime]:
    """Times of one sitting, always the same for the same messages."""
    random = Random("".join(said.text for said in item.messages))
    time = _FIRST + timedelta(minutes=random.randrange(_DAYS * 24 * 60))
    for _ in item.messages:
        time += timedelta(minutes=random.randrange(1, 9))
        yield time
