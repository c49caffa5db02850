"""Answers of the default model to questions about whole chats: `python -m tests.benchmarks.chat_answers --work DIR`.

Every third question of the chats of tests/training/chats that are reported (the model has learned from none), but for
those that code answers and those for a list, is asked in the product's own prompt. An answer is compared with the
author's by token F1, after yes or no by that alone. Memories are kept in `--work`.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from statistics import fmean

from evermem_cli.engines import Request
from evermem_cli.engines.adapters import ANSWERS, Adapter
from evermem_cli.engines.llm import LlamaCpp
from evermem_cli.recollection.generation.phrasing import refuses
from evermem_cli.recollection.generation.requests import answer_request
from evermem_cli.recollection.generation.writing import tokens_in
from evermem_cli.recollection.questions.form import Form
from tests.benchmarks.token_f1 import score
from tests.training.answers import MODEL, SINGLE_HOP, base
from tests.training.chats import Asked, Chat, chats
from tests.training.linear import chosen_embedder
from tests.training.recalled import left_to_the_model, places

EVERY = 3
MOSTLY = 0.5  # the token F1 from which on an answer says mostly what the author says


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its request, and whether what is read tells a part of the answer (`tells`) and all of it."""

    asked: Asked
    request: Request
    tells: bool
    tells_all: bool

    @property
    def is_polar(self) -> bool:
        """Whether the answer begins with yes or no."""
        return self.asked.answer.casefold().startswith(("yes", "no"))


def cases(chat: Chat, work: Path) -> Iterator[Case]:
    """The questions that are asked of a chat."""
    for asked, question, recollection in left_to_the_model(chat, work, chosen_embedder()):
        # by a hash, so that the choice does not depend on which questions are left to the model
        chosen = int(md5(f"{chat.name}{asked.q}".encode(), usedforsecurity=False).hexdigest(), 16) % EVERY == 0
        if chosen and question.form is not Form.SEVERAL:
            read = places(recollection)
            request = answer_request(question, recollection, Adapter(ANSWERS))
            yield Case(asked, request, bool(read & asked.now), asked.now <= read)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for memories")
    options = parser.parse_args()
    known = [case for chat in chats() if chat.part == "report" for case in cases(chat, options.work)]
    with LlamaCpp(base(), name=MODEL, context_tokens=4096, batch=8, threads=0, adapter=Adapter(ANSWERS)) as llm:
        replies = [reply.text.strip() for reply in llm.complete([case.request for case in known])]
    told = [(case, reply) for case, reply in zip(known, replies, strict=True) if case.asked.now]
    untold = [reply for case, reply in zip(known, replies, strict=True) if not case.asked.now]
    polar = [reply.casefold()[:2] == case.asked.answer.casefold()[:2] for case, reply in told if case.is_polar]
    others = [score(reply, case.asked.answer, SINGLE_HOP) for case, reply in told if not case.is_polar]
    figures = {
        "n": len(known),
        "a message that tells the answer is read": round(fmean(case.tells for case, _ in told), 3),
        "all of them are read": round(fmean(case.tells_all for case, _ in told), 3),
        "yes or no right": f"{sum(polar)} of {len(polar)}",
        "F1 of others": round(fmean(others), 3),
        "others mostly right": f"{sum(each >= MOSTLY for each in others)} of {len(others)}",
        "told and refused": f"{sum(refuses(reply) for _, reply in told)} of {len(told)}",
        "not told and refused": f"{sum(map(refuses, untold))} of {len(untold)}",
        "tokens of a prompt": round(fmean(tokens_in(case.request.user) for case in known)),
    }
    print("\n".join(f"{what:40} {value}" for what, value in figures.items()))
    print(json.dumps({"benchmark": "chat_answers", "figures": figures}))


if __name__ == "__main__":
    main()
