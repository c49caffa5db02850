"""Clarity: whether a sentence that a model wrote, or one retold in Chinese, can be understood without its chat."""

import re
from collections.abc import Iterator

from evermem_cli.languages.english import FUNCTION_WORDS, HYPHENATED, is_adverb, is_uninflected
from evermem_cli.languages.language import language
from evermem_cli.languages.light_words import is_light

_POINTING = re.compile(  # may refer to something outside the sentence
    r"\b(he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|those|there|here|one|ones|such(?! an?\b)|"
    r"that one|^that|(?:like|of|about|for|at|with|to|from|on|in|after|before|than|by) that)\b",
    re.I,
)
_OUTSIDE = re.compile(r"\b(i|you|your|yours|yourself|y['’]all)\b", re.I)  # always does
# "That community meeting" explains itself; "that meeting" and "all that cool stuff" do not.
# A singular before a verb in -s is its subject: "how this impacts people", "where this journey leads".
_DESCRIBED = re.compile(
    r"(?<!like )(?:(?:these|those)\s+(\w[\w-]*)\s+(\w[\w-]*)"
    r"|(?:this|that)\s+(\w[\w-]*\b)(?<![^s]s)\s+(\w[\w-]*\b)(?<![^s]s))",
    re.I,
)
_POSSESSED = re.compile(rf"(?:his|its|their|her(?= \w)(?! (?:{'|'.join(sorted(FUNCTION_WORDS))})\b))\b", re.I)
_SHOWING = re.compile(
    r"(?:this|these|those|here|such|that one|that)\b", re.I
)  # refers to something seen or said before
# The subject is missing: "Just skyped with a fan", "Must be fun", "Really made Ann think", "Exciting to see it".
_NO_SUBJECT = re.compile(
    r"^(?:(?:really|just|always|also|so|definitely) )*(?:made|makes|helps?|helped|gives?|gave|reminds?|reminded|keeps?|"
    r"brings?|brought|turns?|turned|means|feels|sounds|looks|gets)\b|"
    r"^(?:just \w+ed|must|should|could|would|might) |^(?:excit|interest|amaz|inspir|reward|surpris)ing to\b",
    re.I,
)
_CLAUSE = re.compile(
    r"[,;:–—-]|\b(and|but|so|because|when|while|if|as|which|who|that|where|since|though|after|before)\b", re.I
)
# "这几天" and "那么" refer to nothing.
_ZH_OPEN_REFERENCE = re.compile(r"(?<!其)他|她|它|你|您|我(?!们)|这(?![几次两段周样么]|个?月)|那(?![么样天时段])")
_EXPLETIVE = re.compile(  # expletive "it": "It's awesome to see", "It breaks Ann's heart that"
    r"\bit(?:(?:['’]s| is| was| has)(?: been)?(?: so| really| always| also| just| very| pretty)* (?!been)\w+"
    r"| (?:breaks?|broke|kills|hurts|saddens|warms|takes|took|feels|felt|sucks|pays)(?: [\w'’]+){0,4}?)"
    r" (?:to|that|how|when|what|knowing|seeing|having|being|\w+ing(?= \w))\b"
    r"|(?<=though )it (?:can|may|might) be (?:\w+ )?\w+(?=, it['’]s)",  # "even though it can be hard, it's fun to"
    re.I,
)
_OWN = re.compile(r"\b(?:his|her|their)\b(?= \w)")  # in a sentence about somebody, it is theirs
_BOUND_AFTER = 4  # words before a pronoun that may contain its antecedent


def is_clear(sentence: str, name: str) -> bool:
    """Whether a retold sentence in Chinese, or one that a model wrote, tells by itself who did what.

    It must name the speaker early, and its pronouns must have an antecedent in the clause before.
    """
    if language(sentence) == "zh":
        return name in sentence and not points_outside(sentence)
    named = _early(name, sentence)
    if named is None or _NO_SUBJECT.match(sentence):
        return False
    return all(_is_bound(pointing, sentence[named.end() : pointing.start()]) for pointing in _pointing(sentence))


def points_outside(sentence: str) -> bool:
    """Whether a Chinese sentence has a word that may refer to something outside it."""
    return bool(_ZH_OPEN_REFERENCE.search(sentence))


def _early(name: str, sentence: str) -> re.Match[str] | None:
    named = re.search(rf"\b{re.escape(name)}\b", sentence)
    if not named or len(HYPHENATED.findall(sentence[: named.start()])) > _BOUND_AFTER or _OUTSIDE.search(sentence):
        return None
    return named


def is_clear_about(sentence: str, who: str) -> bool:
    """Whether a sentence that the model wrote about somebody can be understood alone."""
    return is_clear(_OWN.sub(lambda _: f"{who}'s", sentence), who)


def _pointing(sentence: str) -> Iterator[re.Match[str]]:
    """The words of the sentence that may refer outside it."""
    expletives = {match.start() for match in _EXPLETIVE.finditer(sentence)}
    return (
        match
        for match in _POINTING.finditer(sentence)
        if match.start() not in expletives and not _is_described(match, sentence)
    )


def _is_described(pointing: re.Match[str], sentence: str) -> bool:
    """Whether a demonstrative is followed by at least two words that describe its noun."""
    place = pointing.start() + (pointing.group().rfind(" ") + 1)
    described = _DESCRIBED.match(sentence, place)
    if not described:
        return False
    words = [word.lower() for word in described.groups() if word]
    return not any(is_adverb(word) or is_light(word) or is_uninflected(word) for word in words)


def _is_bound(pointing: re.Match[str], before: str) -> bool:
    """Whether the words between the speaker's name and a pronoun may contain the antecedent."""
    if len(HYPHENATED.findall(before)) < _BOUND_AFTER - 1 or _SHOWING.match(pointing.string, pointing.start()):
        return False
    return bool(_POSSESSED.match(pointing.string, pointing.start()) or _CLAUSE.search(before))
