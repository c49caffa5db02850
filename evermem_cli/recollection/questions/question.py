"""A question, read once: everything that is found out from its words, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli import timespan
from evermem_cli.languages.language import language
from evermem_cli.reading.answerability import asked_by
from evermem_cli.reading.domain import domain
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.labels import Asks
from evermem_cli.reading.voices import FIRST_PERSON
from evermem_cli.recollection.questions.deeds import Deed, read_done_by_whom, read_event
from evermem_cli.recollection.questions.form import ASKS_WHO_DID, Form, form_of
from evermem_cli.recollection.questions.parts import named_thing, parts_of
from evermem_cli.recollection.questions.profile_question import ProfileQuestion, read_profile_question
from evermem_cli.recollection.questions.query import Query, by_name, named_in, read_query
from evermem_cli.recollection.questions.reckoning import Reckoning, read_reckoning
from evermem_cli.recollection.questions.subjects import Subject, read_subject
from evermem_cli.recollection.questions.terms import Terms, read_terms
from evermem_cli.recollection.questions.upcoming import asks_for_upcoming
from evermem_cli.recollection.questions.wants import Wants, read_wants
from evermem_cli.timespan import Span

NOBODY = "the user"  # the name of an unknown asker in passages


@dataclass(frozen=True, slots=True)
class Speakers:
    """The speakers in a memory: all names of each, and the one who asks, None where unknown."""

    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    asker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAbout:
    """The people a question is about: the `asker` as passages name them, and all names of the speakers `named`."""

    asker: str
    named: frozenset[str]
    says_i: bool

    @property
    def people(self) -> frozenset[str]:
        """The people whose words and profile may answer: those named, and the asker who says "I" or names nobody."""
        return self.named | {self.asker} if self.says_i or not self.named else self.named

    @property
    def subjects(self) -> frozenset[str]:
        """The people named, else the asker."""
        return self.named or frozenset({self.asker})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a question asks, read without a model. Only search, the prompts and an answer's record use its `text`.

    `times` are its time phrases. `parts` are the texts of its parts, itself where it is single. `reckoning` is how
    dates answer it. `named_thing` is the thing whose name it asks for. `upcoming`: it asks for everything planned or
    due. `done_by_another`: the doer is none of those named. `done_by_whom` is the deed whose doer it asks for, `event`
    what the asker may have taken part in.
    """

    text: str
    language: str
    form: Form
    whose: AskedAbout
    times: tuple[Span, ...]
    wants: Wants
    terms: Terms
    query: Query
    subject: Subject
    profile: ProfileQuestion
    parts: tuple[str, ...]
    reckoning: Reckoning | None
    named_thing: str
    upcoming: bool
    done_by_another: bool
    done_by_whom: Deed | None
    event: frozenset[str]

    @property
    def domain(self) -> str:
        """The domain of life that it is about; privacy tiers depend on it."""
        return domain(self.text)

    @property
    def with_asker(self) -> str:
        """The question as the learned check reads it, after the asker's name."""
        return asked_by(self.whose.asker, self.text)


def read_question(text: str, asked: AskedFor, now: datetime, speakers: Speakers | None = None) -> Question:
    """Reads a question about the messages of the speakers, asked at `now`, with what the tagger read in it."""
    text = " ".join(text.split())
    known = speakers or Speakers()
    times = timespan.find(text, now)
    by_its_name = by_name(text)
    whose = AskedAbout(
        asker=known.asker or NOBODY,
        named=named_in(text, known.names),
        says_i=bool(FIRST_PERSON.search(text)),
    )
    profile = read_profile_question(text, asked, times)
    return Question(
        text=text,
        language=language(text),
        form=form_of(asked.sought),
        whose=whose,
        times=tuple(times),
        wants=read_wants(text, asked),
        terms=read_terms(text, whose.asker if whose.says_i else ""),
        query=read_query(by_its_name, asked, known.names, timespan.find(by_its_name, now), known.asker),
        subject=read_subject(text),
        profile=profile,
        parts=parts_of(text),
        reckoning=read_reckoning(text, now),
        named_thing=named_thing(text),
        upcoming=asks_for_upcoming(text, asked, times),
        done_by_another=bool(ASKS_WHO_DID.match(text)),
        done_by_whom=None if profile.asks_for(Asks.WHO) else read_done_by_whom(text),
        event=read_event(text),
    )
