"""Grounding: whether the cited messages support a sentence of the model, and whether it is about the speaker.

A sentence is grounded when each content word occurs in a cited message, perhaps in another form ("education" for "edu",
"studies" for "study", "two" for "2"), each number and name occurs in one too, and no negation was lost or added.
"""

import re
from collections.abc import Iterable

from evermem_cli.languages.english import FUNCTION_WORDS, WORD
from evermem_cli.languages.language import HAN, language
from evermem_cli.languages.light_words import is_light
from evermem_cli.languages.word_forms import is_form_of, word_stems
from evermem_cli.languages.words import negates
from evermem_cli.timespan.english.words import SPELLED

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NUMBERS = {word: str(number) for word, number in SPELLED.items()} | {"hundred": "100", "thousand": "1000"}
_ZH_FREE = frozenset("的了是在和也有会要就都很还着过把被与及其并他她它们这那里说想到")
_ZH_SUPPORT = 0.9  # share of characters, since a retelling in Chinese changes particles


def _words(text: str) -> list[str]:
    """Lower-case words without possessive endings and "n't"; number words as digits."""
    plain = (re.sub(r"n['’`]t$|['’`].*", "", word.lower()) for word in WORD.findall(text))
    return [NUMBERS.get(word, word) for word in plain]


def content_words(text: str, names: frozenset[str] = frozenset()) -> list[str]:
    """The content words of `text` in order, each once, without those of `names` (lower case)."""
    return [word for word in dict.fromkeys(_words(text)) if word not in FUNCTION_WORDS and word not in names]


def name_words(*names: str) -> frozenset[str]:
    """The words of people's names, in lower case."""
    return frozenset(word for name in names for word in _words(name))


class CitedWords:
    """The words of the cited messages, to check what they support. `names` are the speakers', always allowed."""

    def __init__(self, texts: list[str], names: frozenset[str]) -> None:
        self.names = names
        self._text = " ".join(texts)
        self._words = set(_words(self._text))
        content = self._words - FUNCTION_WORDS  # "she" is not short for "shed"
        self._stems = frozenset[str]().union(*map(word_stems, content))
        self._numbers = set(_NUMBER.findall(self._text)) | {word for word in self._words if word.isdigit()}

    def has(self, word: str) -> bool:
        """Whether a content word occurs in the messages, in this form or a similar one."""
        if word in self._words or word in self._numbers:
            return True
        if any(character.isdigit() for character in word):
            return False
        return any(is_form_of(stem, other) for stem in word_stems(word) for other in self._stems)

    def unsupported(self, sentence: str) -> list[str]:
        """The sentence's content words, light ones included, that no message has; characters in Chinese."""
        if language(sentence) == "zh":
            own = set(self._text) | _ZH_FREE | set("".join(self.names))
            return [character for character in HAN.findall(sentence) if character not in own]
        return [word for word in content_words(sentence, self.names) if not self.has(word)]

    def supports(self, sentence: str) -> bool:
        """Whether each content word, number and name of the sentence occurs in the messages."""
        numbers = set(_NUMBER.findall(sentence)) - {word for word in self.names if word.isdigit()}
        if not numbers <= self._numbers:
            return False
        missing = self.unsupported(sentence)
        if language(sentence) == "zh":
            return len(missing) <= (1 - _ZH_SUPPORT) * len(HAN.findall(sentence))
        return all(map(is_light, missing))

    def confidence(self, sentence: str) -> float:
        """The share of the sentence's content words, light ones included, that occur in the messages."""
        words = HAN.findall(sentence) if language(sentence) == "zh" else content_words(sentence, self.names)
        return round(1 - len(self.unsupported(sentence)) / len(words), 2) if words else 0.0


def keeps_negation(sentence: str, original: str) -> bool:
    """Whether the sentence has the same negations as the one it retells: none lost, none added."""
    return negates(sentence) == negates(original)


def is_repeated(text: str, others: Iterable[str], names: frozenset[str] = frozenset()) -> bool:
    """Whether one of the others has all content words of the text, but for those of `names`."""
    return any(CitedWords([other], names).confidence(text) == 1 for other in others)
