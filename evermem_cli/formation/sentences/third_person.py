"""From the first to the third person: rewrites a statement with its speaker's name for "I". No model is used."""

import re

from evermem_cli.formation.sentences.statements import strip_lead
from evermem_cli.languages.english import HYPHENATED, is_only_past, is_uninflected, may_be_adverb
from evermem_cli.languages.language import language

_YOU = {"you", "your", "yours"}
_POSSESSIVE = {"my", "mine"}
_OBJECT = {"me": "{name}", "myself": "themselves"}
_CONTRACTED = {"'m": "am", "'ve": "have", "'ll": "will", "'re": "are"}
_UNSPACED = {"im": "i'm", "ive": "i've"}
_THIRD = {
    "am": "is",
    "are": "is",
    "have": "has",
    "do": "does",
    "go": "goes",
    "don't": "doesn't",
    "haven't": "hasn't",
    "wanna": "wants to",
}
_THIRD |= {"gotta": "has to", "gonna": "is going to", "ain't": "isn't"}
_THIRD |= {verb.replace("'", ""): third for verb, third in _THIRD.items()}  # "dont"
# Continue with the subject of the clause before: "I am overweight and have …".
_GOES_ON = frozenset(
    {"am", "have", "haven't", "havent", "do", "don't", "dont"}
    | {"love", "like", "enjoy", "want", "need", "hope", "feel", "think"}
)
_BEFORE_SUBJECT = frozenset({"that", "if", "when", "as", "what", "because", "since", "how", "why", "while", "whenever"})
_BREAKS_CLAUSE = frozenset(
    {"to", "will", "can", "would", "should", "could", "he", "she", "they", "who", "which", "that", "you"}
)
_NO = "no"  # of "no longer"
_SHORT = 4  # letters of "rely"
_JOINED_WITHIN = 5  # words of "My two best friends and"


