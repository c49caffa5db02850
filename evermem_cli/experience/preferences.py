"""What a user prefers or dislikes, as worded in one interaction: the aspects that rules are about.

An aspect is a quality with several names ("cheap", "budget"), or a thing that the tagger reads as liked or disliked
("I'm allergic to walnuts"). How often a word occurs does not matter.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, groupby

from evermem_cli.experience.wishes import QUALITIES, attitude, qualities_in
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.english import FUNCTION_WORDS
from evermem_cli.languages.language import language
from evermem_cli.languages.word_forms import word_stem
from evermem_cli.languages.words import negates
from evermem_cli.memory import Attitude, Interaction, Outcome, Stance, Statement, Whose
from evermem_cli.reading.reactions import Reaction

_REACTIONS = {Outcome.SUCCESS: Reaction.GOOD, Outcome.FAILURE: Reaction.BAD, Outcome.PARTIAL: Reaction.MIXED}
_THINGS = {
    "likes": Attitude.PREFER,
    "dislikes": Attitude.AVOID,
    "avoids": Attitude.AVOID,
    "allergies": Attitude.AVOID,
}
_LASTING = (Stance.HOLDS, Stance.BEGAN)
_OF_NEGATION = 2  # words of "can't stand", "don't like"
_EDGES = ",.;:!?\"'“”‘’()，。；：！？、"


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference for or against a quality or thing. `words` is its name."""

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
        return self.named not in QUALITIES or "noun" in QUALITIES[self.named]

    @property
    def _opposite(self) -> str:
        return str(QUALITIES.get(self.named, {}).get("opposite", ""))


def other(stance: Attitude) -> Attitude:
    """The opposite attitude."""
    return Attitude.AVOID if stance is Attitude.PREFER else Attitude.PREFER


def find_preferences(interaction: Interaction, statements: Iterable[Statement] = ()) -> list[Preference]:
    """The preferences in an interaction, one per aspect. A dislike wins, since rejecting a thing also names it.

    `statements` are those that the tagger read in its messages.
    """
    feedback = interaction.user_feedback or ""
    wished = "\n".join(sentence for sentence in split_sentences(interaction.situation) if sentence not in feedback)
    preferences: dict[str, Preference] = {}
    for preference in (
        *_things(statements),
        *_qualities(wished, None),
        *_qualities(feedback, _REACTIONS.get(interaction.outcome)),
    ):
        if preference.side is Attitude.AVOID or preference.aspect not in preferences:
            preferences[preference.aspect] = preference
    return list(preferences.values())


def _qualities(text: str, reaction: Reaction | None) -> Iterator[Preference]:
    for sentence in split_sentences(text):
        for named in qualities_in(sentence):
            if stance := attitude(named, reaction):
                yield Preference(named.quality, stance, named.name)


def _things(statements: Iterable[Statement]) -> Iterator[Preference]:
    """What the user likes, dislikes or cannot have, each thing by itself, without the words that say so."""
    for statement in statements:
        lasts = statement.whose is Whose.ME and statement.is_asserted and statement.stance in _LASTING
        if lasts and statement.kind in _THINGS:
            for words in _named_things(statement.value, statement.kind):
                yield Preference(" ".join(map(word_stem, words.split())), _THINGS[statement.kind], words)


def _named_things(value: str, kind: str) -> list[str]:
    """The things of a value: walnuts and cashews of "allergic to walnuts and cashews"; none of "pizza without olives".

    Only an allergy is to something: "hotels next to motorways" and "trains to planes" stay as the tagger marks them. So
    does a Chinese value.
    """
    if language(value) == "zh":
        return [value.strip(_EDGES)]
    parted = value.replace(",", " and ")
    words = [word.strip(_EDGES) for word in parted.split()]
    if any(negates(word) for word in words[1:]) or "without" in words:
        return []
    verb = _OF_NEGATION if negates(words[0]) and len(words) > _OF_NEGATION else 0
    start = words.index("to") if kind == "allergies" and "to" in words else verb
    runs = (list(run) for is_name, run in groupby(words[start:], lambda word: word not in {"and", "or"}) if is_name)
    named = (" ".join(dropwhile(lambda word: word.lower() in FUNCTION_WORDS, run)) for run in runs)
    return [*filter(None, named)]
