"""What a user prefers or dislikes, as worded in one interaction: the aspects that rules are about.

An aspect is a quality with several names ("cheap", "budget") or a thing that the user likes or dislikes ("no walnuts").
Only explicit wordings count. How often a word occurs does not matter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from evermem_cli.experience.phrase_lists import alternatives, tables
from evermem_cli.experience.speech_acts import asks_for
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.english import FUNCTION_WORDS, LIGHT_WORDS
from evermem_cli.languages.language import language
from evermem_cli.languages.word_forms import word_stem
from evermem_cli.memory import Attitude, Interaction, Outcome

_FELT = {Outcome.SUCCESS: Attitude.PREFER, Outcome.FAILURE: Attitude.AVOID}  # about what had which outcome


def _compile(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern in which a space matches any line break."""
    return re.compile(re.sub(r"\s*\n\s*", "", pattern), re.IGNORECASE)


_QUALITIES = tables("words")["qualities"]
_NAMED = {word: quality for quality, of in _QUALITIES.items() for word in (of["en"] + " " + of["zh"]).split()}
_ENGLISH = re.compile(rf"\b(?:{'|'.join(name for name in _NAMED if name.isascii())})\b(?!-)", re.IGNORECASE)
_CHINESE = re.compile("|".join(sorted((name for name in _NAMED if not name.isascii()), key=len, reverse=True)))

_FILLER = r"""
    (?:\s+(?:a|an|the|any|some|so|such|more|another|very|really|bit|little|of|much|many|my|your|those|these|to|be|eat|
    have|use|get|it|them))*\s+
"""
_PHRASES = tables("phrases")["preferences"]
_DISLIKES, _PREFERS = (alternatives(_PHRASES[name]["en"]) for name in ("dislikes", "prefers"))
_AGAINST = _compile(rf"\b(?:{_DISLIKES}|not|less|fewer|never|too){_FILLER}$")
_FOR = _compile(rf"""
    \b(?:{_PREFERS}|preferably|more){_FILLER}$|
    (?:^|\b(?:please|you),?\s+)(?:keep|make)\s+(?:it|them|that|this){_FILLER}$
""")
_WISH = _compile(rf"\b(?:{_DISLIKES}|{_PREFERS})")
# A request up to the quality that it asks for: "Find me a direct …", "Any recommendations for casual …".
_REQUESTED = _compile(rf"""
    \b{alternatives(_PHRASES["requests"]["en"])}(?:\s+(?:me|us|you|of|for|with))*(?:\s+(?:a|an|some|the|any|one|
    something|relatively|really|very|fairly|rather|good|quick|few))*\s+(?:[\w-]+\s+(?:and|but|yet)\s+)?$
""")
_MODIFIES = _compile(r"^\s+(?:and\s+[\w-]+\s+)?([\w-]+)")  # the word after an adjective
_NOT_ENOUGH = _compile(r"^\W*enough\b")
_NEGATED = _compile(r"(?:\bnot|n['’]t)\s+(?:\w+\s+)?$")
_NOUN = r"((?:[\w-]+\s?){1,3})"
_OF_NOUN = (
    r"(?:\s+(?:to\s+(?:eat|have|use|get)|a|an|the|any|some|so|such|more|another|much|many|my|your|those|these))*\s+"
)
_DISLIKED = _compile(rf"\b{_DISLIKES}{_OF_NOUN}{_NOUN}")
_LIKED = _compile(rf"\b{_PREFERS}{_OF_NOUN}{_NOUN}")

