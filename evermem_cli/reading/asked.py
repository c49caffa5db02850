"""What a question asks for: what the tagger reads in it, and whether it asks for advice."""

from dataclasses import replace

from evermem_cli.engines import Embedder
from evermem_cli.reading.advice import asks_for_advice
from evermem_cli.reading.statements.asked import AskedFor
from evermem_cli.reading.statements.tagger import SHIPPED, Tagger


def read_asked(question: str, embedder: Embedder | None = None, tagger: Tagger = SHIPPED) -> AskedFor:
    """What the question asks for. Raises ModelError.

    Advice is recognised by the words of the question and, where the embedder is the one that was learned with, by its
    meaning: of questions that ask for it, the tagger recognises fewer.
    """
    return replace(tagger.read_question(question), advice=asks_for_advice(question, embedder))
