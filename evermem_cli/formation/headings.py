"""The heading of a topic: the sentence that the highlighter finds best, be it a statement or a question."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evermem_cli.formation.facts import Retelling
from evermem_cli.formation.sentences.ownership import own_remark
from evermem_cli.formation.sentences.statements import Remark, TaggedStatements, instructs, strip_lead
from evermem_cli.memory import Role


class Heading(NamedTuple):
    """A sentence that may head a topic, in the third person and as said, and its log odds."""

    speaker: str
    retold: str
    said: str
    odds: float


def headings(remarks: Sequence[Remark], read: TaggedStatements, retellings: Sequence[Retelling]) -> Iterator[Heading]:
    """Each sentence of people that may head the topic, in order.

    What instructs the memory, or is somebody else's by the tagger or its form, may not.
    """
    retelling_of = {retelling.statement.message.id: retelling for retelling in retellings}
    for remark in remarks:
        own = own_remark(remark.whole, read.get(remark.message.id, ()))
        if own is None or not own.marks or remark.message.role is Role.ASSISTANT:
            continue
        retold = _clear_sentences(retelling_of.get(remark.message.id))
        for place in own.kept:
            said = own.said[place]
            if not instructs(said):
                plain = _plain(said)
                yield Heading(own.message.speaker, retold.get(place, plain), plain, own.marks[place].heading)


def _clear_sentences(retelling: Retelling | None) -> dict[int, str]:
    """The sentences in the third person that can be understood alone, by their places in the message."""
    if retelling is None:
        return {}
    pairs = zip(retelling.statement.kept, retelling.sentences, strict=True)
    return {place: sentence for place, sentence in pairs if sentence in retelling.clear}


def _plain(said: str) -> str:
    """The sentence without its leading exclamations, from a capital on."""
    bare = strip_lead(said) or said
    return bare[:1].upper() + bare[1:]
