"""Clarity: whether a retold sentence can be understood without its chat."""

import re

from evermem_cli.formation.sentences.subjects import is_past
from evermem_cli.languages.english import ADVERBS, FUNCTION_WORDS, PRESENT, UNINFLECTED
from evermem_cli.languages.language import language

_WORD = re.compile(r"[^\W_]+(?:['’`-][^\W_]+)*")
_POINTING = re.compile(  # may refer to something outside the sentence
    r"\b(he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|those|there|here|one|ones|such(?! an?\b)|"
    r"that one|^that|(?:like|of|about|for|at|with|to|from|on|in|after|before|than|by) that)\b",
    re.I,
)
_OUTSIDE = re.compile(r"\b(i|you|your|yours|yourself|y['’]all)\b", re.I)  # always does
_POSSESSED = re.compile(rf"(?:his|its|their|her(?= \w)(?! (?:{'|'.join(sorted(FUNCTION_WORDS))})\b))\b", re.I)
_SHOWING = re.compile(
    r"(?:this|these|those|here|such|that one|that)\b", re.I
)  # refers to something seen or said before
_CLAUSE = re.compile(
    r"[,;:–—-]|\b(and|but|so|because|when|while|if|as|which|who|that|where|since|though|after|before)\b", re.I
)
# "这几天" and "那么" refer to nothing.
_ZH_OPEN_REFERENCE = re.compile(r"(?<!其)他|她|它|你|您|我(?!们)|这(?![几次两段周样么]|个?月)|那(?![么样天时段])")
_OWN = re.compile(r"\b(?:his|her|their)\b(?= \w)")  # in a sentence about somebody, it is theirs
_BOUND_AFTER = 4  # words before a pronoun that may contain its antecedent


def is_clear(sentence: str, name: str) -> bool:
    """Whether a retold sentence tells by itself who did what.

    It must name the speaker early, and its pronouns must have an antecedent in the clause before.
    """
    if language(sentence) == "zh":
        return name in sentence and not _ZH_OPEN_REFERENCE.search(sentence)
    named = _early(name, sentence)
    if named is None:
        return False
    pointing = _POINTING.finditer(sentence)
    return all(_is_bound(word, sentence[named.end() : word.start()]) for word in pointing)


def names_speaker(sentence: str, name: str) -> bool:
    """Whether a retold English sentence names its speaker early, and nobody as "I" or "you"."""
    return _early(name, sentence) is not None


def _early(name: str, sentence: str) -> re.Match[str] | None:
    named = re.search(rf"\b{re.escape(name)}\b", sentence)
    if not named or len(_WORD.findall(sentence[: named.start()])) > _BOUND_AFTER or _OUTSIDE.search(sentence):
        return None
    return named


def is_clear_about(sentence: str, who: str) -> bool:
    """Whether a sentence that the model wrote about somebody can be understood alone."""
    return is_clear(_OWN.sub(lambda _: f"{who}'s", sentence), who)


def _is_bound(pointing: re.Match[str], before: str) -> bool:
    """Whether the words between the speaker's name and a pronoun may contain the antecedent."""
    if len(_WORD.findall(before)) < _BOUND_AFTER - 1 or _SHOWING.match(pointing.string, pointing.start()):
        return False
    return bool(_POSSESSED.match(pointing.string, pointing.start()) or _CLAUSE.search(before))


def is_state(sentence: str, *, quoted: bool = False) -> bool:
    """Whether a sentence describes a state and not an event.

    In the third person its first verb is in the present; in its speaker's own words, `quoted`, no word is in the past.
    """
    if language(sentence) == "zh":
        return not re.search(r"了|过", sentence)
    if quoted:
        return not any(map(is_past, sentence.lower().split()))
    words = (word.lower() for word in _WORD.findall(sentence)[1:])
    verb = next((word for word in words if word not in ADVERBS), "")
    return verb in PRESENT or (verb.endswith("s") and not verb.endswith(("'s", "ss")) and verb not in UNINFLECTED)
