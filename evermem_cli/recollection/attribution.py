"""Whether what was found can answer at all: it is on the subject, and said of the one the question asks about."""

from collections.abc import Iterable, Sequence, Set

import numpy as np

from evermem_cli.language import language
from evermem_cli.memory import Evidence, Role
from evermem_cli.recollection.irregular import forms
from evermem_cli.recollection.passages import Passage
from evermem_cli.recollection.question import content_stems, content_words
from evermem_cli.recollection.ranking import WEIGHTS

# Of 491 answerable questions of LoCoMo outside the benchmark's sample 4 % lie below, of 145 where another person did it
# 73 %, by the 30 best results; a regression on eight measures of these, left out by conversation, does no better.
LEAST_ODDS = 0.5
# A question for several things is answered by any of them that is found: 4 % of 194 answerable ones lie below, of 37
# where another person did it 62 %.
LEAST_ODDS_OF_SEVERAL = 0.2
# Where no word of the question is among the best results and none is nearer in meaning, memory has nothing on its
# subject: in the sample chats questions for what is not there lie at 0.18 to 0.27, all others above.
NEAREST = 0.26
BEST = 5
# A date is told from a passage that has a word of the question, or is at least so near to it. Of 127 dates told for
# questions of LoCoMo and LongMemEval 2 are not, and both are wrong.
NEAR = 0.4
# What others said is read where it is about as likely to be the evidence as the best: of LoCoMo's evidence for what
# names one person they said 5 %, and a small reader takes their cat for the cat of the one asked about.
ABOUT_AS_LIKELY = 1.0


def is_off_subject(found: Iterable[Evidence]) -> bool:
    """Whether nothing that the searches found has to do with the question."""
    ranked = sorted(found, key=lambda evidence: -evidence.score)
    parts = [evidence.why.parts for evidence in ranked if evidence.why]
    if not parts:
        return False
    nearest = max(part["cosine"] for part in parts) / WEIGHTS["cosine"]
    return nearest < NEAREST and not any(part["words"] for part in parts[:BEST])


def is_of_another_thing(question: str, cited: Evidence, passages: Iterable[Passage]) -> bool:
    """Whether the passage with what was cited has no word of the question, and is not near it in meaning.

    Asked when something was that was never told, a small model takes any date for it. Names of speakers stand in all
    passages; words tell nothing where another language is spoken; how near is what no search found is not known.
    """
    told = next((each for each in passages if any(line.evidence.id == cited.id for line in each)), ())
    text = " ".join(line.text for line in told)
    names = content_stems(" ".join(line.message.speaker for line in told))
    asked = {stem for word in content_words(question).split() for stem in content_stems(" ".join(forms(word)))} - names
    if not told or not asked or not cited.why or {language(question), language(text)} != {"en"}:
        return False
    nearness = cited.why.parts["cosine"] / WEIGHTS["cosine"]
    return nearness < NEAR and asked.isdisjoint(content_stems(text))


def is_about_another(named: Set[str], found: Iterable[Evidence], *, several: bool) -> bool:
    """Whether what the question asks about its one named person was more likely said by another one.

    `several`: it asks for all there is of something.

    Search scores are logits of "this is the evidence", so those of each side add up to how likely it is to be among
    them. Where several are named, or nobody, all that was found counts; an assistant speaks about others.
    """
    if len(named) != 1:
        return False
    [name] = named
    theirs: list[float] = []
    others: list[float] = []
    for evidence in found:
        if evidence.speaker == name:
            theirs.append(_logit(evidence))
        elif evidence.speaker and not any(message.role is Role.ASSISTANT for message in evidence.messages):
            others.append(_logit(evidence))
    if not others:
        return False
    least = LEAST_ODDS_OF_SEVERAL if several else LEAST_ODDS
    return not theirs or bool(np.logaddexp.reduce(theirs) - np.logaddexp.reduce(others) < least)


def of_those_named(named: Set[str], found: Sequence[Evidence]) -> list[Evidence]:
    """What is to be read: of several speakers' words those of the one whom the question names, and the most likely."""
    if len(named) != 1:
        return list(found)
    best = max((evidence.score for evidence in found), default=0.0)
    return [
        evidence
        for evidence in found
        if evidence.speaker in named
        or evidence.score > best - ABOUT_AS_LIKELY
        or not evidence.speaker
        or any(message.role is Role.ASSISTANT for message in evidence.messages)
    ]


def _logit(evidence: Evidence) -> float:
    """The score without what speaks for late messages: that tells which of them is true, not whose words they are."""
    return evidence.score - (evidence.why.parts["latest"] if evidence.why else 0.0)
