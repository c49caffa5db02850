"""Which verb forms of a sentence tell the past, and which tell what is to come."""

import re

from evermem_cli.timespan.grammar import words

_PAST = frozenset(
    words(
        "was were had did went took got met made saw came bought began started told said gave found left lost "
        "won ran ate drove flew wrote read spent kept felt became brought thought held caught grew knew broke "
        "built chose fell fought heard hit hurt led paid sang sat sent sold spoke stood swam taught threw "
        "understood woke wore passed died lied tied hung slept rode stole shook forgot rang sank struck tore lit bled "
        "dug fled froze hid lent slid stung swept swore swung wept drank blew wasn't weren't hadn't didn't ago"
    )
)
_PARTICIPLES = frozenset(
    words("been seen gone done eaten written taken given known driven spoken broken chosen forgotten")
)
_COMING = frozenset(
    words(
        "will won't shall gonna going plan plans planning hope hoping expect let's lets wanna want need needs "
        "tomorrow upcoming schedule scheduled supposed expected due remind book starting leaving coming"
    )
)
_ADJECTIVES = frozenset(["excited", "interested", "tired", "worried", "themed"])
_IS = frozenset(words("is are was were be been it's that's"))
# After these a participle tells a state, or what comes: "is closed on Friday", "are getting married in May".
_STATE = frozenset(words("is are am be being get gets getting they're we're you're i'm"))
_BEFORE_ADJECTIVES = frozenset(words("a an the my your his her our their some"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def direction(before: str, after: str) -> int:
    """-1 if the sentence around a phrase is about the past, 1 about the future, 0 if no verb tells.

    The verb nearest to the phrase decides.
    """
    nearest: list[tuple[int, int]] = []
    nearest += [(distance, tense) for distance, tense in enumerate(reversed(_tenses(before)))]
    nearest += [(distance + 1, tense) for distance, tense in enumerate(_tenses(after))]
    return min(((distance, tense) for distance, tense in nearest if tense), default=(0, 0))[1]


def _tenses(text: str) -> list[int]:
    """For each word -1 for a past verb form, 1 for a sign of the future, 0 otherwise."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(text)]
    return [_tense(*near) for near in zip(words, ["", *words], [*words[1:], ""], strict=False)]


def _tense(word: str, before: str, after: str) -> int:
    if word == "due" and after == "to" and before not in _IS:  # "due to" gives a reason
        return 0
    if word in _COMING or word.endswith("'ll"):
        return 1
    if before in _BEFORE_ADJECTIVES or (before in _STATE and _is_participle(word)):  # "my left shin", "is closed"
        return 0
    return -1 if _is_participle(word) or word in _PAST else 0


def _is_participle(word: str) -> bool:
    """Whether the word is a participle, which alone tells the past."""
    regular = len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word not in _ADJECTIVES
    return regular or word in _PARTICIPLES
