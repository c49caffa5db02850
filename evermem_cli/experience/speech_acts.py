"""Speech acts in a chat with an assistant: to ask for something, to answer, to give a reason.

What asks without the form of a question is told by a linear model of words, which `python -m tests.training.wishes`
makes.
"""

import re
from pathlib import Path

from evermem_cli.formation.grounding import content_words
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.language import HAN, language, searchable
from evermem_cli.languages.light_words import is_light
from evermem_cli.reading.word_runs import RunModels

FILE = Path(__file__).with_name("requests.npz")
_MODELS = RunModels(FILE)
_FEWEST_WORDS = 3  # words in a request, or in a reply that does something; "Not great??" and "Corrected!" are neither
_FEWEST_CHARACTERS = 4  # the same for Chinese, in characters

_REASONS = re.compile(
    r"\b(?:because|since|as\syou|given|based\son|for\syour|so\sthat|due\sto|considering|therefore|which\smeans)\b|"
    r"因为|由于|根据|基于|考虑到|所以",
    re.IGNORECASE,
)


def asks_for(sentence: str) -> bool:
    """Whether the sentence asks the assistant for something."""
    return is_long_enough(sentence) and (is_question(sentence) or is_request(sentence))


def is_request(sentence: str) -> bool:
    """Whether the words of a sentence, however few, are those of a request."""
    says, asks = _MODELS.model(language(sentence)).odds(unpunctuated(sentence))
    return bool(asks > says)


def is_long_enough(text: str) -> bool:
    """Whether the text is longer than an exclamation."""
    return len(text.split()) >= _FEWEST_WORDS or len(HAN.findall(text)) >= _FEWEST_CHARACTERS


def stated(reply: str) -> list[str]:
    """The sentences of a reply that are no questions."""
    return [sentence for sentence in split_sentences(reply) if not is_question(sentence)]


def reasons(reply: str) -> list[str]:
    """The sentences of a reply that give a reason."""
    return [sentence for sentence in split_sentences(reply) if _REASONS.search(sentence)]


def key_words(text: str) -> list[str]:
    """The content words of a text; in Chinese, pairs of characters."""
    words = (word for word in content_words(searchable(text)) if not is_light(word))
    return [word for word in words if len(word) > 2 or HAN.search(word)]


def unpunctuated(sentence: str) -> str:
    """The sentence without a full stop at its end, which writers of chats set or leave out by habit."""
    return sentence.rstrip(" .!。！")
