"""The information that a question asks for: a time, a number, advice, a story, the present or the past."""

import re
from dataclasses import dataclass

FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b|[我咱]", re.IGNORECASE)
WANTS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:day|date|month|year|time|season)\b|\bhow long\b"
    r"|\bhow many (?:days|weeks|months|years)\b"
    r"|什么时候|何时|哪天|哪年|哪个月|几号|几月|多久",
    re.IGNORECASE,
)
WANTS_NAME = re.compile(
    r"\b(?:who|where|named?|called)\b|\b(?:what|which) (?:\w+ )?(?:cit|countr|state|place|book|movie|film|show|game|"
    r"band|song|artist|author|compan|brand|restaurant|team)\w*|谁|哪里|哪儿|叫什么|什么名字",
    re.IGNORECASE,
)
WANTS_NUMBER = re.compile(r"\bhow (?:many|much|old|often)\b|\b(?:total|average|number)\b|多少|几|多大", re.IGNORECASE)
# "How many kits have I bought?": people who buy one do not say how many they have. Pasted questions may be long.
COUNTS_DEEDS = re.compile(r"\bhow many\b.{0,200}?\b(?:have|has|had|did) (?:i|we)\b", re.IGNORECASE)
# "Where do I work?", "How many bikes do I have now?"; not "Where did I work?", "When was the last time I …?". What
# others said about themselves stays true: putting the latest first costs four points of any@10 on LoCoMo.
ASKS_OF_NOW = re.compile(
    r"\b(?:is|are|am|do|does|have|has|my|current|currently|now|so far)\b|现在|目前|[^了过]$", re.IGNORECASE
)
ASKS_OF_THEN = re.compile(
    r"\b(?:did|was|were|had|ago|when|last|first|before|originally|previous\w*|used to|initially|earlier)\b|"
    r"以前|之前|当时|曾",
    re.IGNORECASE,
)
COUNTS_FROM_TODAY = re.compile(
    r"\b(?:today|tonight|now|current\w*|nowadays|so far|yet|still|ago|old|age|next|this|tomorrow|yesterday|upcoming|"
    r"soon|last)\b|[今明昨]天|现在|目前|几岁|多大|[上下]个?(?:周|月|星期)",
    re.IGNORECASE,
)
# "Tell me about the trip", "How did it go?", "What happened to Tom?"; not "What happened when …?" or "… to Tom's car in
# May?", which ask for one thing.
WANTS_STORY = re.compile(
    r"\s*(?:(?:can you |please )?(?:tell (?:me )?(?:the story )?(?:of|about)|summari[sz]e|recap|sum up|describe)\b"
    r"|what do (?:you|we) (?:know|remember) (?:about|of)\b"
    r"|(?:give me (?:a summary|an overview)|what(?:'s| is) the story) of\b"
    r"|how (?:did|was|were|has|have) (?:[\w'’-]+ ){1,6}?(?:go|gone|been going)\b"
    r"|what (?:has |have )?happened(?: (?:to|with)(?: (?!\w+['’]s\b)[\w-]+){1,3})?"
    r"(?: (?:in|on|at|during|last|this)\b.*)?[?.! ]*$"
    r"|.*(?:讲讲|说说|聊聊|总结|概括|发生了什么|怎么回事|经过))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wants:
    """The information that a question asks for.

    `advice`: it asks for a recommendation. `how_things_are`: the asker's present. `present`: anybody's, or that of a
    thing. `as_of_today`: today's date matters. `story`: what happened in general.
    `much`: an answer needs many messages.
    """

    time: bool
    number: bool
    advice: bool
    how_things_are: bool
    present: bool
    as_of_today: bool
    story: bool
    much: bool


def read_wants(text: str, *, much: bool, advice: bool) -> Wants:
    """Reads what the question asks for. Its form tells whether it needs `much`, a model whether it asks for advice."""
    how_things_are = asks_how_things_are(text)
    return Wants(
        time=bool(WANTS_TIME.search(text)),
        number=bool(WANTS_NUMBER.search(text)),
        advice=advice,
        how_things_are=how_things_are,
        present=asks_of_present(text),
        as_of_today=how_things_are or bool(COUNTS_FROM_TODAY.search(text)),
        story=bool(WANTS_STORY.match(text)),
        much=much,
    )


def asks_how_things_are(text: str) -> bool:
    """Whether the question is about the asker's present."""
    return bool(FIRST_PERSON.search(text)) and asks_of_present(text)


def asks_of_present(text: str) -> bool:
    """Whether the question is about the present and not about what was."""
    return bool(ASKS_OF_NOW.search(text)) and not ASKS_OF_THEN.search(text)
