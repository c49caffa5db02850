"""Whether a sentence is about the past or the future."""

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
_COMING = frozenset(
    words(
        "will won't shall gonna going plan plans planning hope hoping expect let's lets wanna want need needs "
        "tomorrow upcoming schedule scheduled supposed expected due remind book starting leaving coming"
    )
)
_ADJECTIVES = frozenset(["excited", "interested", "tired", "worried", "themed"])
_SUBJECTS = frozenset(words("i we you he she it they there"))
_IS = frozenset(words("is are was were be been it's that's"))
_BE = frozenset(words("is are am i'm we're you're they're"))  # the present of a participle: "the flight is booked"
# "Reserved the hall for the 14th", "a table for Friday": the day that something is meant for comes after it. A weekend
# or a holiday may be over: "we went there for the weekend".
_MEANT_FOR = re.compile(r"\bfor\s(?:the\s|this\s)?$", re.IGNORECASE)
_DAY = re.compile(r"(?=.*\d)|.*(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_BEFORE_ADJECTIVES = frozenset(words("a an the my your his her our their some"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_END = re.compile(r"[.!?;\n]+(?:\s|$)")
_CHINESE_PAST = re.compile(r"了|过|曾|刚才|刚刚|已经")
_CHINESE_COMING = re.compile(r"将|会|要|打算|计划|准备|想")


def sentence_of(text: str, start: int, end: int) -> tuple[str, str]:
    """The text before and after a phrase within its sentence."""
    before, after = text[:start], text[end:]
    ends = list(_SENTENCE_END.finditer(before))
    stop = _SENTENCE_END.search(after)
    return before[ends[-1].end() :] if ends else before, after[: stop.start()] if stop else after


def direction(text: str, start: int, end: int) -> int:
    """-1 if the sentence around `text[start:end]` is about the past, 1 about the future, 0 if no verb tells.

    The verb nearest to the phrase decides, unless the phrase is the day that something is meant for.
    """
    before, after = sentence_of(text, start, end)
    if _MEANT_FOR.search(before) and _DAY.match(text[start:end]):
        return 1
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
    if word == "since" and after not in _SUBJECTS:  # "since the operation in spring"; "since we leave" gives a reason
        return -1
    if word in _COMING or word.endswith("'ll"):
        return 1
    if before in _BEFORE_ADJECTIVES or before in _BE:  # "my left shin", "the planned trip"
        return 0
    regular = len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word not in _ADJECTIVES
    return -1 if regular or word in _PAST else 0


def chinese_direction(text: str, start: int, end: int) -> int:
    """The same for Chinese, by particles and auxiliaries."""
    before, after = text[:start], text[end:]
    sentence = re.split(r"[，。！？；\n]", before)[-1] + "\0" + re.split(r"[，。！？；\n]", after)[0]
    if _CHINESE_COMING.search(sentence):
        return 1
    return -1 if _CHINESE_PAST.search(sentence) else 0
