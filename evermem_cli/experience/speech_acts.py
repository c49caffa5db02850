"""Speech acts in a chat with an assistant, recognised by wording: ask, accept, act, refer back."""

from evermem_cli.experience.phrase_lists import phrases
from evermem_cli.formation.grounding import content_words
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.english import LIGHT_WORDS
from evermem_cli.languages.language import HAN, searchable
from evermem_cli.memory import Message, Role

_FEWEST_WORDS = 3  # words in a request, or in a reply that does something; "Not great??" and "Corrected!" are neither
_FEWEST_CHARACTERS = 4  # the same for Chinese, in characters

_REQUESTS = phrases("speech", "requests")
_OFFERS = phrases("speech", "offers")
_ACCEPTS = phrases("speech", "accepts")
_CHECKS = phrases("speech", "checks")
_POINTS_BACK = phrases("speech", "points_back")
_COURTESY = phrases("speech", "courtesy")
_REASONS = phrases("speech", "reasons")


def asks_for(sentence: str) -> bool:
    """Whether the sentence asks the assistant for something."""
    return is_long_enough(sentence) and (is_question(sentence) or bool(_REQUESTS.search(sentence)))


def is_long_enough(text: str) -> bool:
    """Whether the text is longer than an exclamation."""
    return len(text.split()) >= _FEWEST_WORDS or len(HAN.findall(text)) >= _FEWEST_CHARACTERS


def accepted_offer(message: Message, before: Message | None) -> str:
    """The assistant's offer that the message accepts; empty where it accepts none."""
    if before is None or before.role is not Role.ASSISTANT or not _ACCEPTS.match(message.text.strip()):
        return ""
    last = split_sentences(before.text)[-1:]
    return last[0] if last and is_question(last[0]) and _OFFERS.search(last[0]) else ""


def asked_openly(before: Message | None) -> bool:
    """Whether the previous message says little but a question that is not about a result."""
    last = split_sentences(before.text)[-1:] if before else []
    asks = bool(last) and is_question(last[0]) and not (_CHECKS.search(last[0]) or _OFFERS.search(last[0]))
    return asks and before is not None and not is_long_enough(" ".join(stated(before.text)))


def stated(reply: str) -> list[str]:
    """The sentences of a reply that are neither questions nor courtesies."""
    return [
        sentence for sentence in split_sentences(reply) if not is_question(sentence) and not _COURTESY.match(sentence)
    ]


def points_back(text: str) -> bool:
    """Whether the text refers to something the assistant did earlier: "your advice", "you suggested"."""
    return bool(_POINTS_BACK.search(text))


def reasons(reply: str) -> list[str]:
    """The sentences of a reply that give a reason."""
    return [sentence for sentence in split_sentences(reply) if _REASONS.search(sentence)]


def key_words(text: str) -> list[str]:
    """The content words of a text; in Chinese, pairs of characters."""
    words = (word for word in content_words(searchable(text)) if word not in LIGHT_WORDS)
    return [word for word in words if len(word) > 2 or HAN.search(word)]
