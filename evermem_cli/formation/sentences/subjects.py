"""The subject of a sentence: the one that it names, else that of the question or sentence before.

Where neither has a subject, it is unknown. It is never assumed to be the speaker.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from evermem_cli.formation.sentences.statements import (
    Remark,
    is_elliptic,
    is_question,
    split_sentences,
    strip_lead,
)
from evermem_cli.languages.english import ADVERBS, FUNCTION_WORDS, NOT_PAST, PARTICIPLES, UNINFLECTED
from evermem_cli.languages.language import language
from evermem_cli.memory import Role

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
_CLAUSE = re.compile(r"([,;:–—]|\s-\s|\b(?:and|but|so|because|though|while|since|if|when)\b)", re.IGNORECASE)

_DRAWN_OUT = re.compile(r"(.)\1{2,}")  # "yesss"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPEAKER = _words("i im ive we weve")  # pronouns without apostrophes, as people type in haste
_THIRD = _words("he she it they this that these those there hes shes its theyre thats theres who whos")
_YOU = _words("you u ya yall youre youve anyone anybody")
_NOMINATIVE = _words("i im ive we weve he hes she shes they theyre")  # are subjects in any position
_DEFINITE = _words("the my our your his her their its")
_DETERMINERS = _DEFINITE | _words("a an some every each all both no one any another")
_THIRD_SINGULAR = _words("is has does isnt hasnt doesnt")
_ANYONES = _words(
    "am have had do did can will havent hadnt dont didnt cant wont gonna been"
)  # begin what "I" is left out of
_AUXILIARIES = (_THIRD_SINGULAR | _ANYONES) | _words("""
    are was were could would shall should may might must arent wasnt werent couldnt wouldnt shouldnt aint
""")
_JOINING = _words("and or but as with for in on at of who that to not by from off out back until til till up down over")
_PAST = ((UNINFLECTED - FUNCTION_WORDS) | PARTICIPLES) - _JOINING
_ANSWERS = _words("yes yeah yep yup no nope nah not ok okay")
_RELATIVE = _words("that who which what how where why")
_OBJECT = _words("me us")  # "Made me think": the subject is somebody or something else
_SHORTEST_NOUN = 3  # letters
_FEWEST_OF_PHRASE = 4  # words after which "the …" begins a sentence rather than the name of a thing


@dataclass(frozen=True, slots=True)
class SentenceSubject:
    """The subject of a sentence.

    `named` if the sentence names it. `own` if it is the speaker, named or omitted. `topic` is the omitted subject where
    somebody or something else was asked about. With none of these the subject is unknown.
    """

    named: bool = False
    own: bool = False
    topic: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the subject is unknown."""
        return not (self.named or self.own or self.topic)


OPEN = SentenceSubject()
SPEAKER = SentenceSubject(own=True)


def without_answer(sentence: str) -> str:
    """The sentence without a leading "yes" or "no" that no punctuation separates: "no came home on Thursday"."""
    words = list(_WORD.finditer(sentence))
    first = next((word for word in words if _plain(word.group()) not in _ANSWERS), None)
    return sentence[first.start() :] if first else sentence


def subjects(statement: Remark, name: str, before: SentenceSubject | None = None) -> list[SentenceSubject]:
    """The subject of each sentence that a statement keeps; the others tell whom it is about, too.

    `name` is the speaker's; `before` is the speaker's previous subject.
    """
    asked = _asked(statement, name)
    known = asked or before
    results: list[SentenceSubject] = []
    for sentence in statement.said:
        results.append(_answer(sentence) if asked == SPEAKER else _subject(sentence, known))
        known = results[-1]
        asked = asked if known == asked else None
    return [results[place] for place in statement.kept]


def is_clause(text: str) -> bool:
    """Whether a text has a subject and a verb, by its pronouns and auxiliaries; "a flat in Hull" has not."""
    words = _first_clause(strip_lead(text))
    return bool(words) and (words[0] in _SPEAKER | _THIRD | _YOU or not _AUXILIARIES.isdisjoint(words[1:]))


