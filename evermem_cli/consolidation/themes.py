"""What a scene is about, in one word, before there is any other scene to compare with: the nearest of a few themes."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

GENERAL = "general"
# Several short descriptions of each theme, in words that chats use; a scene takes the theme of its nearest description.
PROTOTYPES: dict[str, tuple[str, ...]] = {
    "health": (
        "health, illness, doctor, medicine, symptoms, blood pressure",
        "wellness, gym, exercise, losing weight, sleep",
        "mental health, anxiety, therapy, stress",
    ),
    "sport": ("running, marathon training, race, swimming, cycling", "football, tennis, match, team, training"),
    "food": ("cooking, recipe, dinner, restaurant, ingredients", "diet, vegan, vegetarian, eating habits"),
    "work": (
        "job, employer, boss, colleagues, office, meeting, deadline",
        "job offer, interview, promotion, salary, career",
    ),
    "finance": ("money, budget, savings, bank, investment, taxes", "quarterly budget, costs, expenses, invoice"),
    "home": ("moving house, apartment, rent, furniture, landlord", "renovation, garden, repairs, household"),
    "relationships": (
        "partner, boyfriend, girlfriend, dating, breaking up, wedding",
        "friends, friendship, party, birthday present",
    ),
    "family": ("parents, mother, father, children, sister, brother, grandparents",),
    "pets": ("dog, cat, puppy, kitten, veterinarian, pet",),
    "travel": ("trip, travel, flight, hotel, holiday, vacation, itinerary",),
    "learning": ("studying, course, exam, university, school, learning a language",),
    "technology": ("software, programming, code, bug, computer, phone, app",),
    "arts": ("music, band, concert, painting, drawing, exhibition", "book, novel, film, series, theatre, writing"),
    "shopping": ("buying, shop, order, price, delivery, product",),
}
# Standard deviations above the mean of all descriptions: the best of two dozen is 2 above by chance alone.
_STANDS_OUT = 2.2


class Themes:
    """The descriptions' vectors, made once; `embed` gives unit vectors."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._names = [name for name, texts in PROTOTYPES.items() for _ in texts]
        self._prototypes = embed([text for texts in PROTOTYPES.values() for text in texts])

    def name(self, vectors: Sequence[Vectors]) -> list[str]:
        """The theme of each vector, each of shape (dimension,)."""
        stacked = np.stack(vectors)
        lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
        cosines = (stacked / np.where(lengths > 0, lengths, 1)) @ self._prototypes.T
        best = (cosines.max(axis=1) - cosines.mean(axis=1)) / cosines.std(axis=1)
        return [
            self._names[int(np.argmax(row))] if outstanding > _STANDS_OUT else GENERAL
            for row, outstanding in zip(cosines, best, strict=True)
        ]
