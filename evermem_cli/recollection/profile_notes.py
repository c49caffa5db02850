"""Notes from profiles about the values that a question names: present, past and settled for later.

The model reads these notes after the excerpts, since a small model that reads four excerpts of four years picks any of
them.
"""

from collections.abc import Sequence
from datetime import datetime

from evermem_cli.consolidation.attributes import OTHERS, key, translated
from evermem_cli.consolidation.wordings.wording import label_of
from evermem_cli.languages.words import words_of
from evermem_cli.memory import ProfileFact
from evermem_cli.recollection.descriptions import settled, since, until
from evermem_cli.recollection.histories import Histories, holding, over
from evermem_cli.recollection.notes import Note, ends
from evermem_cli.recollection.questions.attributes import ProfileQuestion

_ANYBODY = frozenset("family pet pets animal animals child children kid kids 家人 宠物 孩子".split())
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
    """The attributes that the question names, each with the values it may mean; "job" before the employer."""
    named = [
        (attribute, values)
        for attribute, facts in known.items()
        if facts and _is_named(question, attribute, facts) and (values := _in_role(question, attribute, facts))
    ]
    return sorted(named, key=lambda noted: noted[0] not in question.words)


def _is_named(question: ProfileQuestion, attribute: str, facts: Sequence[ProfileFact]) -> bool:
    """Whether the question has a word of the attribute, its name or one of its values.

    "Who inspired me to run?" is not about what one may do.
    """
    if attribute in OF_ONESELF and question.is_who:
        return False
    return question.names(attribute) or any(question.words.issuperset(words_of(fact.value)) for fact in facts)


def _in_role(question: ProfileQuestion, attribute: str, facts: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Of people and animals those that the question asks for: "my boss Karla", and not "physio Dr Braun"."""
    word = question.matched.get(attribute, "")
    if attribute not in OTHERS or not word or word in _ANYBODY:
        return list(facts)
    roles = {word.removesuffix("s"), translated(word, "en"), translated(word, "zh")} | key(attribute, word)
    return [
        fact
        for fact in facts
        if any(role in fact.value.casefold() for role in roles) or not roles.isdisjoint(key(attribute, fact.value))
    ]


def _note(
    question: ProfileQuestion, name: str, attribute: str, facts: Sequence[ProfileFact], now: datetime
) -> Note | None:
    """The present value, and past and future ones if the question asks for them or nothing holds now."""
    tongue, holds, was = question.language, holding(facts, now), over(facts, now)
    past = was[-2:] if question.of_the_past else was[-1:] if not holds else []
    later = [fact for fact in facts if fact.valid_at and fact.valid_at > now] if question.of_the_future else []
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
