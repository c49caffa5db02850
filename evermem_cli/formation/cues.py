"""Discourse cues of a message (asks, answers, thanks, changes the subject), recognised by wording alone.

English and Chinese. Only the beginning and end of a long message are read, since the cues occur there.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_EDGE = 240  # characters that are read at the beginning and at the end of a message
_SHORT_WORDS = 3
_LONG_WORDS = 60  # words; longer messages count as this long

_LEAD = (
    r"^\W*(?:(?:so|and|but|well|oh|ok|okay|also|then|now|um|hmm|hi|hello|hey|yes|no|yeah|thanks|thank you|great|"
    r"alright|good (?:morning|afternoon|evening))\W+)*"
)
_CUES = {
    "ends_asking": r"[?？][\"')\s]*$|[吗呢么][。!！~～\s]*$",
    "asks": r"[?？]|[吗呢][。!！~～\s]*$",
    "asking_word": _LEAD
    + r"(?:what|who|whom|whose|where|when|why|how|which|is|are|am|was|were|do|does|did|can|could|will|would|should|"
    r"may|might|shall|have|has|had)\b|^(?:什么|怎么|为什么|谁|哪|几|多少|请问)",
    "requests": r"\b(?:i|we)(?:'d| would)? (?:need|want|wish|like)\b.{0,40}"
    r"\b(?:to|help|info|information|know|find|get|book|a|an|the|some)\b|"
    r"\b(?:i'm|i am|we're|we are) (?:looking|trying|wondering|interested|searching|planning|hoping)\b|"
    r"\bi(?:'d| would) like\b|\b(?:please|tell me|show me|give me|find me|let me know|help me|help with|can you|"
    r"could you|would you|i was wondering|i have a question)\b|请|帮我|告诉我|我想|我要|我需要|能不能|可以.{0,8}吗",
    "thanks": r"\b(?:thanks?(?: you| u)?|thx|cheers|appreciate)\b|谢谢|多谢|感谢",
    "closes": r"\b(?:thanks?(?: you| u)?|thx|bye|goodbye|see you|welcome|"
    r"have a (?:nice|great|good|wonderful|safe|lovely)|enjoy|no problem|glad|that(?:'s| is| will be) all|"
    r"that would be all|take care|good night|safe travels|happy to help|my pleasure|anytime)\b|"
    r"谢谢|再见|拜拜|不客气|晚安|没问题",
    "offers_more": r"\b(?:any|some)thing else\b|\bfurther (?:help|assist)|\bmore (?:information|help|assistance)\b|"
    r"\bhelp you with anything\b|还有(?:什么|别的|其他)",
    "turns": r"\b(?:by the way|btw|anyways?|one more (?:thing|question)|another (?:question|thing|topic)|one last|"
    r"speaking of|changing the subject|on another note|on a different|moving on|next question|"
    r"different (?:question|topic|subject)|switching|question about)\b|"
    r"^\W*(?:also|now|so|next|finally|lastly)\b|对了|顺便|另外|话说|换个话题|还有一|言归正传|说起",
    "greets": r"^\W*(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|howdy|yo)\b|"
    r"^(?:你好|您好|嗨|哈喽|早上好|晚上好|下午好|大家好|早)",
    "yes_or_no": r"^\W*(?:yes|yeah|yep|yup|yea|no|nope|nah|sure|ok|okay|right|exactly|true|indeed|correct|of course|"
    r"definitely|absolutely|me too|same|not (?:really|yet|sure)|i (?:do|did|am|have|don't|do not|didn't|haven't|"
    r"am not|would|will|can)\b[\w' ]{0,6}[.,!])\b|^(?:是|不|好的|好|对(?!了)|嗯|没有|没|可以|行|当然)",
    "reacts": r"^\W*(?:wow|cool|nice|great|awesome|haha|lol|that(?:'s| is| sounds| was)|sounds|i see|oh|ah|aw+|sorry|"
    r"interesting|amazing|me too|ha|hmm|good|congrat\w*|well|really)\b|^(?:哈哈|哇|真的|太好|原来|不错|哦|啊|厉害)",
    "refers_back": r"\b(?:it|that|this|they|them|those|these|he|she|him|her|there|one|ones)\b|[它他她]|这|那",
    "goes_on": r"^\W*(?:and|but|or|because|which|then|though|too|it|that|they|he|she|this)\b|"
    r"^(?:而且|但是|可是|因为|所以|然后)",
    "exclaims": r"[!！]",
}
_ENDS_ASKING = re.compile(_CUES["ends_asking"])
_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _CUES.values()]
_TRAILS_OFF = re.compile(r"(?:\.\.+|…|[,，:：;；、—–]|\b(?:and|but|because|is|are|the|a|an|my))\s*$", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")

CUE_NAMES = (*_CUES, "short", "length")


def read_cues(texts: Sequence[str]) -> NDArray[np.float32]:
    """1 where a text has a cue, shape (len(texts), len(CUE_NAMES)). The cue `length` is in words, scaled to 0 to 1."""
    return np.array([_cues_of(text) for text in texts], dtype=np.float32).reshape(len(texts), len(CUE_NAMES))


def asks(text: str) -> bool:
    """Whether the text ends with a question."""
    return bool(_ENDS_ASKING.search(text[-_EDGE:]))


def trails_off(text: str) -> bool:
    """Whether the text breaks off in the middle of a sentence: "My favourite film is..."."""
    return bool(_TRAILS_OFF.search(text[-_EDGE:]))


def _cues_of(text: str) -> list[float]:
    edges = text.strip() if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}".strip()
    words = max(len(text.split()), len(_HAN.findall(edges)) // 2)
    length = min(words, _LONG_WORDS) / _LONG_WORDS
    return [*(float(bool(pattern.search(edges))) for pattern in _PATTERNS), float(words <= _SHORT_WORDS), length]
