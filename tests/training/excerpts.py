"""Questions of the blind hands as the product asks them: the prompt's texts, and the reply that is right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.engines.adapters import ANSWERS, LEARNED, Adapter
from evermem_cli.reading.statements.tagger import SHIPPED
from evermem_cli.reading.voices import FIRST_PERSON
from evermem_cli.recollection.dates import dated, day
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.generation.requests import ANSWER_TOKENS, ASKER, TODAY, adapted_request
from evermem_cli.recollection.questions.form import form_of
from evermem_cli.recollection.questions.wants import read_wants
from evermem_cli.recollection.search.sittings import SITTING
from tests.training.pairs import Item

LANGUAGE = LEARNED
_FIRST, _DAYS = datetime(2023, 1, 1, 9, tzinfo=UTC), 3 * 365  # when messages were sent of which a hand says nothing
_LATER = (0, 0, 1, 2, 5, 10, 20, 40)  # days from the last message to the question


@dataclass(frozen=True, slots=True)
class Prompted:
    """A question, the request that asks it of the model (with the adapter, and without one), and the right reply.

    The reply is a refusal where what the model reads does not tell the answer.
    """

    hand: str
    question: str
    adapted: Request
    plain: Request
    reply: str

    @property
    def is_told(self) -> bool:
        """Whether what the model reads tells the answer."""
        return self.reply != NOT_KNOWN[LANGUAGE]


def prompted_by(item: Item) -> Prompted:
    """The question of a hand, asked of its whole excerpt."""
    return Prompted(
        item.hand, item.question, request_of(item, Adapter(ANSWERS)), request_of(item, None), answer_of(item)
    )


def request_of(item: Item, adapter: Adapter | None) -> Request:
    """The request for an answer from the whole excerpt, with the adapter or without one."""
    before, excerpts = about(item), excerpts_of(item)
    if adapter:
        return adapted_request(item.question, excerpts, before, adapter)
    system, passages = prompts.fill("reading", LANGUAGE, passages=excerpts)
    form = form_of(SHIPPED.read_question(item.question).sought)
    _, task = prompts.fill(f"answer-{form}", LANGUAGE, question=item.question, about=before)
    return Request(system=system, user=f"{passages}\n\n{task}", max_tokens=ANSWER_TOKENS)


def answer_of(item: Item) -> str:
    """The right reply."""
    return item.answer if item.answers else NOT_KNOWN[LANGUAGE]


def about(item: Item) -> str:
    """What goes before the question: today's date where this matters, and whom "I" means where it says so."""
    lines = ""
    if read_wants(item.question, SHIPPED.read_question(item.question)).as_of_today:
        today = _times(item)[-1] + timedelta(days=Random(item.question).choice(_LATER))
        lines += TODAY[LANGUAGE].format(day(today, LANGUAGE))
    if item.asker and FIRST_PERSON.search(item.question):
        lines += ASKER[LANGUAGE].format(item.asker)
    return lines


def excerpts_of(item: Item) -> str:
    """The messages as the product shows them to the model: under their day, what their dates mean in brackets."""
    shown = ""
    for said, (before, time) in zip(item.messages, pairwise([None, *_times(item)]), strict=True):
        assert time is not None
        if before is None or time - before > SITTING:
            shown += f"\n\n{day(time, LANGUAGE)}:"
        shown += f"\n{said.speaker}: {' '.join(dated(said.text, time).split())}"
    return shown.strip()


def _times(item: Item) -> Sequence[datetime]:
    """When its messages were sent: as the hand says, else some times."""
    return item.times or tuple(_some_times(item))


def _some_times(item: Item) -> Iterator[datetime]:
    """Times of one sitting, always the same for the same messages."""
    random = Random("".join(said.text for said in item.messages))
    time = _FIRST + timedelta(minutes=random.randrange(_DAYS * 24 * 60))
    for _ in item.messages:
        time += timedelta(minutes=random.randrange(1, 9))
        yield time
