"""What a message states about its writer, sentence by sentence, without questions and without others' words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from evermem_cli.consolidation.wordings.coreference import pointed, together
from evermem_cli.consolidation.wordings.wording import wordings_of
from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.language import language

_FEW_WORDS = 5  # words of an answer that is understood only with its question
_CUTS = {
    "en": re.compile(r"\s*(?:[,;:–—!)]|\.{1,3}|\s-)\s+|\s+(?=(?:and|so|but)\s)"),
    "zh": re.compile(r"[，,；;：:]"),
}
_FRAGMENT = re.compile(r"^[\w'-]+(?:\s[\w'-]+)?[!.]$")
# "I got a dog! A whippet called Pim."
_NAMED = re.compile(r"[.!]+\s+(?P<article>an?)(?=\s(?:[\w-]+\s){1,3}(?:called|named)\s)", re.IGNORECASE)
_TAG = re.compile(r",?\s(?:remember|you\sknow|y'know|huh|eh|innit)\?", re.IGNORECASE)  # rhetorical, not a question
_CONJUNCTION = re.compile(r"^(?:and|so|but)\s+")
_UNSPELLED = re.compile(
    r"\b(?P<head>i|you|we|they|that|he|she|do|does|did|is|are|was|has|have|ca|wo)(?P<tail>m|ve|re|s|nt)\b",
    re.IGNORECASE,
)
_SPELLED = frozenset(
    "im ive youre youve weve theyre theyve thats hes shes "
    "dont doesnt didnt isnt arent wasnt hasnt havent cant wont".split()
)
_QUOTED = re.compile(r"""(?:"[^"]{12,}"|“[^”]{12,}”|(?<!\w)'[^']{12,}'(?!\w)|「[^」]{6,}」)""")
# From here on the words belong to a role or are written for somebody else.
_NOT_OWN = re.compile(
    r"\b(?:pretend|act\s(?:as|like)|role-?\s?play|imagine|let'?s\spracti[sc]e|how\s(?:do|would|can)\s(?:i|you|we)\ssay|"
    r"translate|proofread|fill\s(?:it|the\s\w+)\s(?:in\s)?with\s(?:test|dummy|fake)|from\sthe\s(?:novel|film|movie|book)|"
    r"my\scharacter)\b|假装|扮演|翻译",
    re.IGNORECASE,
)
# "You moved to Leeds, right?" – "Yes, in May." Confirming it counts as stating it.
_SUPPOSED = {
    "en": re.compile(
        r"\b(?P<told>you(?:r|'re|'ve|'ll)?\b[^.?!]{3,80}?),?\s(?:right|correct|yeah|aren't\syou|don't\syou)\?", re.I
    ),
    "zh": re.compile(r"(?:^|[。！？，])(?P<told>[^。！？，]{2,20}?)，?(?:对吧|是吧|对不对|没错吧)"),
}
_CONFIRMS = re.compile(
    r"^(?:yes|yep|yup|yeah|right|exactly|correct|true|indeed)\b|^(?:对|是的|嗯|没错)(?=$|[，。！啊呀])", re.I
)
_MINE = {"your": "my", "you're": "I'm", "you've": "I've", "you'll": "I'll", "you are": "I am", "you": "I"}
_YOURS = re.compile(rf"\b(?:{'|'.join(_MINE)})\b", re.IGNORECASE)
# "Did you know I moved?" is not a question about the fact.
_YOU_KNOW = re.compile(r"\b(?:d(?:id|o)\s)?you\sknow\s(?:that\s)?(?P<told>(?:i|we|my|our)\b[^.?!]*)\?", re.IGNORECASE)
_BRIEF = re.compile(
    r"^(?!(?:yes|no|nope|yeah|yep|none|nothing|not|i|we|my|it|the|well|why|what|maybe|sure|ok)\b)"
    r"(?!.*\b(?:is|are|was|were)\b)[^,.;:!?，。]{1,40}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence that states something.

    `points_back`: its meaning depends on the speaker's previous message. `answers`: it depends on the question
    answered.
    """

    text: str
    points_back: bool = False
    answers: bool = False


def stated(text: str, before: str = "", asked: str = "", addressee: str = "") -> Iterator[Stated]:
    """The statements of a message, in order.

    `before` is the speaker's previous message and `asked` somebody else's message directly before, both possibly empty;
    `addressee` is the other one of two people who talk. References are resolved, so "He's my boyfriend now" gets the
    name, and a brief answer is combined with its question.
    """
    text = _NAMED.sub(lambda a: f", {a['article'].lower()}", _TAG.sub(".", _QUOTED.sub("…", _spelled(text))))
    if foreign := _NOT_OWN.search(text):
        text = text[: foreign.start()]
    if answer := _confirmed(text, asked) or _answered(text, asked):
        yield Stated(answer, answers=True)
    earlier = ""
    for sentence in _joined(split_sentences(_YOU_KNOW.sub(r"\g<told>.", text))):
        statement = _before_question(sentence) if is_question(sentence) else sentence
        resolved = pointed(together(statement, earlier, addressee), earlier or before)
        if resolved:
            yield Stated(resolved, points_back=not earlier and resolved != statement)
        earlier = f"{earlier} {sentence}".strip()


def _spelled(text: str) -> str:
    """The text with straight apostrophes, added where the writer omitted them: "im", "dont"."""
    text = text.replace("’", "'").replace("‘", "'")

    def spell(match: re.Match[str]) -> str:
        if match[0].lower() not in _SPELLED:
            return match[0]
        return f"{match['head']}n't" if match["tail"].lower() == "nt" else f"{match['head']}'{match['tail']}"

    return _UNSPELLED.sub(spell, text)


def _confirmed(text: str, asked: str) -> str:
    """What somebody supposed about the writer, in the first person, if the text begins by confirming it."""
    tongue = language(asked)
    supposed = _SUPPOSED[tongue].search(_spelled(asked)) if _CONFIRMS.match(text.strip()) else None
    if not supposed:
        return ""
    if tongue == "zh":
        return f"我{supposed['told'].replace('你', '我').lstrip('我')}"
    return _YOURS.sub(lambda word: _MINE[word[0].lower()], supposed["told"])


def _answered(text: str, asked: str) -> str:
    """The meaning of a brief answer together with its question; empty where the text is none."""
    answer = _BRIEF.match(text.strip())
    if not answer or len(answer[0].split()) > _FEW_WORDS:
        return ""
    asked = " ".join(sentence for sentence in split_sentences(asked) if is_question(sentence))
    meanings = (meaning for question, meaning in wordings_of(language(asked)).answers if question.search(asked))
    return next(meanings, "").format(answer[0].strip())


def _joined(sentences: list[str]) -> Iterator[str]:
    """Joins a single word to the sentence after it: "Pottery! Every Tuesday."."""
    waiting = ""
    for sentence in sentences:
        if not waiting and _FRAGMENT.match(sentence) and not is_question(f"{sentence[:-1]} …"):
            waiting = f"{sentence[:-1]}, "
        else:
            yield waiting + sentence
            waiting = ""
    if waiting:
        yield waiting[:-2]


def _before_question(sentence: str) -> str:
    """What is stated before a question begins: "I'm allergic to nuts, can I eat this?"."""
    for cut in _CUTS[language(sentence)].finditer(sentence):
        head, rest = sentence[: cut.start()], _CONJUNCTION.sub("", sentence[cut.end() :])
        if is_question(head):
            return ""
        if is_question(rest.rstrip("?？ ")):
            return head
    return ""
