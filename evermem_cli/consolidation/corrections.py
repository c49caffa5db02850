"""Applies the user's corrections whenever memory is read anew: removes wrong memories and keeps right ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evermem_cli.consolidation.assertions import content_prefixes
from evermem_cli.consolidation.attributes import EXACT, key, same
from evermem_cli.consolidation.statements import attribute_of
from evermem_cli.languages.english import THIRD_PERSONS, is_clause
from evermem_cli.languages.words import negates, words_of
from evermem_cli.memory import (
    Assertion,
    Correction,
    Episode,
    Fact,
    Foresight,
    MemCell,
    Message,
    Stance,
    Statement,
    Traces,
    Whose,
    content_id,
)
from evermem_cli.naming.names import begins_with
from evermem_cli.timespan import validity

# share of a wrong memory's words that a memory formed anew by another model must contain to count as the same
_ALIKE = 0.5
Derived = Fact | Foresight


def corrected_traces(cell: MemCell, traces: Traces, corrections: Iterable[Correction]) -> Traces:
    """What was formed from a MemCell, without what was corrected before, and with the titles that the user gave."""
    said = {message.id for message in cell.messages}
    heeded = [correction for correction in corrections if said.intersection(correction.message_ids)]
    if not heeded:
        return traces
    struck = struck_ids([*traces.facts, *traces.foresights], heeded)
    return replace(
        traces,
        episodes=tuple(_titled(episode, said, heeded) for episode in traces.episodes),
        facts=tuple(fact for fact in traces.facts if fact.id not in struck),
        foresights=tuple(item for item in traces.foresights if item.id not in struck),
    )


def struck_ids(memories: Sequence[Derived], corrections: Iterable[Correction]) -> set[str]:
    """The ids of those facts and foresights that the user corrected."""
    return {memory.id for correction in corrections for memory in _struck(memories, correction)}


_PRONOUNS = THIRD_PERSONS | frozenset("他 她".split())


def as_of_corrected(
    cells: Iterable[MemCell], statements: Mapping[str, Sequence[Statement]], corrections: Iterable[Correction]
) -> dict[str, Sequence[Statement]]:
    """The statements of each message, where those of a correction about the corrected person count as the writer's own.

    "Bob lives in Grimsby" corrects where Bob lives, and what else it states of him is of no profile. A name in it that
    is not the beginning of the person's is somebody else's.
    """
    made = {correction.statement_id: correction for correction in corrections}
    read = dict(statements)
    for message in (
        message for cell in cells for message in cell.messages if message.id in made and message.id in read
    ):
        read[message.id] = [
            replace(statement, whose=Whose.ME) if _is_of_corrected(statement, made[message.id], message) else statement
            for statement in read[message.id]
        ]
    return read


def _is_of_corrected(statement: Statement, correction: Correction, message: Message) -> bool:
    """Whether a statement is about the person whose memory `message` corrects, and of what it corrects."""
    is_own = correction.user_id == message.user_id
    if correction.kind == "assertion":
        is_meant = attribute_of(statement) == correction.attribute
    else:
        is_meant = bool(statement.person) and not is_own
    return is_meant and _is_about(statement, message.speaker if is_own else correction.user_id)


def _is_about(statement: Statement, name: str) -> bool:
    is_named = not _PRONOUNS.issuperset(words_of(statement.person))
    return statement.whose is Whose.OTHER and (not is_named or begins_with(name, statement.person))


def corrected_assertions(
    cell: MemCell, drawn: Sequence[Assertion], corrections: Sequence[Correction]
) -> list[Assertion]:
    """The assertions of a MemCell, without corrected ones, and with those that its corrections state.

    Whoever's memory is corrected is the one whom the correction is about: "I live in York" is Bob's of Bob's.
    """
    said = {message.id for message in cell.messages}
    about = {correction.statement_id: correction.user_id for correction in corrections}
    drawn = [replace(one, user_id=about.get(one.message_ids[0], one.user_id)) for one in drawn]
    kept = [
        assertion for assertion in drawn if not any(_is_struck(assertion, correction) for correction in corrections)
    ]
    for correction in corrections:
        if correction.kind in ("fact", "foresight") and correction.statement_id in said:
            kept = [_dated_as(correction, assertion) for assertion in kept]
        if correction.kind == "assertion" and correction.statement_id in said:
            made = _stated(
                correction, [assertion for assertion in drawn if assertion.attribute == correction.attribute]
            )
            kept = [assertion for assertion in kept if assertion.attribute != correction.attribute]
            kept += [made] * (not any(_is_struck(made, later) for later in corrections))
    return kept


def _titled(episode: Episode, said: set[str], corrections: Iterable[Correction]) -> Episode:
    """The episode with the user's latest title for it. Its topic may have grown since the correction."""
    for correction in corrections:
        if (
            correction.kind == "episode"
            and correction.user_id == (episode.user_id or "")
            and set(correction.message_ids) <= said
        ):
            episode = replace(episode, subject=correction.stated)
    return episode


