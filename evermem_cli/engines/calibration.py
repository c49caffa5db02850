"""How the cosines of an embedder compare to those of the default, on which weights and thresholds were learned.

A question and its answer are at 0.6 for one embedder and at 0.9 for another, for which strangers are at 0.7. A line
through the mean of sentences that belong together and the mean of all others puts both on one scale.
"""

import numpy as np

from evermem_cli.engines import Embedder, Vectors
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.memory import Scale

# Sentences that belong together, each pair of another subject.
PAIRS = (
    ("Where does Anna live now?", "I moved into a small flat in Lyon last week."),
    ("How is the dog doing?", "Bruno limps a little, but the vet says his paw heals well."),
    ("When is the concert?", "Our choir sings on the third Sunday in Advent."),
    ("What did the doctor say about your back?", "The physician told me to do exercises for my spine every morning."),
    ("Which laptop should I buy?", "For your budget I would take a used notebook with 16 GB of memory."),
    ("Do you still eat meat?", "I have been a vegetarian since the summer."),
    ("Did the team win?", "They lost the final two to one after extra time."),
    ("How much is the rent?", "The landlord wants nine hundred euros a month."),
    ("What are you reading?", "At the moment it is a novel about a lighthouse keeper."),
    ("Why were you late for work?", "The train stood still for an hour because of the snow."),
    ("My sister is getting married in June.", "The wedding of my sister takes place at the start of summer."),
    ("I forgot the password of my bank account.", "I can no longer log in to online banking."),
    ("The tomatoes on the balcony are ripe.", "We can pick the first tomatoes of our own."),
    ("He passed his driving test at last.", "Since Friday he has a driving licence."),
    ("The washing machine leaks.", "There is water on the floor whenever I do the laundry."),
    ("We want to hike in the Dolomites.", "A walking holiday in the mountains of Italy is what we plan."),
    ("She plays the violin in an orchestra.", "She is a musician and performs with her violin."),
    ("I cannot sleep since I changed jobs.", "The new job gives me sleepless nights."),
    ("The baby has its first tooth.", "Our little one is teething."),
    ("The meeting was moved to Thursday.", "We meet on Thursday instead."),
)
# Of the default embedder on these pairs (`python -m tests.benchmarks.calibration`).
RELATED, UNRELATED = 0.534, 0.057
# An embedder that has sentences of one meaning further apart, or those of different meanings as near, knows no meaning.
LEAST_RELATED = 0.3
LEAST_APART = 0.01


def scale_of(embedder: Embedder) -> Scale:
    """The line that takes this embedder's cosines to the default's; the identity where it knows no meaning."""
    if embedder.name == DEFAULT_EMBEDDER:
        return Scale()
    related, unrelated = means(embedder)
    if related < LEAST_RELATED or related - unrelated < LEAST_APART:
        return Scale()
    slope = (RELATED - UNRELATED) / (related - unrelated)
    return Scale(slope=slope, shift=UNRELATED - slope * unrelated)


def means(embedder: Embedder) -> tuple[float, float]:
    """The mean cosine of sentences that belong together, and of all others."""
    ones, others = (embedder.embed([pair[side] for pair in PAIRS]) for side in (0, 1))
    cosines: Vectors = ones @ others.T
    together = float(np.trace(cosines))
    apart = (float(cosines.sum()) - together) / (len(PAIRS) * (len(PAIRS) - 1))
    return together / len(PAIRS), apart
