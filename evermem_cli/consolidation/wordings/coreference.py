"""Coreference: resolves words that refer back, as in "he's my boyfriend now", "her name is Olive", "we got two"."""

import re

from evermem_cli.formation.sentences.statements import split_sentences

_NOT_NAMES = "I|My|Our|The|We|He|She|It|They|Yes|No|Oh|So|And|But|Well|Guess|Today|Ok"
_NAME = re.compile(rf"\b(?!(?:{_NOT_NAMES})\b)[A-ZÀ-Þ][a-zß-ÿ]+")
_HE_IS_MINE = re.compile(
    r"\b(?:he|she)(?='s\b|\s(?:is|was|became|has\sbeen)\b)(?=[^,.;]{0,24}\s(?:my|our)\s)", re.IGNORECASE
)
_WE_TOGETHER = re.compile(
    r"\bwe(?:'(?P<short>ve|re)|\s(?:have|are))\s(?=[\w'\s]{0,20}\b(?:together|a\scouple)\b)", re.IGNORECASE
)
_NAME_OF = re.compile(r"\b(?:his|her|its)\sname(?='s|\sis)", re.IGNORECASE)
_IS_CALLED = re.compile(r"\b(?:he|she|it)(?='s\s(?:called|named)|\sis\s(?:called|named))", re.IGNORECASE)
_CALLING = re.compile(r"\b(?:named|called|calling|naming)\s(?:him|her|it)\s", re.IGNORECASE)
# Introduce somebody whom the speaker has, got or met, and whose name may follow.
_NOUN = re.compile(
    r"\b(?:I|i|[Ww]e|[Mm]y|[Oo]ur)(?:'\w+)?\b[^.!?]*?\b(?P<noun>dog|puppy|pup|cat|kitten|rabbit|bunny|hamster|parrot|budgie|"
    r"horse|pony|tortoise|turtle|bird|ferret|lizard|snake|greyhound|whippet|labrador|spaniel|terrier|collie|poodle|"
    r"beagle|pug|husky|tabby|son|daughter|baby|boyfriend|girlfriend|partner|husband|wife)\b"
)
_SOME = re.compile(
    r"\b(?:got|adopted|bought|have)\s(?:two|three|four)"
    r"(?=[,.;]|$|\s(?:yesterday|today|last|this|now|of\sthem)\b)"
)
_KIND = re.compile(r"\b(guinea pig|hamster|rabbit|kitten|dog|cat|chicken|budgie|bird|rat|gerbil|hen)s\b")


def pointed(sentence: str, earlier: str) -> str:
    """The sentence with the name or noun of `earlier` that it refers to; unchanged where it refers to none."""
    if not earlier:
        return sentence
    if he := _HE_IS_MINE.search(sentence):
        name = _last_name(sentence[: he.start()]) or _last_name(earlier) or he[0]
        sentence = sentence[: he.start()] + name + sentence[he.end() :]
    if kinds := _KIND.findall(earlier):
        sentence = _SOME.sub(rf"\g<0> {kinds[-1]}s", sentence)
    if nouns := [match["noun"] for match in _NOUN.finditer(earlier)]:
        sentence = _NAME_OF.sub(f"our {nouns[-1]}'s name", sentence)
        sentence = _IS_CALLED.sub(f"our {nouns[-1]}", sentence)
        sentence = _CALLING.sub(f"our {nouns[-1]} is called ", sentence)
    return sentence


def together(sentence: str, earlier: str, addressee: str) -> str:
    """ "We've been together since May" with the partner's name: one named earlier in the message, or the addressee."""
    other = _last_name(earlier) or addressee
    we = _WE_TOGETHER.search(sentence)
    if not we or not other:
        return sentence
    verb = "have" if "have" in we[0].lower() or we["short"] == "ve" else "are"
    return f"{sentence[: we.start()]}{other} and I {verb} {sentence[we.end() :]}"


def _last_name(text: str) -> str:
    """The name that begins the last sentence with a name."""
    names = [named for sentence in split_sentences(text) if (named := _NAME.findall(sentence))]
    return str(names[-1][0]) if names else ""
