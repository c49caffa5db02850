"""Whether a message tells that an arrangement is on another day than before: "tuesday it is, they're shut on the 4th".

A linear model over the words of the message and, where the embedder is the one that it learned with, its meaning.
`python -m tests.training.rescheduling` makes the weights. Chinese is read by a pattern.
"""

import re
from collections.abc import Iterable, Iterator

from evermem_cli.engines import Embedder
from evermem_cli.languages.language import language
from evermem_cli.memory import Message
from evermem_cli.reading.shipped import WEIGHTS
from evermem_cli.reading.word_runs import RunModels

FILE = WEIGHTS / "rescheduling.npz"
# The log odds from which on a message counts. Of the moves of hands left out 70 % are above, and 4 % of what is said
# every day; what fits no plan is dropped later.
LEAST = -0.5
BY_WORDS = -2.0  # those by the words alone from which on the meaning is looked at, too
_MODELS = RunModels(FILE)
_CHINESE = re.compile(r"改(?:到|成|为|在|了|签|期)|推迟|推到|延期|延到|提前到|不是.{1,12}是")


def rescheduling_messages(messages: Iterable[Message], embedder: Embedder) -> Iterator[Message]:
    """Those of the messages that seem to move an arrangement. Raises ModelError."""
    for message in messages:
        if language(message.text) != "en":
            moves = bool(_CHINESE.search(message.text))
        else:
            moves = _by_words(message.text) > BY_WORDS and odds(message.text, embedder) > LEAST
        if moves:
            yield message


def odds(text: str, embedder: Embedder) -> float:
    """The log odds that an English message moves an arrangement. Raises ModelError."""
    kept, moved = _MODELS.odds(text, embedder.name, lambda: embedder.embed([text])[0])
    return float(moved - kept)


def _by_words(text: str) -> float:
    kept, moved = _MODELS.model("en").odds(text)
    return float(moved - kept)
