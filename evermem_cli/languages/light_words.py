"""Light words of English, in whatever form: a retelling needs them, and no text is about them."""

from evermem_cli.languages.word_forms import inflects

# Allowed in a retelling without support, though they lower the confidence.
_LIGHT = frozenset(
    """
    able agree answer ask become believe cause come consider continue currently describe enjoy especially expect feel
    find get give go include involve keep know like likely make mean mention need now part person plan probably
    rather recently remember say see share something take tell thing think time try use value want way called named
""".split()
)


def is_light(word: str) -> bool:
    """Whether a word in small letters is light."""
    return inflects(word, _LIGHT)
