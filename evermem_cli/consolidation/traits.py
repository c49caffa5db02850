"""Traits: patterns in what somebody likes or does, found in several conversations."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evermem_cli.memory import Fact, Scale, Trait

# Facts about likes or habits; a regular expression of DuckDB (RE2) on the lower-cased text.
CUE = (
    r"\b(prefers?|likes|(to|don't|doesn't|not|really|i|we|they) like|loves?|enjoys?|hates?|dislikes?|always|"
    r"usually|often|every (day|morning|evening|night|week|weekend|sunday|saturday)|never \w+s|"
    r"rarely|tends? to|can't stand|fan of|passionate|interested in|suits?|habit|keen on|"
    r"good at|most (mornings|evenings|days|weekends)|looks? forward to|appreciates?)\b|"
    r"喜欢|热爱|最爱|爱[吃喝看听玩打做去读跑]|讨厌|总是|经常|每天|每周|习惯|从不|擅长"
)
_ALIKE = 0.55  # least cosine to the mean of a trait's facts; MiniLM gives restatements of one habit 0.6 to 0.9
_SITTINGS = 3  # conversations that a pattern needs to be more than a remark


def find_traits(
    facts: Sequence[Fact],
    conversations: Sequence[str],
    scenes: Sequence[str | None],
    vectors: NDArray[np.float32],
    scale: Scale,
) -> list[Trait]:
    """The patterns in facts, which are ordered by time; the best supported pattern first.

    `conversations` and `scenes` are those of the facts, `vectors` unit vectors of shape (n, dimension) with cosines of
    this scale. Each fact joins the most similar pattern or begins a new one.
    """
    alike = scale.own(_ALIKE)
    members: list[list[int]] = []
    totals: list[NDArray[np.float64]] = []
    for i, vector in enumerate(vectors.astype(np.float64)):
        cosines = [float(total @ vector / np.linalg.norm(total)) for total in totals]
        best = int(np.argmax(cosines)) if cosines else -1
        if best >= 0 and cosines[best] > alike:
            members[best].append(i)
            totals[best] = totals[best] + vector
        else:
            members.append([i])
            totals.append(vector.copy())
    items = list(zip(facts, conversations, scenes, strict=True))
    traits = [
        _trait([items[i] for i in group], vectors[group] @ total) for group, total in zip(members, totals, strict=True)
    ]
    return sorted(traits, key=lambda trait: (-trait.confidence, -trait.said_at.timestamp(), trait.trait))


def _trait(remarks: Sequence[tuple[Fact, str, str | None]], centrality: NDArray[np.float64]) -> Trait:
    """The trait of a group of facts, in the words of the most central one. Each conversation halves the doubt."""
    facts = [fact for fact, _, _ in remarks]
    times = len({conversation for _, conversation, _ in remarks})
    return Trait(
        trait=facts[int(np.argmax(centrality))].atomic_fact,
        confidence=1 - 0.5**times,
        tentative=times < _SITTINGS,
        said_at=max(fact.said_at for fact in facts),
        message_ids=tuple(dict.fromkeys(message_id for fact in facts for message_id in fact.message_ids)),
        source_scenes=tuple(dict.fromkeys(scene for _, _, scene in remarks if scene)),
    )