_ZH_END = r"(?:[，。！,!\s]|$)"
_ZH_DISLIKED = _compile(rf"""
    (?:不要|别放|别加|不吃|不喝|讨厌|不喜欢|受不了|避免)(?:任何|再|放|加|吃|有)?([\u4e00-\u9fff]{{1,6}}?){_ZH_END}|
    对([\u4e00-\u9fff]{{1,6}}?)过敏
""")
_ZH_LIKED = _compile(rf"(?:更喜欢|偏好|只要|只吃|只坐|最爱)(?:吃|坐|用)?([\u4e00-\u9fff]{{1,6}}?){_ZH_END}")
_ZH_AGAINST = re.compile(r"(?:不要|别|不能|不想|太|少)[^，。！,]{0,3}$")
_ZH_REQUESTED = re.compile(rf"{_PHRASES['requests']['zh']}[^，。！,]{{0,4}}$")
_ALSO_NOUNS = frozenset("budget bargain discount direct short long near far remote late early low-cost".split())
_SHORTEST_NAME = 3  # letters
# Name nothing that one could like or dislike: "no problem", "no idea", "I don't want that".
_NO_THING = frozenset(
    """
    problem problems idea ideas need rush worries doubt way thanks one clue matter longer wonder chance change rebound
    please answer question luck reason point time thing things good bad right sure
""".split()
)


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference for or against a quality or thing. `words` is its name in the text."""

    named: str
    stance: Attitude
    words: str

    @property
    def aspect(self) -> str:
        """What the preference is about. Two opposite qualities share one aspect."""
        return self._opposite or self.named

    @property
    def side(self) -> Attitude:
        """Whether the preference is for or against the aspect."""
        return other(self.stance) if self._opposite else self.stance

    @property
    def is_noun(self) -> bool:
        """Whether the name is a noun: "layovers", not "cheap"."""
        return self.named not in _QUALITIES or "noun" in _QUALITIES[self.named]

    @property
    def plain_words(self) -> str:
        """The name in its base form: "short" for "shorter"."""
        forms = _QUALITIES.get(self.named, {"en": ""})["en"].split()
        return next((form for form in forms if self.words.isascii() and form[:3] == self.words[:3]), self.words)

    @property
    def _opposite(self) -> str:
        return str(_QUALITIES.get(self.named, {}).get("opposite", ""))


def other(stance: Attitude) -> Attitude:
    """The opposite attitude."""
    return Attitude.AVOID if stance is Attitude.PREFER else Attitude.PREFER


def find_preferences(interaction: Interaction) -> list[Preference]:
    """The preferences in an interaction, one per aspect. A dislike wins, since rejecting a thing also names it."""
    feedback = interaction.user_feedback or ""
    preferences: dict[str, Preference] = {}
    for preference in (*_wished(interaction.situation, feedback), *_felt(feedback, interaction.outcome)):
        if preference.aspect not in preferences or preference.side is Attitude.AVOID:
            preferences[preference.aspect] = preference
    return list(preferences.values())


def _wished(situation: str, feedback: str) -> Iterator[Preference]:
    """Preferences in the user's request. The report of a result has feedback only."""
    for sentence in split_sentences(situation):
        if sentence not in feedback:
            yield from _things(sentence)
            if asks_for(sentence) or _WISH.search(sentence) or language(sentence) == "zh":
                yield from _qualities(sentence, None)


def _felt(feedback: str, outcome: Outcome) -> Iterator[Preference]:
    for sentence in split_sentences(feedback):
        yield from _things(sentence)
        yield from _qualities(sentence, _FELT.get(outcome))


def _qualities(sentence: str, felt: Attitude | None) -> Iterator[Preference]:
    """Qualities with the attitude of the words around them, else with the user's reaction to what has them."""
    chinese = language(sentence) == "zh"
    for match in (_CHINESE if chinese else _ENGLISH).finditer(sentence):
        name, before, after = match.group().lower(), sentence[: match.start()], sentence[match.end() :]
        stance = _zh_stance(before, felt) if chinese else _stance(name, before, after, felt)
        if stance:
            yield Preference(_NAMED[name], stance, name)


def _stance(name: str, before: str, after: str, felt: Attitude | None) -> Attitude | None:
    noun = _MODIFIES.match(after)
    modifies = noun is not None and noun.group(1).lower() not in FUNCTION_WORDS
    if _FOR.search(before) or (_NOT_ENOUGH.match(after) and _NEGATED.search(before)):
        return Attitude.PREFER
    if _AGAINST.search(before):
        return Attitude.AVOID
    if name in _ALSO_NOUNS and not modifies:
        return None
    return Attitude.PREFER if modifies and _REQUESTED.search(before) else felt


def _zh_stance(before: str, felt: Attitude | None) -> Attitude | None:
    if _ZH_AGAINST.search(before):
        return Attitude.AVOID
    return Attitude.PREFER if _ZH_REQUESTED.search(before) else felt


def _things(sentence: str) -> Iterator[Preference]:
    """Things named with a like or a dislike."""
    chinese = language(sentence) == "zh"
    disliked, liked = (_ZH_DISLIKED, _ZH_LIKED) if chinese else (_DISLIKED, _LIKED)
    for pattern, stance in ((disliked, Attitude.AVOID), (liked, Attitude.PREFER)):
        for match in pattern.finditer(sentence):
            words = next(group for group in match.groups() if group)
            words = words if chinese else _noun_phrase(words)
            if words and not (_CHINESE if chinese else _ENGLISH).search(words):
                yield Preference(words if chinese else " ".join(map(word_stem, words.split())), stance, words)


def _noun_phrase(words: str) -> str:
    """The words before the first function word: "walnuts" of "walnuts in it". Empty where they name no thing."""
    kept = list(takewhile(lambda word: word not in FUNCTION_WORDS | LIGHT_WORDS | _NO_THING, words.lower().split()))
    names = bool(kept) and not kept[0].endswith("ing") and len(kept[0]) >= _SHORTEST_NAME
    return " ".join(kept) if names else ""
