"""Makes the lexicon of English forms from LemmInflect's, which is that of the NIH, the SPECIALIST Lexicon.

    pip install '.[train]'                       # with LemmInflect 0.2.3
    python -m tests.training.lexicon             # a minute; writes the lexicon

Of each word that the tokenizer of the shipped models knows as a whole it keeps what endings do not tell, and of rarer
verbs the forms that belong to nothing else. Whether a form that may be several things is rather a past form, the
English texts of `tests/training` say by the words before it; those of chats kept for tests are left out.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from lemminflect import config, getAllInflections, getAllLemmas

from evermem_cli.languages.english import DETERMINERS
from evermem_cli.languages.lexicon import FILE
from evermem_cli.languages.words import porter_stems
from evermem_cli.reading.shipped import tokenizer_in

_PAST = ("VBD", "VBN")  # past tense, and past participle
_FIRST = 1996  # the number of the most frequent word, "the"; the rarer a word is, the higher is its number
_MORE_FREQUENT = 4  # times; "left" is 3.6 times as frequent as "leave", "bit" 4.9 times as "bite"
_PRESENT, _PRESENT_PARTICIPLE, _PLURAL = "VBZ", "VBG", "NNS"
_FINITE = ("VBD", "VBP", _PRESENT)
_TEXTS = Path(__file__).parent
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[.,!?;:]")
_HE = ("he", "she", "it", "who")
_HAVE = ("have", "has", "had", "i've")
_SUBJECTS = ("i", "we", "they", "you", *_HE, *_HAVE)
_BEFORE_INFINITIVES = ("to", "will", "would", "can")


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
    """The past forms of a verb that have another stem, but for those that are rather something else.

    Such are "bit" of "bite", and of a rarer verb whatever is also a noun: "clove" of "cleave".
    """
    inflections = _inflections(verb)
    spellings = [form for tag in _PAST for form in _plain(inflections.get(tag, ()))]
    firsts = {form for tag in _PAST for form in inflections.get(tag, ())[:1]}
    return [
        form
        for form in _restemmed(verb, spellings)
        if lemmas(form, "VERB")[: 2 if form.endswith("ed") else 1] == (verb,)  # not "tared", which is of "tare"
        if not _is_rather_noun(form, verb, form in firsts)
    ]


def _is_rather_noun(form: str, verb: str, is_first: bool) -> bool:
    """Whether a form of a verb mostly is a noun: where it is not the first of two, or too frequent for its verb."""
    number, of_verb = (tokenizer_in().token_to_id(word) for word in (form, verb))
    is_frequent = bool(number and of_verb) and of_verb - _FIRST > _MORE_FREQUENT * (number - _FIRST)
    is_other = form in lemmas(form, "NOUN") or (number is None and form in lemmas(form, "ADJ"))
    return is_other and (is_frequent or not is_first or of_verb is None)


def of_noun(noun: str) -> list[str]:
    """The plurals of a noun that have another stem and are of nothing else, unlike "lives", or "cola" of "colon"."""
    plurals = _plain(getAllInflections(noun).get(_PLURAL, ()))
    return [
        form
        for form in _restemmed(noun, plurals)
        if lemmas(form, "NOUN") == (noun,) and not _is_of_verb(form, noun)
        if lemmas(noun, "NOUN") == (noun,) or tokenizer_in().token_to_id(form)  # not "anticses"
        if "ADV" not in classes(noun) or tokenizer_in().token_to_id(form)  # not "whies"
    ]


def _is_of_verb(form: str, noun: str) -> bool:
    """Whether a plural is also a form of a verb that the tokenizer knows and that is not spelled like the noun."""
    return any(verb != noun and tokenizer_in().token_to_id(verb) for verb in lemmas(form, "VERB"))


def _inflections(verb: str) -> dict[str, tuple[str, ...]]:
    """The forms of a verb by their tags; none of a modal one, which has no form in -ing, nor of "consisted"."""
    inflections: dict[str, tuple[str, ...]] = getAllInflections(verb, "VERB")
    is_past_form = verb.endswith("ed") and lemmas(verb, "VERB")[:1] != (verb,)
    is_known = any(map(tokenizer_in().token_to_id, inflections.get(_PAST[0], ())))
    is_participle = verb in inflections.get(_PRESENT_PARTICIPLE, ()) and not is_known  # unlike "sting"
    is_modal = _PRESENT_PARTICIPLE not in inflections
    return {} if is_past_form or is_participle or is_modal else inflections


def _plain(forms: tuple[str, ...]) -> Iterator[str]:
    return (form for form in forms if form.isascii() and form.isalpha())


def _restemmed(word: str, forms: list[str] | Iterator[str]) -> list[str]:
    return [form for form in dict.fromkeys(forms) if porter_stems([form]) != porter_stems([word])]


@cache
def pairs() -> Counter[tuple[str, str]]:
    """How often the texts have two words, or a sign and a word, after one another."""
    paths = [path for path in sorted(_TEXTS.rglob("*.jsonl")) if "zh" not in path.parts and path.name[0] != "9"]
    counted: Counter[tuple[str, str]] = Counter()
    for path in paths:
        words = _WORD.findall(path.read_text(encoding="utf-8").lower().replace("’", "'"))
        counted.update(pairwise(words))
    return counted


def after(words: Iterable[str], form: str) -> int:
    """How often the texts have a form after one of the words."""
    return sum(pairs()[word, form] for word in words)


def is_unchanged(word: str) -> bool:
    """Whether a verb is its own past form and people rather say "she put" or "have put" than "she puts"."""
    is_same = word in lemmas(word, "VERB") and _inflections(word).get(_PAST[0], ())[:1] == (word,)
    return is_same and after((*_HE, *_HAVE), word) > after(_HE, f"{word}s")


def is_present(form: str) -> bool:
    """Whether a past form is also another verb that is at home after "to" as much as after "I": "lay", not "found"."""
    is_other_verb = form in getAllInflections(form, "VERB").get("VB", ())
    return is_other_verb and after(_BEFORE_INFINITIVES, form) >= after(("i",), form)


def is_rather_nominal(form: str) -> bool:
    """Whether a past form is rather a noun or an adjective: where it follows "a" or "my" as often as a subject."""
    is_other = form in (*lemmas(form, "NOUN"), *lemmas(form, "ADJ"))
    return is_other and after(DETERMINERS, form) >= after(_SUBJECTS, form)


def is_only_participle(verb: str, form: str) -> bool:
    """Whether a form of a verb is a past participle and no past tense: "gone"."""
    past, participle = (_inflections(verb).get(tag, ()) for tag in _PAST)
    return form in participle and form not in past


def only_looks_past(word: str) -> bool:
    """Whether a word ends like a past form and is none: "need", "hundred"."""
    return (
        word.endswith("ed")
        and bool(getAllLemmas(word))
        and lemmas(word, "VERB")[:1] in ((), (word,))
        and not is_unchanged(word)
    )


def is_auxiliary(word: str) -> bool:
    """Whether a word is a form of "be", "have", "do", or of a modal verb, which has no form in -s, nor one in -d."""
    of = getAllLemmas(word, "AUX").get("AUX", ())
    return any(
        f"{verb}s" not in getAllInflections(verb, "VERB").get(_PRESENT, ()) and verb not in lemmas(f"{verb}d", "VERB")
        for verb in of
    )


def is_finite(auxiliary: str) -> bool:
    """Whether a form of an auxiliary makes a clause: "is", not "being"; modal verbs, which have no form in -ing, do."""
    of = [getAllInflections(verb, "VERB") for verb in getAllLemmas(auxiliary, "AUX").get("AUX", ())]
    return any(
        _PRESENT_PARTICIPLE not in forms or any(auxiliary in forms.get(tag, ()) for tag in _FINITE) for forms in of
    )


def classes(word: str) -> set[str]:
    """The classes of a word."""
    return set(getAllLemmas(word))


def main() -> None:
    """Writes the lexicon."""
    words = known_words()
    of_verbs = {word: forms for word in sorted({*words, *verbs()}) if (forms := of_verb(word))}
    past = sorted({form for forms in of_verbs.values() for form in forms})
    unchanged = [word for word in words if is_unchanged(word)]
    auxiliaries = [word for word in words if is_auxiliary(word)]
    lexicon = {
        "verbs": of_verbs,
        "nouns": {word: forms for word in words if (forms := of_noun(word))},
        "unchanged": unchanged,
        "present": list(filter(is_present, past)),
        "nominal": list(filter(is_rather_nominal, sorted({*past, *unchanged}))),
        "participles": sorted(
            {form for verb, forms in of_verbs.items() for form in forms if is_only_participle(verb, form)}
        ),
        "not_past": sorted(filter(only_looks_past, {*words, *verbs()})),
        "auxiliaries": auxiliaries,
        "finite": list(filter(is_finite, auxiliaries)),
        "adverbs": [word for word in words if classes(word) == {"ADV"} and len(word) > 2],  # "pa" is "per annum"
        "adverbial": [word for word in words if classes(word) == {"ADV", "ADJ"}],
    }
    FILE.write_text(json.dumps(lexicon, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
