"""Notes from profiles about the values that a question names: present, past and settled for later.

The model reads these notes after the excerpts, since a small model that reads four excerpts of four years picks any of
them.
"""

from collections.abc import Sequence
from datetime import datetime

from evermem_cli.languages.labels import label_of
from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.reading.statements.labels import Era
from evermem_cli.recollection.notes import Note, ends
from evermem_cli.recollection.people.descriptions import settled, since, until
from evermem_cli.recollection.people.histories import Histories, holding, over
from evermem_cli.recollection.questions.profile_question import ProfileQuestion

# Attributes that identify one person, of no use where a question asks who it was.
OF_ONESELF = frozenset("restrictions medication health allergies diet alcohol smoking".split())
NOTHING_LATER = {"en": "nothing later is known", "zh": "之后的情况不知道"}
_MOST = 3  # attributes per person; a question asks for one thing, and more would displace the excerpts


def profile_notes(question: ProfileQuestion, name: str, known: Histories, now: datetime) -> list[Note]:
    """What is known about one person, called `name`, that concerns the question, as of `now`."""
    if question.is_portrait:
        return []
    named = values_named(question, known)[:_MOST]
    return [note for attribute, facts in named if (note := _note(question, name, attribute, facts, now))]


def values_named(question: ProfileQuestion, known: Histories) -> list[tuple[str, list[ProfileFact]]]:
    """The attributes that the question may be about, each with the values it may mean; likeliest first.

    A question that has all words of a value may be about that, too. "Who inspired me to run?" is not about what one may
    do.
    """
    valued = (name for name, facts in known.items() if any(_has(question, fact) for fact in facts))
    named = dict.fromkeys((*question.likely, *valued))
    return [
        (attribute, values)
        for attribute in named
        if not (question.is_who and attribute in OF_ONESELF)
        and (values := question.meant(attribute, known.get(attribute, ())))
    ]


def _has(question: ProfileQuestion, fact: ProfileFact) -> bool:
    return question.words.issuperset(words_of(fact.value))


def _note(
    question: ProfileQuestion, name: str, attribute: str, facts: Sequence[ProfileFact], now: datetime
) -> Note | None:
    """The present value, and past and future ones if the question asks for them or nothing holds now."""
    tongue, holds, was = question.language, holding(facts, now), over(facts, now)
    past = was[-2:] if question.era is Era.THEN else was[-1:] if not holds else []
    later = [fact for fact in facts if fact.valid_at and fact.valid_at > now] if question.era is Era.AHEAD else []
    times = [*(since(fact, tongue) for fact in holds), *(until(fact, tongue) for fact in past)]
    times += [settled(fact, tongue) for fact in later]
    if not times:
        return None
    label = label_of(attribute, tongue)
    head = f"{name}的{label}：" if tongue == "zh" else f"{name}'s {label}: "
    cited = [message_id for fact in (*holds, *past, *later) for message_id in (*fact.message_ids, *ends(fact, now))]
    over_since = {message_id: fact.invalid_at for fact in was if fact.invalid_at for message_id in fact.message_ids}
    text = head + "; ".join([*times, *([] if holds else [NOTHING_LATER[tongue]])])
    return Note(text, tuple(dict.fromkeys(cited)), over_since)
