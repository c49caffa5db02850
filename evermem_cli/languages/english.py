"""English words by their class or form: function words, auxiliaries, past forms and the like."""

import re
from itertools import dropwhile

from evermem_cli.languages.lexicon import lexicon

WORD = re.compile(r"[^\W_]+(?:['’`][^\W\d_]+)*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Occur between a subject and its verb.
ADVERBS = _words("""
    just also always never still even often usually actually definitely only ever already finally recently once
    sometimes first then now truly totally kinda sure so really both either almost nearly soon hardly barely
    rarely all too well again currently absolutely
""")
# Function words, which a message does not have to support.
FUNCTION_WORDS = _words("""
    a an the and or but nor so yet yes of to in on at for with by from as into onto about over under after before
    during since until till while when where why how who whom whose which what that than then this these those
    there here is am are was were be been being has have had having do does did doing done will would shall
    should can ca could may might must not no wo it its he she they him her them his hers their theirs himself
    herself itself themselves themself others other also too very just only even still again both each own such
    if because due up down out off all any some one ones more most much many lot lots s t re ve ll d m i you we
    me my your our us
""")
# Words with which no phrase ends.
UNFINISHED = _words("a an the my our and or but of at for from")
# Light words that a retelling needs: allowed without support, though they lower the confidence.
LIGHT_WORDS = _words("""
    remember remembers making feeling taking getting giving having saying thinking finding especially rather
    both while enjoyed say says said tell tells told ask asks asked answer answered mention mentions mentioned
    think thinks believe believes feel feels felt find finds found want wants like likes enjoy enjoys plan plans
    planning planned consider considers go goes going went get gets got make makes made take takes took give
    gives gave come comes came keep keeps use uses used see sees saw know knows need needs try tries currently
    recently now person people thing things something time way expected expects expect likely probably continue
    continues include includes including involve involves called named able become becomes means mean cause
    causes caused part describe describes value values agree agrees share shares shared
""")


# Pronouns, and auxiliaries, with and without their apostrophes: people type in haste.
_PRONOUNS = _words("""
    i im ive we weve he she it they this that these those there hes shes its theyre thats theres who whos you u ya yall
    youre youve anyone anybody
""")
_AUXILIARIES = _words("""
    is has does isnt hasnt doesnt am have had do did can cannot will
    havent hadnt dont didnt cant wont gonna been are was were
    could would shall should may might must arent wasnt werent couldnt wouldnt shouldnt aint
""")
_ANSWERS = _words("yes yeah yep yup no nope nah not ok okay")


def is_past(word: str) -> bool:
    """Whether a word in small letters is a past form or participle, by its form alone."""
    return word.removesuffix("n't") in lexicon().past or _ends_in_ed(word)


def is_only_past(word: str) -> bool:
    """Whether a word in small letters is a past form or participle, and no present form either: not "put"."""
    return word in lexicon().unlike_present or _ends_in_ed(word)


def _ends_in_ed(word: str) -> bool:
    return word.endswith("ed") and word not in lexicon().not_past


def is_uninflected(word: str) -> bool:
    """Whether a word in small letters stays as it is after a name: past forms, function words, negated auxiliaries."""
    is_function_word = word in FUNCTION_WORDS and word != "own"  # "I own a flat"
    return is_function_word or is_past(word) or word.replace("'", "") in _AUXILIARIES


def is_clause(text: str) -> bool:
    """Whether a text has a subject and a verb, by its pronouns and auxiliaries; "a flat in Hull" has not."""
    plain = map(_without_apostrophes, WORD.findall(text))
    words = [*dropwhile(lambda word: word in ADVERBS | _ANSWERS, plain)]
    return bool(words) and (words[0] in _PRONOUNS or not _AUXILIARIES.isdisjoint(words[1:]))


def _without_apostrophes(word: str) -> str:
    """A word in lower case without apostrophes; "I'll" and "she's" become their pronouns."""
    parts = word.lower().replace("’", "'").replace("`", "'").split("'")
    return parts[0] if parts[0] in _PRONOUNS else "".join(parts)


def begins_in_past(phrase: str) -> bool:
    """Whether the phrase begins with a verb in the past: "sold the car", "dropped maths"; one word may be a state."""
    first, *rest = phrase.casefold().split() or [""]
    return bool(rest) and first not in FUNCTION_WORDS and is_past(first)


def finished(phrase: str, unfinished: frozenset[str] = UNFINISHED) -> str:
    """The phrase without such words at its end: "Callum" for "Callum and"."""
    while phrase and phrase.split()[-1].casefold() in unfinished:
        phrase = phrase.rstrip()[: -len(phrase.split()[-1])].rstrip()
    return phrase
