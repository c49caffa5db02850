"""Irregular forms of English words, which no stemmer unites: "buy" in a question matches "bought"."""

_IRREGULAR = """
    begin began begun, break broke broken, bring brought, build built, buy bought, catch caught, choose chose chosen,
    come came, deal dealt, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
    fall fell fallen, feed fed, feel felt, fight fought, find found, fly flew flown, forget forgot forgotten,
    freeze froze frozen, get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard,
    hide hid hidden, hold held, keep kept, know knew known, lead led, learn learnt, leave left, lend lent, lose lost,
    make made, mean meant, meet met, pay paid, ride rode ridden, ring rang rung, run ran, say said, see saw seen,
    sell sold, send sent, sew sewn, shake shook shaken, shoot shot, show shown, sing sang sung, sit sat, sleep slept,
    speak spoke spoken, spend spent, stand stood, steal stole stolen, swim swam swum, take took taken, teach taught,
    tell told, think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, win won,
    write wrote written, child children, foot feet, tooth teeth, man men, woman women, mouse mice, person people
"""
_FORMS = {form: tuple(irregular.split()) for irregular in _IRREGULAR.split(",") for form in irregular.split()}


def forms(word: str) -> tuple[str, ...]:
    """The word, casefolded, in all its forms that differ by more than an ending; most words have one."""
    return _FORMS.get(word, (word,))