def _third_person(verb: str) -> str:
    """The third person singular of a present verb. Past forms and auxiliaries stay as they are."""
    plain = verb.lower().replace("’", "'").replace("`", "'")
    if plain in _THIRD:
        return _THIRD[plain]
    if is_uninflected(plain) or plain.endswith("ing"):
        return verb
    if plain.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if plain.endswith("y") and plain[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _is_adverb(plain: str) -> bool:
    """Whether a word before the verb is an adverb: "really", but neither "fly" nor "apply"."""
    ends = plain.endswith("ly") and len(plain) > _SHORT and not plain.endswith(("pply", "reply"))
    return ends or may_be_adverb(plain)


def _split_contraction(word: str) -> tuple[str, str]:
    """Splits "I've" into ("i", "have"), "I" into ("i", "")."""
    plain = word.lower().replace("’", "'").replace("`", "'")
    plain = _UNSPACED.get(plain, plain) if word[0] in "Ii" else plain
    for ending, verb in _CONTRACTED.items():
        if plain in {"i" + ending, "we" + ending, "you" + ending}:
            return plain.removesuffix(ending), verb
    if plain in {"i'd", "we'd", "you'd"}:
        return plain.removesuffix("'d"), "'d"
    return plain, ""


def _is_past_participle(words: list[str]) -> bool:
    """Whether the first of `words` that is not an adverb is a past participle: then "'d" is "had", else "would"."""
    verb = next((word.lower() for word in words if not may_be_adverb(word.lower())), "")
    return is_only_past(verb)


class _ThirdPersonWriter:
    """Goes through the words of one English sentence and writes each in the third person."""

    def __init__(self, name: str, addressee: str) -> None:
        self.name = name
        self.addressee = addressee
        self.spoke = False  # an "I" or "we" has occurred
        self.verb_due = False  # the next word that is not an adverb is the verb of "I"
        self.inflected = False  # this clause has a present verb of "I", which "and have" continues
        self.written: list[str] = []

    def write(self, sentence: str) -> str:
        """The sentence in the third person."""
        words = list(HYPHENATED.finditer(sentence))
        at = 0
        for index, word in enumerate(words):
            between = sentence[at : word.start()]
            self.verb_due = self.verb_due and not between.strip()
            following = [later.group() for later in words[index + 1 : index + 4]]
            self.written += [between, self._rewritten(word.group(), following)]
            at = word.end()
        return "".join([*self.written, sentence[at:]])

    def _rewritten(self, word: str, following: list[str]) -> str:
        plain, verb = _split_contraction(word)
        if plain == "i":
            self.spoke = True
            return self._subject(verb, following)
        if plain == "we":  # only the speaker knows who they are
            self.spoke, self.verb_due, self.inflected = True, False, False
            return word
        if plain in _YOU and self.addressee and self.spoke:
            return self._you(plain, verb)
        if plain in _POSSESSIVE:
            return f"{self.name}'s"
        if plain in _OBJECT:
            self.inflected = False
            return _OBJECT[plain].format(name=self.name)
        is_no_longer = self.verb_due and plain == _NO and any(map(may_be_adverb, following[:1]))
        return word if is_no_longer else self._verb(word, plain)

    def _you(self, plain: str, verb: str) -> str:
        """Replaces "you" by the addressee, after "I" only; elsewhere "you" may mean anyone."""
        if plain != "you":
            return f"{self.addressee}'s"
        self.verb_due = not verb and bool(self.written) and self.written[-1].lower() in _BEFORE_SUBJECT
        verb_form = "would" if verb == "'d" else _third_person(verb)
        return f"{self.addressee} {verb_form}".rstrip() if verb else self.addressee

    def _verb(self, word: str, plain: str) -> str:
        """The word in the third person if it is a verb of "I", else unchanged."""
        if self.verb_due and word[0].isalpha() and not _is_adverb(plain):
            self.verb_due = False
            self.inflected = _third_person(word) != word or plain in {"am", "have"}
            return _third_person(word)
        if plain in _BREAKS_CLAUSE:
            self.inflected = False
        joined = bool(self.written) and self.written[-1].lower() in {"and", "but"}
        return _third_person(word) if joined and self.inflected and plain in _GOES_ON else word

    def _is_joined(self) -> bool:
        """Whether "I" is the second of two subjects that begin the sentence: "My wife and I", not "…, and I"."""
        before = [part for part in self.written if part.strip()]
        return 2 <= len(before) <= _JOINED_WITHIN and before[-1].lower() == "and" and "," not in "".join(self.written)

    def _subject(self, verb: str, following: list[str]) -> str:
        """The name for "I", with the verb that was contracted with it."""
        singular = bool(verb) or not self._is_joined()
        if verb == "'d":
            verb = "had" if _is_past_participle(following) else "would"
        elif verb and singular:
            verb = _third_person(verb)
        self.verb_due = singular and not verb
        self.inflected = singular and verb in {"is", "has"}
        return f"{self.name} {verb}".rstrip()


def is_of_speaker(sentence: str) -> bool:
    """Whether an English sentence is about its speaker: it says "I", or begins with "my"."""
    words = [_split_contraction(word)[0] for word in HYPHENATED.findall(sentence)]
    return "i" in words or words[:1] == ["my"]


def says_you(sentence: str) -> bool:
    """Whether an English sentence speaks to somebody."""
    return any(_split_contraction(word)[0] in _YOU for word in HYPHENATED.findall(sentence))


def tell(sentence: str, name: str, addressee: str = "") -> str:
    """The sentence in the third person, with `name` for its speaker and without leading exclamations.

    `addressee` replaces "you" where that can be only one person; empty keeps "you". "We" stays, since it is unknown who
    is meant.
    """
    if language(sentence) == "zh":
        written = re.sub(r"我(?!们)", name, sentence)
        return written.replace("你", addressee).replace("您", addressee) if addressee else written
    written = _ThirdPersonWriter(name, addressee).write(strip_lead(sentence).strip() or sentence.strip())
    written = re.sub(rf", {re.escape(addressee)}(?=[.!]*$)", "", written) if addressee else written
    written = written[:1].upper() + (written[1:] if written.count('"') % 2 == 0 else written[1:].replace('"', ""))
    return written if written.endswith((".", "!", "?", "…")) else written + "."
