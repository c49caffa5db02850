"""Divides a chat with an assistant into exchanges: a request, the replies to it, and the user's reactions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from evermem_cli.experience.speech_acts import asks_for, is_long_enough, is_request, key_words, stated
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.words import negates
from evermem_cli.memory import MemCell, Message, Role
from evermem_cli.reading.reactions import Comment, Reaction, ReactionModel

_MOST_SENTENCES = 20  # of a message that may be reactions; what is pasted is longer
_FEWEST_WORDS = 2  # content words of a report: what it is about, and how it went
_BADLY = (Reaction.BAD, Reaction.MIXED)  # a report tells what went badly
_SHARED_LATER = 4  # rare words that tie a message to an earlier exchange after other topics
_RARE = 2  # exchanges that may share a rare word


@dataclass(slots=True)
class Exchange:
    """One request while the chat is read. `judged` is the reply that the first reaction is about."""

    cell: MemCell
    request: list[Message] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    replies: list[Message] = field(default_factory=list)
    feedback: list[tuple[Message, str, Reaction]] = field(default_factory=list)
    judged: Message | None = None
    words: set[str] = field(default_factory=set)

    def want(self, messages: Iterable[Message], sentences: Iterable[str]) -> None:
        """Adds a sentence to the request."""
        for sentence in sentences:
            self.wanted.append(sentence)
            self.words.update(key_words(sentence))
        self.request += messages

    def reply(self, message: Message) -> None:
        """Adds a reply of the assistant."""
        self.replies.append(message)
        self.words.update(key_words(message.text))

    def react(self, message: Message, sentence: str, reaction: Reaction) -> None:
        """Adds a reaction of the user."""
        if reaction is not Reaction.NOTED and self.judged is None:
            earlier = [reply for reply in self._acts() if reply.ordinal < message.ordinal]
            self.judged = earlier[-1] if earlier else None
        self.feedback.append((message, sentence, reaction))

    def shared(self, text: str) -> set[str]:
        """The words that the exchange and a text have in common."""
        return self.words.intersection(key_words(text))

    @property
    def action(self) -> Message | None:
        """The reply that was judged, else the longest one. None where the assistant only asked or was polite."""
        return self.judged or max(self._acts(), key=lambda reply: len(" ".join(stated(reply.text))), default=None)

    @property
    def last_action(self) -> Message | None:
        """The last reply that did something."""
        return next(reversed(self._acts()), None)

    @property
    def messages(self) -> list[Message]:
        """All messages of the exchange, in order."""
        used = [*self.request, *([self.action] if self.action else []), *(message for message, _, _ in self.feedback)]
        return sorted({message.id: message for message in used}.values(), key=lambda message: message.ordinal)

    def _acts(self) -> list[Message]:
        return [reply for reply in self.replies if is_long_enough(" ".join(stated(reply.text)))]


def find_exchanges(cells: Iterable[MemCell], model: ReactionModel) -> list[Exchange]:
    """The exchanges of one conversation, whose MemCells are given in order. Raises ModelError."""
    listener = _Listener(model)
    for cell in cells:
        listener.enter(cell)
        for message in cell.messages:
            listener.hear(message)
    return [interaction for interaction in listener.exchanges if interaction.action or interaction.feedback]


class _Listener:
    """Reads a chat message by message; keeps the current exchange and the last message."""

    def __init__(self, model: ReactionModel) -> None:
        self.exchanges: list[Exchange] = []
        self._model = model
        self._current: Exchange | None = None
        self._before: Message | None = None

    def enter(self, cell: MemCell) -> None:
        """Begins another topic."""
        self._cell = cell
        self._current = self._before = None

    def hear(self, message: Message) -> None:
        """Reads the next message."""
        if message.role is not Role.ASSISTANT:
            self._hear_user(message)
        elif self._current:
            self._current.reply(message)
        self._before = message

    def _hear_user(self, message: Message) -> None:
        """What a message says of a result goes to the exchange that it is about, the rest makes a request."""
        about = self._current if self._current and self._current.action else self._recalled(message)
        sentences = split_sentences(message.text)
        rest = []
        for sentence, reaction in zip_longest(sentences, self._reactions(sentences, about)):
            if reaction and about:
                about.react(message, sentence, reaction)
            elif reaction in _BADLY and self._current is None and _may_report(sentence):
                self._report(message, sentence, reaction)
            else:
                rest.append(sentence)
        if rest:
            self._want(message, rest)

    def _reactions(self, sentences: Sequence[str], about: Exchange | None) -> list[Reaction | None]:
        """The reaction in each of the first sentences to what the assistant did last in an exchange."""
        action = about.last_action if about else None
        reply = action.text if action else ""
        heard = enumerate(sentences[:_MOST_SENTENCES])
        return self._model.read([Comment(reply, " ".join(sentences[:place]), sentence) for place, sentence in heard])

    def _want(self, message: Message, rest: list[str]) -> None:
        """Begins an exchange, or adds to the current one while nothing was done about it."""
        offer = self._accepted_offer(message)
        asks = bool(offer) or any(map(asks_for, rest))
        if asks and (self._current is None or self._current.action or self._current.feedback):
            self._current = Exchange(self._cell)
            self.exchanges.append(self._current)
        if self._current and (asks or not self._current.feedback):
            asked = [self._before, message] if offer and self._before else [message]
            self._current.want(asked, [offer, *rest] if offer else rest)

    def _accepted_offer(self, message: Message) -> str:
        """The question of the assistant that the message answers with a word that asks: "Yes please". Else empty."""
        answer = split_sentences(message.text)[0]
        if self._before is None or self._before.role is not Role.ASSISTANT or is_long_enough(answer):
            return ""
        last = split_sentences(self._before.text)[-1:]
        accepts = is_request(answer) and not negates(answer)
        return last[0] if last and is_question(last[0]) and accepts else ""

    def _recalled(self, message: Message) -> Exchange | None:
        """The earlier exchange that a message returns to, after other topics or some time."""
        if self._current is not None:
            return None
        shared = [exchange.shared(message.text) for exchange in self.exchanges]
        frequent = Counter(word for words in shared for word in words)
        telling = [sum(frequent[word] <= _RARE for word in words) for words in shared]
        best = max(range(len(telling)), key=lambda place: telling[place], default=0)
        return self.exchanges[best] if telling and telling[best] >= _SHARED_LATER else None

    def _report(self, message: Message, sentence: str, reaction: Reaction) -> None:
        """Makes an exchange of a report about a result that this chat has not seen."""
        exchange = Exchange(self._cell)
        exchange.want([message], [sentence])
        exchange.react(message, sentence, reaction)
        self.exchanges.append(exchange)


def _may_report(sentence: str) -> bool:
    """Whether the sentence asks for nothing and has words enough to tell what went badly."""
    return not asks_for(sentence) and len(key_words(sentence)) >= _FEWEST_WORDS
