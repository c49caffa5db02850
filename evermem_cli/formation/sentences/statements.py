"""Selects the sentences of a chat that state something worth remembering.

The highlighter has learned which. In Chinese, which it cannot read, those do in which the tagger has read something.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from types import MappingProxyType

from evermem_cli.formation.cues import trails_off
from evermem_cli.languages.language import CAPITALS, language
from evermem_cli.memory import Message, Statement, Whose
from evermem_cli.reading.highlighter import Draft, Highlight, Highlighter

# A sentence ends at . ! ? … or a line break, but not within a number, after an initial or a common abbreviation.
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Dr|Ms|St|vs)\.)(?<!\b(?:Mrs|e\.g|i\.e|etc)\.)(?!(?:(?<=\.\.)|(?<=…))\s+[a-z])[\"'”’)]*\s+(?=[\"'“‘(]*\S)"
    r"|(?<=[。！？；])|\n+"
)
# Exclamations, perhaps with a name, before the actual sentence.
_LEAD = re.compile(
    r"^(?:(?:(?i:oh|ah|aw+|wow|whoa|woah|yeah|yep|yes|yup|no|nope|nah|well|so|(?:and|but) hey|and|but|hey|hi|hello|ok|"
    r"okay|haha|man|sure|actually|btw|by the way|anyway|also|plus|thanks|thank you|exactly|definitely|absolutely|"
    r"totally|after that|because of that|with that|for me|turns out|funny you (?:mention|say|ask)(?:ed)? (?:that|it)|"
    r"you['’]re (?:(?:so|absolutely|totally|definitely) )?right|honestly|to be honest|in fact|believe it or not|"
    r"guess what|speaking of (?:that|which)|of course|cool|nice|great|awesome|congrats|congratulations|sorry|"
    rf"for sure|right|agreed|fyi)(?: [{CAPITALS}]\w+)?|[{CAPITALS}]\w+)"
    r"\s*[,!.:—–-]+(?:\s+|$))+"
)
_ASKS = re.compile(
    r"^(?:(?:what|who|where|when|why|how)s?|which|whose|do|does|did|are|is|was|were|have|has|had|can|could|will|would|"
    r"should|any|got any|wanna|want to|care to)\b(?!['’]|.*\b(?:i|we)\b.*[.!]$)",
    re.IGNORECASE,
)

# Addressed to the memory and not to the other side of the chat.
_INSTRUCTS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|follow|change|reveal|print)\b[^.!?]{0,40}\b(?:instructions?|prompts?|guidelines|"
    r"rules|programming|everything\s(?:above|before))\b|"
    r"\b(?:add|store|save|record|insert|write|note|remember|memori[sz]e)\b[^.!?]{0,30}\b(?:facts?|memory|profile|"
    r"database)\b|\byou\sare\snow\b|\bsystem\s(?:prompt|message|:)|"
    r"(?:忽略|无视|忘记|忘掉)[^。！？]{0,12}(?:指令|提示|规则|要求)|(?:记录|添加|加入|记住|写入|保存)[^。！？]{0,12}(?:事实|记忆|资料|档案)",
    re.IGNORECASE,
)
_ZH_ASKS = re.compile(
    r"[?？]\s*$|[吗呢嘛]\s*[。！!]*$|^(为什么|怎么|什么|哪|谁|几|多少|如何|是否)|(什么|怎么样|怎样|哪些)[。！]?$"
)
_DOTS = " .…"
_TRAILING = ("..", "…")


TaggedStatements = Mapping[str, Sequence[Statement]]  # the tagger's statements of each message, by its id
NOTHING_READ: TaggedStatements = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What one message states, and the message whose question it answers.

    `said` are all sentences of the message, `kept` the places of those that state something. `marks` has what the
    highlighter says of each sentence, and is empty where it cannot read the language. `begun` is the message before in
    which the same person began the first sentence: "My favourite film is...". `foreign` are the sentences that are
    somebody else's.
    """

    message: Message
    said: tuple[str, ...]
    kept: tuple[int, ...]
    marks: tuple[Highlight, ...] = ()
    question: Message | None = None
    begun: Message | None = None
    foreign: frozenset[str] = frozenset()

    @property
    def stated(self) -> tuple[str, ...]:
        """The sentences that state something, in order."""
        return tuple(self.said[place] for place in self.kept)

    @property
    def text(self) -> str:
        """All sentences as one text."""
        return " ".join(self.stated)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that a fact cites: the question answered, the one where the sentence began, and this one."""
        return tuple(message for message in (self.question, self.begun, self.message) if message)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The ids of these messages."""
        return tuple(message.id for message in self.messages)

    @property
    def runs(self) -> list[range]:
        """The places in `stated` of those that tell one thing together, or need the one before, in order."""
        after = zip((None, *self.kept), self.kept, strict=False)
        starts = [n for n, (before, place) in enumerate(after) if before != place - 1 or not self._joins(place)]
        return [range(start, stop) for start, stop in pairwise([*starts, len(self.kept)])]

    @property
    def whole(self) -> "Remark":
        """The remark with all its sentences."""
        return replace(self, kept=tuple(range(len(self.said))))

    def only(self, places: Iterable[int]) -> "Remark":
        """The remark with these of its `sentences` alone."""
        return replace(self, kept=tuple(self.kept[place] for place in places))

    def _joins(self, place: int) -> bool:
        if not self.marks:
            return False
        mark = self.marks[place]
        return mark.joins or (mark.needs_own and not mark.is_clear)


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, each an exact substring."""
    return [sentence for part in _SENTENCE_END.split(text) if part and (sentence := part.strip())]


def is_question(sentence: str) -> bool:
    """Whether the sentence is a question."""
    if language(sentence) == "zh":
        return bool(_ZH_ASKS.search(sentence))
    return sentence.rstrip("\"'”’) ").endswith("?") or bool(_ASKS.match(strip_lead(sentence)))


def without_instructions(text: str) -> str:
    """The text without sentences that instruct the memory what to do or store."""
    kept = [sentence for sentence in split_sentences(text) if not instructs(sentence)]
    return text if len(kept) == len(split_sentences(text)) else " ".join(kept)


def strip_lead(sentence: str) -> str:
    """The sentence without leading exclamations, names and thanks."""
    return _LEAD.sub("", sentence)


def read_remarks(
    chats: Sequence[Sequence[Message]],
    highlighter: Highlighter,
    read: TaggedStatements = NOTHING_READ,
    is_wanted: Callable[[str], bool] = lambda _: False,
) -> list[list[Remark]]:
    """What each message of each chat states, in order, which may be nothing.

    The highlighter selects the sentences, and the tagger, whose statements `read` has, those of which it is sure; what
    `is_wanted` stays whatever they say. In Chinese, which the highlighter cannot read, the tagger alone selects them,
    by whatever it reads: of two hands, both left out, 243 of 251 messages that tell something and 18 of 209 others (by
    their form 243 and 171).
    """
    said = [list(turns(messages)) for messages in chats]
    before = (text for messages in chats for text in ("", *(message.text for message in messages[:-1])))
    drafts = [Draft(text, turn.said) for text, turn in zip(before, chain.from_iterable(said), strict=True)]
    marks = iter(highlighter.highlight(drafts))  # of all chats at once, since that takes a third less time
    return [[_remark(turn, next(marks), read.get(turn.message.id), is_wanted) for turn in chat] for chat in said]


def turns(messages: Sequence[Message]) -> Iterator[Remark]:
    """Every message with all its sentences; a sentence that two messages share is whole, in the second one."""
    for previous, message, following in zip((None, *messages), messages, (*messages[1:], None), strict=False):
        asked = previous is not None and previous.speaker != message.speaker and asks(previous)
        begun = previous if previous and _goes_on(previous, message) else None
        text = f"{_unfinished(begun.text)[1]} {message.text.lstrip(_DOTS)}" if begun else message.text
        if following and _goes_on(message, following):
            text = _unfinished(text)[0]
        said = tuple(split_sentences(text))
        yield Remark(
            message=message,
            said=said,
            kept=tuple(range(len(said))),
            question=previous if asked else None,
            begun=begun,
        )


def _remark(
    turn: Remark,
    highlights: Sequence[Highlight] | None,
    read: Sequence[Statement] | None,
    is_wanted: Callable[[str], bool],
) -> Remark:
    """The turn with the sentences alone that state something.

    `highlights` are None for a language that is not highlighted, `read` for a message that the tagger has not read, of
    which nothing is kept in such a language.
    """
    if highlights is None:
        tagged = [one.value for one in read or () if one.whose is not Whose.NOBODY]
    else:
        tagged = [one.value for one in read or () if one.is_asserted]
    marks = tuple(highlights or ())
    kept = [
        place
        for place, sentence in enumerate(turn.said)
        if ((marks and marks[place].is_kept) or any(words in sentence for words in tagged) or is_wanted(sentence))
        and not (is_question(sentence) or instructs(sentence))
    ]
    return replace(turn, marks=marks).only(kept)


def instructs(sentence: str) -> bool:
    """Whether the sentence tells the memory what to do or store."""
    return bool(_INSTRUCTS.search(sentence))


def _goes_on(first: Message, second: Message) -> bool:
    """Whether the same person begins a sentence in one message and finishes it in the next."""
    is_dotted = first.text.rstrip().endswith(_TRAILING) and second.text.lstrip().startswith(_TRAILING)
    return first.speaker == second.speaker and (is_dotted or trails_off(first.text.rstrip(_DOTS)))


def _unfinished(text: str) -> tuple[str, str]:
    """The text before the last sentence, and that sentence without its trailing dots."""
    last = split_sentences(text.rstrip(_DOTS))[-1:]
    begun = last[0] if last else ""
    return text[: text.rfind(begun)].rstrip(), begun


def asks(message: Message) -> bool:
    """Whether the message ends with a question, or asks before its last sentence."""
    return any(is_question(sentence) for sentence in split_sentences(message.text)[-2:])