def _struck(memories: Sequence[Derived], correction: Correction) -> list[Derived]:
    """The memories that say the same as the wrong one: by id or words, else the most similar one."""
    near = [memory for memory in memories if set(correction.message_ids).intersection(memory.message_ids)]
    if correction.kind == "assertion":
        value = content_prefixes(correction.wrong)
        return [memory for memory in near if value and value <= content_prefixes(memory.search_text)]
    if correction.kind not in ("fact", "foresight"):
        return []
    wrong = correction.wrong.casefold()
    equal = [memory for memory in near if correction.memory_id == memory.id or memory.search_text.casefold() == wrong]
    words = content_prefixes(correction.wrong)
    likest = max(near, key=lambda memory: len(words & content_prefixes(memory.search_text)), default=None)
    if equal or likest is None or len(words & content_prefixes(likest.search_text)) < _ALIKE * len(words):
        return equal
    return [likest]


def _is_struck(assertion: Assertion, correction: Correction) -> bool:
    """Whether an assertion was made before a correction and is the one corrected."""
    if assertion.said_at >= correction.corrected_at and assertion.id != correction.memory_id:
        return False
    if correction.kind == "assertion":
        whose = (assertion.user_id.casefold(), assertion.attribute) == (
            correction.user_id.casefold(),
            correction.attribute,
        )
        return assertion.id == correction.memory_id or (whose and _is_same(assertion, correction.wrong))
    if correction.kind == "episode":  # of its title alone
        return False
    value = content_prefixes(assertion.value)
    near = set(correction.message_ids).intersection(assertion.message_ids)
    if not near or not value or not value <= content_prefixes(correction.wrong):
        return False
    redated = _names_time(correction) and assertion.valid_at != assertion.said_at
    return redated or not value <= content_prefixes(correction.stated) or _negates(value, correction.stated)


def _names_time(correction: Correction) -> bool:
    return validity(correction.stated, correction.corrected_at) is not None


def _negates(value: frozenset[str], stated: str) -> bool:
    """Whether the words of a value stand in a negated part of a sentence: "I start at Bosch, not Siemens"."""
    with_commas = stated.replace("，", ",")
    return any(negates(part) and value <= content_prefixes(part) for part in with_commas.split(","))


def _dated_as(correction: Correction, assertion: Assertion) -> Assertion:
    """What a correction states of a dated memory without naming a time, dated as that memory."""
    dated = assertion.stance is not Stance.HOLDS or assertion.valid_at != assertion.said_at
    if dated or correction.valid_at is None or _names_time(correction):
        return assertion
    return replace(assertion, valid_at=correction.valid_at)


def _is_same(assertion: Assertion, value: str) -> bool:
    attribute = assertion.attribute
    return bool(value and assertion.value) and same(attribute, key(attribute, assertion.value), key(attribute, value))


def _stated(correction: Correction, read: Sequence[Assertion]) -> Assertion:
    """The assertion that a correction states, from what was read of it, else from its whole text.

    Without a date, it holds from the beginning, and an end holds from now on. A sentence without a value that can be
    read denies what was wrong, and so does one that negates it. "3 May" has a verb and is no sentence.
    """
    own = next((assertion for assertion in read if not _is_denied(assertion, correction)), None)
    if own:
        value, stance = own.value, own.stance
    elif read or negates_wrong(correction) or (correction.attribute not in EXACT and is_clause(correction.stated)):
        value, stance = correction.wrong, Stance.DENIED
    else:
        value, stance = correction.stated.rstrip(".。"), Stance.HOLDS
    dated = own is not None and (own.valid_at != own.said_at or own.stance is Stance.ENDED)
    return Assertion(
        id=content_id("assertion", correction.statement_id, correction.attribute, value, stance),
        user_id=correction.user_id,
        attribute=correction.attribute,
        value=value,
        stance=stance,
        valid_at=own.valid_at if own and dated else correction.valid_at,
        invalid_at=own.invalid_at if own else None,
        said_at=correction.corrected_at,
        confidence=1.0,
        message_ids=(str(correction.statement_id),),
    )


def _is_denied(assertion: Assertion, correction: Correction) -> bool:
    """Whether what was read of a correction is the very value that the correction negates."""
    holds = assertion.stance is Stance.HOLDS
    return holds and negates(correction.stated) and _is_same(assertion, correction.wrong)


def negates_wrong(correction: Correction) -> bool:
    """Whether a correction negates the wrong value by name: "Not Larkfield any more"."""
    return negates(correction.stated) and content_prefixes(correction.wrong) <= content_prefixes(correction.stated)
