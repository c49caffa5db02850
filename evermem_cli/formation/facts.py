"""Facts of one message: in the third person where its sentences are clear, or the model made them so; else quoted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evermem_cli import prompts
from evermem_cli.engines import Request
from evermem_cli.formation.grounding import CitedWords, content_words, keeps_negation, name_words
from evermem_cli.formation.sentences.clarity import is_clear, reported
from evermem_cli.formation.sentences.quotes import as_said
from evermem_cli.formation.sentences.statements import Remark, is_question, split_sentences
from evermem_cli.formation.sentences.subjects import SentenceSubject, lacks_speaker, subjects, without_answer
from evermem_cli.formation.sentences.third_person import ask_of, tell
from evermem_cli.languages.english import ADVERBS, FUNCTION_WORDS, LIGHT_WORDS, REPORTING
from evermem_cli.languages.language import language

_MOST_SENTENCES = 8  # sentences in one request; longer messages are split
_FACT_TOKENS = 48
_FACT_CHARACTERS = 280
_KEPT = 0.6  # share of a sentence's words that its retelling must keep
_PART = 0.5  # share of a retelling that must be in the sentence if it keeps fewer words, since a part may become a fact
_PERSONS = re.compile(r"\b(?:I|me|my|mine|myself|we|our|us|you|your|yours)\b|我们?|你|您")
_ZH_FEWEST_CHARACTERS = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_BULLET = re.compile(r"^[-•*]\s*(.+)$")
_QUOTE = re.compile(r"^\S+( \S+)? (said|says|asked|asks|replied)\s*[:,]|^.{1,12}[说问]：")
_OF_OTHERS = re.compile(r"(?:his|her|their|its)\b|[他她它]", re.I)  # "her flight has moved" is not about the speaker
_ZH_REPORTS = re.compile("说|觉得|认为|告诉|希望|想")
_OTHER_SUBJECT = re.compile(
    r"^(?:\w+ly,? )?(?:he|she|it|they|that|this|these|those|there|who)(?:'s| has| have| had)? (\w+)", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A grounded fact that a speaker told, before it has ids and times. `confidence` is that of `CitedWords`.

    `run` are the places of its sentences; `is_quote` if it quotes them.
    """

    text: str
    retelling: "Retelling"
    run: range
    is_quote: bool
    confidence: float

    @property
    def statement(self) -> Remark:
        """The statement that the sentence is part of."""
        return self.retelling.statement

    @property
    def sentence(self) -> str:
        """The words of the message that tell it."""
        return " ".join(self.statement.sentences[place] for place in self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retelling:
    """A statement's sentences in the third person. `name` is what the speaker is called in them.

    `clear` sentences can be understood alone; `pointing` ones only the model can interpret. Sentences whose subject is
    open are quoted as said; the others lack nothing but their speaker. `source` has the words that a fact may use.
    """

    statement: Remark
    name: str
    subjects: tuple[SentenceSubject, ...]
    sentences: tuple[str, ...]
    clear: frozenset[str]
    pointing: frozenset[str]
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
        """The language of the prompt: zh or en."""
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
    sentences = tuple(_retold(*pair, name, addressee) for pair in zip(statement.sentences, whose, strict=True))
    known = [sentence for sentence, subject in zip(sentences, whose, strict=True) if not subject.is_open]
    topics = {sentence for sentence, subject in zip(sentences, whose, strict=True) if subject.topic}
    clear = topics | {sentence for sentence in known if is_clear(sentence, name)}
    cited = statement.messages
    return Retelling(
        statement=statement,
        name=name,
        subjects=whose,
        sentences=sentences,
        clear=frozenset(clear),
        pointing=frozenset(sentence for sentence in known if sentence not in clear and not reported(sentence, name)),
        source=CitedWords(
            [message.text for message in cited], name_words(name, addressee, *(message.speaker for message in cited))
        ),
    )


def _retold(sentence: str, subject: SentenceSubject, name: str, addressee: str) -> str:
    """The sentence in the third person; quoted where its subject is missing and is not the speaker."""
    if subject.topic:
        return f'{name} says of {subject.topic}: "{sentence.rstrip(" .!")}".'
    if subject.is_open:
        return f'"{sentence}"'
    elided = not subject.named and lacks_speaker(sentence)
    return tell(without_answer(sentence) if elided else sentence, name, addressee, elided=elided)


def fact_requests(retelling: Retelling) -> list[Request]:
    """What to ask of the model; nothing where every sentence is clear or lacks its speaker only."""
    parts = [retelling.sentences[i : i + _MOST_SENTENCES] for i in range(0, len(retelling.sentences), _MOST_SENTENCES)]
    return [_fact_request(retelling, part) for part in parts if not retelling.pointing.isdisjoint(part)]


def _fact_request(retelling: Retelling, sentences: Sequence[str]) -> Request:
    unclear = [sentence for sentence in sentences if sentence in retelling.pointing]
    system, user = prompts.fill(
        "facts",
        retelling.language,
        question=f"{ask_of(retelling.question, retelling.name)}\n" if retelling.question else "",
        name=retelling.name,
        told=" ".join(sentences),
        unclear=" ".join(unclear),
    )
    gap, stop = ("", "。") if retelling.language == "zh" else ("(?:'s)? ", ".")
    line = rf"- {re.escape(retelling.name)}{gap}(?:[^\n.。]|\.\d){{3,{_FACT_CHARACTERS}}}{re.escape(stop)}"
    more = len(unclear) - 1
    pattern = line + (rf"(?:\n{line}){{0,{more}}}" if more else "")
    return Request(system=system, user=user, max_tokens=_FACT_TOKENS * (len(unclear) + 1), pattern=pattern)


def bullets(reply: str) -> list[str]:
    """The items of a list in a reply."""
    items = (_BULLET.match(line.strip()) for line in reply.splitlines())
    return [match.group(1).strip() for match in items if match]


def ground_facts(retelling: Retelling, proposed: Sequence[str]) -> tuple[list[Claim], int]:
    """The facts of a statement, in the order of its sentences, and how many proposals nothing supports.

    Sentences that tell one thing together are one fact.
    """
    by_place = _supported(retelling, proposed)
    claims: dict[str, Claim] = {}
    for run in retelling.statement.runs:
        retold = _retold_run(run, by_place, retelling)
        for fact in retold or [as_said(retelling.statement, run, retelling.name)]:
            if _says_something(fact, retelling) and not _is_repeated(fact, claims, retelling):
                claims[fact] = Claim(
                    text=fact,
                    retelling=retelling,
                    run=run,
                    is_quote=not retold,
                    confidence=retelling.source.confidence(fact),
                )
    return list(claims.values()), len(set(proposed)) - sum(map(len, by_place.values()))


def _supported(retelling: Retelling, proposed: Sequence[str]) -> dict[int, list[str]]:
    """The proposals that the message supports, by the place of the sentence that each retells."""
    by_place: dict[int, list[str]] = {}
    for fact in dict.fromkeys(map(_finished, proposed)):
        place = _nearest(fact, retelling)
        if retelling.sentences[place] in retelling.pointing and _holds(fact, place, retelling):
            by_place.setdefault(place, []).append(fact)
    return by_place


def _retold_run(run: range, by_place: Mapping[int, list[str]], retelling: Retelling) -> list[str]:
    """What a run of sentences tells in the third person; nothing unless each of them can be understood so."""
    if len(run) == 1:
        return _retold_alone(run.start, by_place, retelling)
    parts = [_retold_alone(place, by_place, retelling) for place in run]
    return [" ".join(fact for part in parts for fact in part)] if all(parts) else []


def _retold_alone(place: int, by_place: Mapping[int, list[str]], retelling: Retelling) -> list[str]:
    """A clear sentence, the model's proposals for another, or a report ("Ann says that …") if it lacks its speaker."""
    sentence = retelling.sentences[place]
    if sentence in retelling.clear:
        return [_finished(sentence)]
    if retelling.subjects[place].is_open:
        return []
    report = reported(sentence, retelling.name)
    return by_place.get(place) or ([_finished(report)] if report else [])


def _nearest(fact: str, retelling: Retelling) -> int:
    """The sentence of the statement that the fact retells."""
    return max(range(len(retelling.sentences)), key=lambda place: _overlap(fact, retelling.sentences[place], retelling))


def _finished(text: str) -> str:
    """The text as one sentence that ends with a full stop."""
    if language(text) == "zh":
        return text.rstrip("！!。.；;，, ") + "。"
    return text.rstrip("!. ") + "."


def _holds(fact: str, place: int, retelling: Retelling) -> bool:
    """Whether the model's sentence is clear, about the speaker, supported, and retells its nearest sentence."""
    sentence = retelling.sentences[place]
    persons = set(_PERSONS.findall(fact)) - set(_PERSONS.findall(sentence))
    if not fact.startswith(retelling.name) or persons or _QUOTE.search(fact):
        return False
    return (
        is_clear(fact, retelling.name)
        and retelling.source.supports(fact)
        and keeps_negation(fact, sentence)
        and _keeps_words(fact, sentence, retelling)
        and not _takes_subject(fact, place, retelling)
    )


def _keeps_words(fact: str, sentence: str, retelling: Retelling) -> bool:
    """Whether the text retells this sentence or a part of it. An answer of one word has nothing to keep."""
    if not _says_something(sentence, retelling):
        return True
    return _overlap(fact, sentence, retelling) >= _KEPT or _overlap(sentence, fact, retelling) >= _PART


def _says_something(fact: str, retelling: Retelling) -> bool:
    """Whether the text has a content word besides the speaker's name."""
    if language(fact) == "zh":
        return len(fact) - len(retelling.name) >= _ZH_FEWEST_CHARACTERS
    return any(word not in ADVERBS | LIGHT_WORDS for word in content_words(fact, retelling.source.names))


def _takes_subject(fact: str, place: int, retelling: Retelling) -> bool:
    """Whether the fact gives the speaker another's subject: "They talked about it" as "Ann talked about it"."""
    name, sentence = retelling.name, retelling.sentences[place]
    of_others = name not in sentence and bool(_OF_OTHERS.match(sentence))
    if language(fact) == "zh":
        return of_others and not _ZH_REPORTS.match(fact, len(name))
    if fact.startswith(f"{name}'s "):
        return of_others
    verb = next((word for word in _WORD.findall(fact[len(name) :].lower()) if word not in ADVERBS), "")
    if verb in REPORTING:
        return False
    if name not in sentence and not retelling.subjects[place].own:
        return True
    other = _OTHER_SUBJECT.match(sentence)
    did = other.group(1).lower() if other else ""
    return bool(did) and (did == verb or (did not in FUNCTION_WORDS and not CitedWords([fact], frozenset()).has(did)))


def _overlap(fact: str, sentence: str, retelling: Retelling) -> float:
    """The share of the sentence's content words in the fact; of its characters in Chinese."""
    return CitedWords([fact], name_words(retelling.name)).confidence(sentence)


def _is_repeated(fact: str, claims: Iterable[str], retelling: Retelling) -> bool:
    """Whether all words of the fact are in one fact that exists already."""
    return any(_overlap(other, fact, retelling) == 1 for other in claims)
