"""What a message states about its writer, sentence by sentence, without questions and without others' words."""

import re
from collections.abc import Iterator

from evermem_cli.formation.sentences.statements import is_question, split_sentences
from evermem_cli.languages.language import language

_CUTS = {
    "en": re.compile(r"\s*(?:[,;:–—!)]|\.{1,3}|\s-)\s+|\s+(?=(?:and|so|but)\s)"),
    "zh": re.compile(r"[，,；;：:]"),
}
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


def stated(text: str) -> Iterator[str]:
    """The statements of a message, in order."""
    text = _QUOTED.sub("…", _spelled(text))
    if foreign := _NOT_OWN.search(text):
        text = text[: foreign.start()]
    for sentence in split_sentences(text):
        if statement := _before_question(sentence) if is_question(sentence) else sentence:
            yield statement


def _spelled(text: str) -> str:
    """The text with straight apostrophes, added where the writer omitted them: "im", "dont"."""
    text = text.replace("’", "'").replace("‘", "'")

    def spell(match: re.Match[str]) -> str:
        if match[0].lower() not in _SPELLED:
            return match[0]
        return f"{match['head']}n't" if match["tail"].lower() == "nt" else f"{match['head']}'{match['tail']}"

    return _UNSPELLED.sub(spell, text)


def _before_question(sentence: str) -> str:
    """What is stated before a question begins: "I'm allergic to nuts, can I eat this?"."""
    for cut in _CUTS[language(sentence)].finditer(sentence):
        head, rest = sentence[: cut.start()], _CONJUNCTION.sub("", sentence[cut.end() :])
        if is_question(head):
            return ""
        if is_question(rest.rstrip("?？ ")):
            return head
    return ""
