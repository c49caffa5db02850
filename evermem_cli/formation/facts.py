"""Facts of one message: a clear sentence in the third person, everything else as it was said, in quotes."""

from collections.abc import Iterator
from dataclasses import dataclass

from evermem_cli.formation.grounding import CitedWords, content_words, is_repeated, name_words
from evermem_cli.formation.sentences.clarity import is_clear, names_speaker
from evermem_cli.formation.sentences.quotes import as_said
from evermem_cli.formation.sentences.statements import Remark, is_question, split_sentences
from evermem_cli.formation.sentences.subjects import SentenceSubject, lacks_speaker, subjects, without_answer
from evermem_cli.formation.sentences.third_person import tell
from evermem_cli.languages.english import ADVERBS, LIGHT_WORDS
from evermem_cli.languages.language import language

_ZH_FEWEST_CHARACTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fact that a speaker told, before it has ids and times: `places` are those of its sentences.

    `quoted` if the text has the speaker's own words, `confidence` is that of `CitedWords`.
    """

    text: str
    retelling: "Retelling"
    places: range
    quoted: bool
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

    `clear` sentences can be understood alone. Sentences whose subject is open are quoted as said. `source` has the
    words that a fact may use.
    """

    statement: Remark
    name: str
    subjects: tuple[SentenceSubject, ...]
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


def retell(statement: Remark, addressee: str = "", before: SentenceSubject | None = None) -> Retelling:
    """The statement in the third person.

    `addressee` is the person that "you" refers to, empty where that is uncertain; `before` is the subject of the
    speaker's previous statement.
    """
    name = called(statement)
    whose = tuple(subjects(statement, name, before))
    sentences = tuple(_in_third_person(*pair, name, addressee) for pair in zip(statement.stated, whose, strict=True))
    clear = {
        sentence
        for place, sentence, subject in zip(statement.kept, sentences, whose, strict=True)
        if subject.topic or (not subject.is_open and _is_clear(statement, place, sentence, name))
    }
    cited = statement.messages
    return Retelling(
        statement=statement,
        name=name,
        subjects=whose,
        sentences=sentences,
        clear=frozenset(clear),
        source=CitedWords(
            [message.text for message in cited], name_words(name, addressee, *(message.speaker for message in cited))
        ),
    )


def _is_clear(statement: Remark, place: int, sentence: str, name: str) -> bool:
    """Whether the sentence at this place, retold, can be understood alone."""
    if statement.marks:
        return statement.marks[place].is_clear and names_speaker(sentence, name)
    return is_clear(sentence, name)


def _in_third_person(sentence: str, subject: SentenceSubject, name: str, addressee: str) -> str:
    """The sentence in the third person; quoted where its subject is missing and is not the speaker."""
    if subject.topic:
        return f'{name} says of {subject.topic}: "{sentence.rstrip(" .!")}".'
    if subject.is_open:
        return f'"{sentence}"'
    elided = not subject.named and lacks_speaker(sentence)
    return tell(without_answer(sentence) if elided else sentence, name, addressee, elided=elided)


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
                quoted = bool(retelling.subjects[place].topic)
                yield _claim(_finished(retelling.sentences[place]), retelling, range(place, place + 1), quoted=quoted)
        else:
            yield _claim(as_said(retelling.statement, run, retelling.name), retelling, run, quoted=True)


def _claim(text: str, retelling: Retelling, places: range, *, quoted: bool) -> Claim:
    confidence = retelling.source.confidence(text)
    return Claim(text=text, retelling=retelling, places=places, quoted=quoted, confidence=confidence)


def _finished(text: str) -> str:
    """The text as one sentence that ends with a full stop."""
    if language(text) == "zh":
        return text.rstrip("！!。.；;，, ") + "。"
    return text.rstrip("!. ") + "."


def _says_something(fact: str, retelling: Retelling) -> bool:
    """Whether the text has a content word besides the speaker's name."""
    if language(fact) == "zh":
        return len(fact) - len(retelling.name) >= _ZH_FEWEST_CHARACTERS
    return any(word not in ADVERBS | LIGHT_WORDS for word in content_words(fact, retelling.source.names))
