"""Facts of one message: a clear sentence in the third person, everything else as it was said, in quotes."""

from collections.abc import Iterator
from dataclasses import dataclass

from evermem_cli.formation.grounding import CitedWords, content_words, is_repeated, name_words
from evermem_cli.formation.sentences.clarity import points_outside
from evermem_cli.formation.sentences.quotes import as_said
from evermem_cli.formation.sentences.statements import Remark, is_question, split_sentences
from evermem_cli.formation.sentences.third_person import is_of_speaker, says_you, tell
from evermem_cli.languages.english import is_adverb
from evermem_cli.languages.language import language
from evermem_cli.languages.light_words import is_light

_ZH_FEWEST_CHARACTERS = 4
_FIRST_WORDS = 4  # words before the name of a speaker that a sentence is about


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fact that a speaker told, before it has ids and times: `places` are those of its sentences.

    `confidence` is that of `CitedWords`.
    """

    text: str
    retelling: "Retelling"
    places: range
    confidence: float

    @property
    def statement(self) -> Remark:
        """The statement that the sentence is part of."""
        return self.retelling.statement

    @property
    def sentence(self) -> str:
        """The words of the message that tell it."""
        return " ".join(self.statement.stated[place] for place in self.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retelling:
    """A statement's sentences in the third person. `name` is what the speaker is called in them.

    `clear` sentences tell of the speaker and can be understood alone. `source` has the words that a fact may use.
    """

    statement: Remark
    name: str
    sentences: tuple[str, ...]
    clear: frozenset[str]
    source: CitedWords

    @property
    def question(self) -> str:
        """The question answered, after the name of the one who asked; empty where the statement answers none."""
        asked = self.statement.question
        if asked is None:
            return ""
        questions = [sentence for sentence in split_sentences(asked.text) if is_question(sentence)]
        mark = "问：" if self.language == "zh" else " asked: "
        return f"{asked.speaker}{mark}{' '.join(questions)}"

    @property
    def language(self) -> str:
        """The language of the statement: zh or en."""
        return language(self.statement.text)


def called(statement: Remark) -> str:
    """The speaker's name for use in a sentence. A name that is a pronoun ("Me", "You") would not read as a name."""
    speaker = statement.message.speaker.strip()
    if speaker.lower() in {"", "me", "i", "you", "user", "human", "我", "你"}:
        return "用户" if language(statement.text) == "zh" else "User"
    return speaker


def retell(statement: Remark, addressee: str = "") -> Retelling:
    """The statement in the third person.

    `addressee` is the person that "you" refers to, empty where that is uncertain.
    """
    name = called(statement)
    sentences = tuple(_in_third_person(sentence, name, addressee) for sentence in statement.stated)
    clear = {
        sentence
        for place, sentence in zip(statement.kept, sentences, strict=True)
        if _is_clear(statement, place, sentence, name)
    }
    cited = statement.messages
    return Retelling(
        statement=statement,
        name=name,
        sentences=sentences,
        clear=frozenset(clear),
        source=CitedWords(
            [message.text for message in cited], name_words(name, addressee, *(message.speaker for message in cited))
        ),
    )


def _is_clear(statement: Remark, place: int, sentence: str, name: str) -> bool:
    """Whether the sentence at this place, retold, names the speaker early and can be understood alone."""
    if not statement.marks:
        return name in sentence and not points_outside(sentence)
    is_own = is_of_speaker(statement.said[place]) and names_speaker(sentence, name)
    return is_own and statement.marks[place].is_clear


def names_speaker(sentence: str, name: str) -> bool:
    """Whether a retold English sentence names its speaker early, and speaks to nobody."""
    before, named, _ = sentence.partition(name)
    return bool(named) and len(before.split()) <= _FIRST_WORDS and not says_you(sentence)


def _in_third_person(sentence: str, name: str, addressee: str) -> str:
    """The sentence in the third person; quoted where it has its speaker but is not about him."""
    retold = tell(sentence, name, addressee)
    is_of_another = language(sentence) == "en" and name in retold and not is_of_speaker(sentence)
    return f'"{sentence}"' if is_of_another else retold


def form_facts(retelling: Retelling) -> list[Claim]:
    """The facts of a statement, in the order of its sentences.

    Sentences that tell one thing together are one quotation, unless each of them is clear.
    """
    claims: dict[str, Claim] = {}
    for claim in _claims(retelling):
        if _says_something(claim.text, retelling) and not is_repeated(claim.text, claims, name_words(retelling.name)):
            claims[claim.text] = claim
    return list(claims.values())


def _claims(retelling: Retelling) -> Iterator[Claim]:
    for run in retelling.statement.runs:
        if all(retelling.sentences[place] in retelling.clear for place in run):
            for place in run:
                yield _claim(_finished(retelling.sentences[place]), retelling, range(place, place + 1))
        else:
            yield _claim(as_said(retelling.statement, run, retelling.name), retelling, run)


def _claim(text: str, retelling: Retelling, places: range) -> Claim:
    confidence = retelling.source.confidence(text)
    return Claim(text=text, retelling=retelling, places=places, confidence=confidence)


def _finished(text: str) -> str:
    """The text as one sentence that ends with a full stop."""
    if language(text) == "zh":
        return text.rstrip("！!。.；;，, ") + "。"
    return text.rstrip("!. ") + "."


def _says_something(fact: str, retelling: Retelling) -> bool:
    """Whether the text has a content word besides the speaker's name."""
    if language(fact) == "zh":
        return len(fact) - len(retelling.name) >= _ZH_FEWEST_CHARACTERS
    return any(not (is_adverb(word) or is_light(word)) for word in content_words(fact, retelling.source.names))
