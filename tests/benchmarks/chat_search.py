"""How well search finds answers in own chats, no LLM: `python -m tests.benchmarks.chat_search --data DIR --models DIR`.

The chats are those of `tests/training/chats` (blind hands; GUIDE.md), each a memory of its own, in which a conversation
with an assistant ends with its day. Query = the question verbatim; gold = the messages that tell the answer as things
stand at the end. Weights are learned on LoCoMo, LongMemEval and the chats of the other authors.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

import numpy as np

from evermem_cli.memory import Message, Role
from evermem_cli.recollection.search.ranking import FEATURES, WEIGHTS
from tests.benchmarks import locomo, longmemeval
from tests.benchmarks.locomo import MEASURES, measure
from tests.benchmarks.ranking_fit import Example, fit
from tests.benchmarks.retrieval import APART, Ask, CachedEmbedder, Index, arguments
from tests.training.chats import Chat, chats

ASSISTANT = "Assistant"


def examples(chat: Chat, embed: CachedEmbedder) -> list[Example]:
    """The candidates of every answered question of a chat."""
    sent = [_message(chat, place) for place in range(len(chat.messages))]
    days = [list(day) for _, day in groupby(sent, lambda message: message.said_at.date())]
    conversations = days if ASSISTANT in {said.who for said in chat.messages} else [sent]
    places = [APART * number + n for number, part in enumerate(conversations) for n in range(len(part))]
    index = Index(conversations, embed)
    return [
        index.example(
            Ask(
                text=asked.q,
                at=sent[-1].said_at,
                gold=frozenset(places[n] for n in asked.now),
                kind=asked.kind,
                asker=chat.me,
            ),
            embed,
        )
        for asked in chat.questions
        if asked.now
    ]


def by_author(embed: CachedEmbedder) -> dict[str, list[Example]]:
    """The examples of the chats, by the letter of their author."""
    return {
        author: [example for chat in several for example in examples(chat, embed)]
        for author, several in groupby(chats(), lambda chat: chat.name[0])
    }


def left_out(
    folds: dict[str, list[Example]], others: Sequence[Example], *, with_chats: bool = True
) -> list[list[float]]:
    """Measures of every question with weights from the chats of other authors, unless without chats, and `others`."""
    columns, measured = range(len(FEATURES)), []
    for left, fold in folds.items():
        rest = [each for author, other in folds.items() if author != left for each in other] if with_chats else []
        weights = fit([*rest, *others], columns)
        measured += [measure(example.ranked(weights, columns), example.gold) for example in fold]
    return measured


def _message(chat: Chat, place: int) -> Message:
    said = chat.messages[place]
    return Message(
        id=str(place),
        conversation_id=chat.name,
        ordinal=place,
        external_id=str(place),
        speaker=said.who,
        user_id=said.who,
        role=Role.ASSISTANT if said.who == ASSISTANT else Role.PARTICIPANT,
        text=said.text,
        said_at=datetime.fromisoformat(said.at).replace(tzinfo=UTC),
    )


def main() -> None:
    """Prints the measures by the weights that ship, and by weights that have not seen the author."""
    chosen = arguments(__doc__)
    embed = CachedEmbedder(chosen.models, chosen.vectors)
    folds = by_author(embed)
    others = [each for conversation in locomo.load(chosen.data) for each in locomo.examples(conversation, embed)]
    others += [judged.example for judged in longmemeval.examples(chosen.data, embed)]
    shipped = np.array(list(WEIGHTS.values()))
    every = [example for fold in folds.values() for example in fold]
    rows = {
        "as shipped": [measure(each.ranked(shipped, range(len(FEATURES))), each.gold) for each in every],
        "without own chats": left_out(folds, others, with_chats=False),
        "authors left out": left_out(folds, others),
    }
    means = {name: np.mean(np.array(row), axis=0).round(4).tolist() for name, row in rows.items()}
    print(f"{'':20} " + " ".join(f"{name:>9}" for name in MEASURES) + "     n")
    for name, mean in means.items():
        print(f"{name:20} " + " ".join(f"{value:9.3f}" for value in mean) + f" {len(every):5}")
    print(json.dumps({"benchmark": "chat_search", "n": len(every), "figures": means}))
    embed.save()


if __name__ == "__main__":
    main()
