"""Whether a correction says something of the kind that it corrects, or is itself a value of that kind."""

from collections.abc import Mapping, Sequence

from evermem_cli.consolidation.arrangements import read_arrangements
from evermem_cli.consolidation.assertions import read_assertions
from evermem_cli.consolidation.attributes import EXACT
from evermem_cli.consolidation.corrections import as_of_corrected, negates_wrong
from evermem_cli.consolidation.statements import attribute_of
from evermem_cli.errors import UsageError
from evermem_cli.languages.english import is_clause
from evermem_cli.languages.labels import label_of
from evermem_cli.languages.language import language
from evermem_cli.memory import Correction, MemCell, Whose
from evermem_cli.reading.statements.decode import Passage
from evermem_cli.reading.statements.tagger import Tagger

# Beginnings of sentences after which a value is read as one of its kind, and others mostly are not. Of 62 places that
# hands of which nothing was learned say they live in, 57 are; of 388 values of other kinds, 41 (without the bound 62
# and 161). Jobs, employers, partners and diets are told apart too poorly to refuse any: of 50 jobs, 8 are not read as
# one.
_OPENINGS = {"location": ("My location is ", "I moved to ")}
_LEAST = 0.6  # the probability from which such a value is one of its kind


def refuse_other_kinds(
    correction: Correction, cell: MemCell, tagger: Tagger, condition_days: Mapping[str, float]
) -> None:
    """Raises UsageError where the words of an assertion's correction neither state nor deny its attribute.

    `cell` is the topic of its statement. `condition_days` is how long an illness lasts if its end is not stated.
    """
    if negates_wrong(correction) or _is_value(correction, tagger) or _states(correction, cell, tagger, condition_days):
        return
    label = label_of(correction.attribute, "en")
    raise UsageError(
        f"nothing about “{label}” was understood; it stays {correction.wrong}",
        f"give the right value alone, a sentence that states it, or one that negates “{correction.wrong}”",
    )


def _states(correction: Correction, cell: MemCell, tagger: Tagger, condition_days: Mapping[str, float]) -> bool:
    passages = [Passage(message.id, message.text, "") for message in cell.messages]
    read = {passage.message_id: said for passage, said in zip(passages, tagger.read(passages), strict=True)}
    said = as_of_corrected([cell], read, [correction])
    drawn = [*read_assertions(cell, said, (), condition_days), *read_arrangements(cell, ())]
    return any(assertion.attribute == correction.attribute for assertion in drawn)


def _is_value(correction: Correction, tagger: Tagger) -> bool:
    """Whether the words are a value: no sentence, and, of kinds that the tagger can tell, read as one of the kind.

    A sentence has a pronoun or an auxiliary, or is read as about somebody else. `_OPENINGS` are English.
    """
    stated, attribute = correction.stated, correction.attribute
    is_english = language(stated) == "en"
    if is_english and attribute in EXACT:
        return _is_of_kind(correction, (f"My {label_of(attribute, 'en')} is ",), tagger)
    [read] = tagger.read([Passage("", stated, "")])
    if is_clause(stated) or any(said.whose is Whose.OTHER for said in read):
        return False
    return not is_english or attribute not in _OPENINGS or _is_of_kind(correction, _OPENINGS[attribute], tagger, _LEAST)


def _is_of_kind(correction: Correction, openings: Sequence[str], tagger: Tagger, least: float = 0.0) -> bool:
    """Whether the words are read as a value of the attribute after one of these beginnings of a sentence.

    `least` is the probability that this needs.
    """
    passages = [Passage("", f"{opening}{correction.stated.rstrip('.')}.", "") for opening in openings]
    return any(
        attribute_of(said) == correction.attribute and said.stop > len(opening) and said.probability >= least
        for opening, read in zip(openings, tagger.read(passages), strict=True)
        for said in read
    )
