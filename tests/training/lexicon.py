"""Makes the lexicon of English forms from LemmInflect's, which is that of the NIH, the SPECIALIST Lexicon.

    pip install '.[train]'
    python -m tests.training.lexicon             # a few seconds; writes the lexicon

Of each word that the tokenizer of the shipped models knows as a whole it keeps what endings do not tell.
"""

import gzip
import json
from collections.abc import Iterator

from lemminflect import config, getAllInflections, getAllLemmas

from evermem_cli.languages.lexicon import FILE
from evermem_cli.languages.words import porter_stems
from evermem_cli.reading.shipped import tokenizer_in

_PAST = ("VBD", "VBN")  # past tense, and past participle
_FIRST = 1996  # the number of the most frequent word, "the"; the rarer a word is, the higher is its number
_MORE_FREQUENT = 4  # times; "left" is 3.6 times as frequent as "leave", "bit" 4.9 times as "bite"
_PRESENT, _PRESENT_PARTICIPLE, _PLURAL = "VBZ", "VBG", "NNS"


def known_words() -> list[str]:
    """The words of small letters that the tokenizer knows as a whole, in order."""
    return sorted(word for word in tokenizer_in().get_vocab() if word.isascii() and word.isalpha() and word.islower())


def verbs() -> set[str]:
    """All verbs of LemmInflect's lexicon."""
    with gzip.open(config.lemma_lu_fn, "rt", encoding="utf-8") as stream:
        rows = [line.split(",") for line in stream]
    return {word for word, kind, _ in rows if kind == "verb" and word.isascii() and word.isalpha()}


def lemmas(form: str, kind: str) -> tuple[str, ...]:
    """The nouns, or the verbs, that a form may belong to, the likeliest first."""
    return tuple(getAllLemmas(form, kind).get(kind, ()))


def of_verb(verb: str) -> list[str]:
    """The past forms of a verb that have another stem, but for those that are rather nouns, like "bit" of "bite"."""
    inflections = _inflections(verb)
    spellings = [form for tag in _PAST for form in _plain(inflections.get(tag, ()))]
    firsts = {form for tag in _PAST for form in inflections.get(tag, ())[:1]}
    return [
        form
        for form in _restemmed(verb, spellings)
        if lemmas(form, "VERB")[:1] == (verb,) and not _is_rather_noun(form, verb, form in firsts)
    ]


def _is_rather_noun(form: str, verb: str, is_first: bool) -> bool:
    """Whether a form of a verb mostly is a noun: where it is not the first of two, or too frequent for its verb."""
    known = [number for word in (form, verb) if (number := tokenizer_in().token_to_id(word))]
    is_frequent = len(known) == 2 and known[1] - _FIRST > _MORE_FREQUENT * (known[0] - _FIRST)
    return form in lemmas(form, "NOUN") and (is_frequent or not is_first)


def of_noun(noun: str) -> list[str]:
    """The plurals of a noun that have another stem and are of nothing else, unlike "lives", or "cola" of "colon"."""
    plurals = _plain(getAllInflections(noun).get(_PLURAL, ()))
    return [
        form for form in _restemmed(noun, plurals) if lemmas(form, "NOUN") == (noun,) and not _is_of_verb(form, noun)
    ]


def _is_of_verb(form: str, noun: str) -> bool:
    """Whether a plural is also a form of a verb that the tokenizer knows and that is not spelled like the noun."""
    return any(verb != noun and tokenizer_in().token_to_id(verb) for verb in lemmas(form, "VERB"))


def _inflections(verb: str) -> dict[str, tuple[str, ...]]:
    """The forms of a verb by their tags; none of a modal one, which has no form in -ing."""
    inflections: dict[str, tuple[str, ...]] = getAllInflections(verb, "VERB")
    return inflections if _PRESENT_PARTICIPLE in inflections else {}


def _plain(forms: tuple[str, ...]) -> Iterator[str]:
    return (form for form in forms if form.isascii() and form.isalpha())


def _restemmed(word: str, forms: list[str] | Iterator[str]) -> list[str]:
    return [form for form in dict.fromkeys(forms) if porter_stems([form]) != porter_stems([word])]


def is_unchanged(word: str) -> bool:
    """Whether a verb is its own past form: "put"."""
    return word in lemmas(word, "VERB") and _inflections(word).get(_PAST[0], ())[:1] == (word,)


def only_looks_past(word: str) -> bool:
    """Whether a word ends like a past form and is none: "need", "hundred"."""
    return word.endswith("ed") and bool(getAllLemmas(word)) and lemmas(word, "VERB")[:1] in ((), (word,))


def is_auxiliary(word: str) -> bool:
    """Whether a word is a form of "be", "have", "do", or of a modal verb, which has no form in -s, nor one in -d."""
    of = getAllLemmas(word, "AUX").get("AUX", ())
    return any(
        f"{verb}s" not in getAllInflections(verb, "VERB").get(_PRESENT, ()) and verb not in lemmas(f"{verb}d", "VERB")
        for verb in of
    )


def classes(word: str) -> set[str]:
    """The classes of a word."""
    return set(getAllLemmas(word))


def main() -> None:
    """Writes the lexicon."""
    words = known_words()
    lexicon = {
        "verbs": {word: forms for word in words if (forms := of_verb(word))},
        "nouns": {word: forms for word in words if (forms := of_noun(word))},
        "unchanged": [word for word in words if is_unchanged(word)],
        "not_past": sorted(filter(only_looks_past, {*words, *verbs()})),
        "auxiliaries": [word for word in words if is_auxiliary(word)],
        "adverbs": [word for word in words if classes(word) == {"ADV"} and len(word) > 2],  # "pa" is "per annum"
        "adverbial": [word for word in words if classes(word) == {"ADV", "ADJ"}],
    }
    FILE.write_text(json.dumps(lexicon, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