def _answer(sentence: str) -> SentenceSubject:
    """The subject of an answer to a question about its speaker: the speaker, unless it certainly names another."""
    clause = _first_clause(strip_lead(sentence))
    if _is_named(clause) and (clause[0] in _SPEAKER | _THIRD | _YOU or any(map(_is_verb, clause[1:]))):
        return _subject(sentence, None)
    return OPEN if _is_third_person(clause) else SPEAKER


def _subject(sentence: str, known: SentenceSubject | None) -> SentenceSubject:
    """The subject of a sentence after another sentence or a question; `known` is None where nothing was said before."""
    if language(sentence) == "zh":
        return SentenceSubject(
            named=True
        )  # Chinese omits a subject wherever it is clear, so such a sentence is only reported
    clause = _first_clause(strip_lead(sentence))
    if _is_named(clause):
        return SentenceSubject(named=True, own=_is_speaker(clause))
    if known and known.topic:
        return SentenceSubject(topic=known.topic)
    may_be_own = known is None or known.own
    return SPEAKER if may_be_own and not _is_third_person(clause) and lacks_speaker(sentence) else OPEN


def lacks_speaker(sentence: str) -> bool:
    """Whether the sentence begins without a subject, which may be "I" or another one."""
    bare = strip_lead(sentence)
    clause = _first_clause(bare)
    if is_elliptic(bare):
        return True
    return bool(clause) and (clause[0] in _ANYONES or is_past(clause[0])) and not _OBJECT & set(clause)


def _plain(word: str) -> str:
    """A word in lower case without apostrophes; "I'll" and "she's" become their pronouns."""
    lower = _DRAWN_OUT.sub(r"\1", word.lower())
    pronoun = re.split("['’`]", lower, maxsplit=1)[0]
    return pronoun if pronoun in _SPEAKER | _THIRD | _YOU else re.sub("['’`]", "", lower)


def _first_clause(sentence: str) -> list[str]:
    """The words of the clause with the subject: the first one, except for a phrase like "Last Friday," before it."""
    first, *others = _CLAUSE.split(sentence)
    words = _opening(first)
    if not others or (words and _has_verb(words)):
        return words
    if words and others[0].lower() == "and":
        return [*words, "and", *_opening(others[1])]  # "My wife and I"
    for mark, later in zip(others[::2], map(_opening, others[1::2]), strict=True):
        if not words or (mark == "," and _is_named(later)):
            return later
    return words


def _opening(clause: str) -> list[str]:
    """The words of a clause from the first that is neither an adverb nor an answer."""
    words = [_plain(word) for word in _WORD.findall(clause)]
    place = next((at for at, word in enumerate(words) if word not in ADVERBS | _ANSWERS), len(words))
    return words[place:]


def _is_verb(word: str) -> bool:
    """Whether a word is a verb, by its form alone."""
    return word in _AUXILIARIES or is_past(word)


def is_past(word: str) -> bool:
    """Whether a word is a past form, by its form alone."""
    return word in _PAST or (word.endswith("ed") and word not in NOT_PAST)


def _is_third_person(words: list[str]) -> bool:
    """Whether words that begin with their verb have a third-person subject: "wants the data", "still has his lease"."""
    if not words or words[0] in _THIRD_SINGULAR:
        return bool(words)
    return _may_be_third(words[0]) and not _is_named(words) and words[1:2] != [] and not _is_verb(words[1])


def _may_be_third(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _has_verb(words: list[str]) -> bool:
    """Whether a verb follows the first word, by its form or by agreement with the word before it."""
    phrase = next((at for at, word in enumerate(words) if word in _JOINING), len(words))  # "to community meetings"
    return any(map(_is_verb, words[1:])) or any(_agrees(*pair) for pair in pairwise(words[:phrase]))


def _agrees(noun: str, word: str) -> bool:
    """Whether a noun and the word after it agree as subject and verb: "boss wants", "kids love"."""
    if not (noun.isalpha() and word.isalpha()) or len(noun) < _SHORTEST_NOUN:
        return False
    if any(part in FUNCTION_WORDS | ADVERBS | _JOINING or _is_verb(part) for part in (noun, word)):
        return False
    return _may_be_third(noun) != _may_be_third(word)


def _is_named(words: list[str]) -> bool:
    """Whether the clause names its subject."""
    if not words:
        return False
    first = words[0]
    if first in _SPEAKER | _THIRD | _YOU:
        return True
    if first in _DETERMINERS:
        return _has_verb(words) or len(words) >= _FEWEST_OF_PHRASE or not _SPEAKER.isdisjoint(words)
    if _is_verb(first):
        return False
    if first.endswith("ing"):  # "Making music is fun", not "Checking things that are new"
        agrees = _agrees(first, words[1]) if words[1:] else False
        return agrees or any(w in _AUXILIARIES and v not in _RELATIVE for v, w in pairwise(words))
    if _may_be_third(first) and words[1:] and words[1] in FUNCTION_WORDS | _SPEAKER | _THIRD and not _is_verb(words[1]):
        return False  # "thinks I'm mad", "wants the data"
    if first in _JOINING:
        return any(word in _SPEAKER | _THIRD for word in words[1:]) or _has_verb(words[1:])
    moves = any(word in _OBJECT and verb not in _JOINING for verb, word in pairwise(words[1:]))
    return _has_verb(words) or moves or not _NOMINATIVE.isdisjoint(words)  # "Dogs calm me", "Next Friday I fly"


def _is_speaker(words: list[str]) -> bool:
    """Whether the named subject is "I" or "we", also as the second of two: "My wife and I"."""
    nominal = next((word for word in words if word in _SPEAKER | _THIRD | _YOU | _DETERMINERS), "")
    joined = any(pair == ("and", "i") for pair in pairwise(words))
    return nominal in _SPEAKER or joined


def _asked(statement: Remark, name: str) -> SentenceSubject | None:
    """The subject of the question that a statement answers: the speaker where it says "you".

    None where it names none.
    """
    question = statement.question
    asked = [sentence for sentence in split_sentences(question.text) if is_question(sentence)] if question else []
    tokens = _WORD.findall(strip_lead(asked[-1])) if asked else []
    if question is None or language(question.text) == "zh":
        return None
    place = next((at for at, token in enumerate(tokens) if _is_nominal(at, tokens)), None)
    if place is None:  # "And?" and "Since when?" continue the talk, and an assistant asks its user
        return SPEAKER if question.role is Role.ASSISTANT else None
    return _meant(tokens[place:], name)


def _is_nominal(place: int, tokens: list[str]) -> bool:
    word = _plain(tokens[place])
    return word in _SPEAKER | _THIRD - {"who", "whos"} | _YOU | _DEFINITE or _is_name(place, tokens)


def _is_name(place: int, tokens: list[str]) -> bool:
    return place > 0 and tokens[place][0].isupper() and _plain(tokens[place]) not in FUNCTION_WORDS


def _meant(tokens: list[str], name: str) -> SentenceSubject:
    """The subject of a question that begins with these words."""
    first = _plain(tokens[0])
    if first in _YOU or tokens[0] == name:
        return SPEAKER
    if first == "your":
        ends = len(tokens) < 3 or _plain(tokens[2]) in FUNCTION_WORDS | ADVERBS | _JOINING
        return SentenceSubject(topic=f"{name}'s {tokens[1]}") if ends and len(tokens) > 1 else OPEN
    if first in FUNCTION_WORDS | _SPEAKER | _THIRD | _DETERMINERS:
        return OPEN
    named = next((at for at, token in enumerate(tokens) if not token[0].isupper()), len(tokens))
    return SentenceSubject(topic=" ".join(tokens[:named]))
