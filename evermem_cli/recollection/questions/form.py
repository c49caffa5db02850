"""The form of answer that a question asks for. Each form has its own prompt."""

import re
from collections.abc import Callable
from enum import StrEnum

WANTS_YES = re.compile(
    r"^(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must)\b(?!.*\bor\b)"
    r"|[吗嘛]\s*[？?]?\s*$|能不能|是不是|有没有|会不会|可不可以",
    re.IGNORECASE,
)
OPENS_WITH_VERB = re.compile(
    r"(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|may|might|must)\b", re.IGNORECASE
)
OFFERS = re.compile(r"\bor\b|还是", re.IGNORECASE)
ASKS_LENGTH = re.compile(
    r"(?:(?:for|after|in|over|about) )?how (?:long|many (?:days|weeks|months|years))\b|.*(?:多久|多长时间)",
    re.IGNORECASE,
)
# "when" inside a question names an occasion: "Who supports her when she is sad?"
ASKS_DATE = re.compile(
    r"(?:(?:since|until|by|from|around|about|after|before|and|in|on|at|during) )?"
    r"(?:when\b|(?:what|which) (?:\w+ )?"
    r"(?:day(?! of the week)|dates?|months?|years?|times? of (?:the )?year|seasons?|weekends?)\b)"
    r"|.*(?:什么时候|何时|哪天|哪年|哪个月|几号|几月)",
    re.IGNORECASE,
)
ASKS_CLOCK = re.compile(r"(?:(?:at|by|from|until|since|around|about) )?(?:what|which) times?\b|.*几点", re.IGNORECASE)
# Something recurring has an hour or a weekday, but no date.
ASKS_OF_HABIT = re.compile(r"\b(?:usually|normally|typically|generally|always)\b", re.IGNORECASE)
ASKS_WHO = re.compile(r"(?:with |from |to |for )?who(?:m|se)?\b|谁|.*(?:是|和|跟)谁", re.IGNORECASE)
# "Who inspired Ann?": none of the other people named in the question.
ASKS_WHO_DID = re.compile(rf"who (?!{OPENS_WITH_VERB.pattern})\w+", re.IGNORECASE)
ASKS_FOR_A_GUESS = re.compile(r"\b(?:would|might|could|likely|probably|potential\w*)\b|可能|也许|大概", re.IGNORECASE)
# "What books has Tim read?", "In what ways …?"; not "What does she do?", "What did James cook?", "Which series …?"
ASKS_FOR_SEVERAL = re.compile(
    r"\b(?:what|which)\b(?: (?:kinds?|types?|sorts?) of)?(?: [\w/'’-]+){0,4}? "
    r"(?!(?:does|was|is|has|this|series|news)\b)(?-i:[a-z])\w*[^\Wsu]s\b"
    r"|\b(?:people|how many|all|everything)\b|哪些|哪几|有几|多少",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should)\b"
# "What kind of hobbies does …?", "Which new games did …?", "What are Ann's plans?"; not "Which country did James …?",
# which has one answer.
ASKS_FOR_A_LIST = re.compile(
    rf"\b(?:what|which)(?: (?!{_AUXILIARY})[\w/'’-]+){{0,4}} (?:people|[\w/]*[^\Wsu]s) {_AUXILIARY}"
    rf"|\bwhat (?:are|were)(?: (?!{_AUXILIARY})[\w'’-]+){{1,4}}? (?-i:[a-z])\w*[^\Wsu]s\b|哪些|哪几",
    re.IGNORECASE,
)


class Form(StrEnum):
    """The form of an answer. There is a prompt for each."""

    DATE = "date"
    CLOCK = "clock"
    LENGTH = "length"
    POLAR = "polar"
    CHOICE = "choice"
    LIKELY = "likely"
    PERSON = "person"
    SEVERAL = "several"
    PLAIN = "plain"


def form_of(question: str) -> Form:
    """The form of answer that a question asks for, by its words."""
    text = question.strip()
    return next((form for form, asks in _FORMS if asks(text)), Form.PLAIN)


def wants_much(question: str) -> bool:
    """Whether an answer needs many messages: several things, or a conclusion from everything known."""
    return bool(ASKS_FOR_SEVERAL.search(question)) or form_of(question) in (Form.SEVERAL, Form.LIKELY)


def _asks_to_choose(text: str) -> bool:
    return bool(OFFERS.search(text)) and (bool(OPENS_WITH_VERB.match(text)) or "还是" in text)


def _asks_for_date(text: str) -> bool:
    return bool(ASKS_DATE.match(text)) and not ASKS_OF_HABIT.search(text)


# The first that matches counts.
_FORMS: tuple[tuple[Form, Callable[[str], object]], ...] = (
    (Form.CHOICE, _asks_to_choose),
    (Form.POLAR, WANTS_YES.search),
    (Form.LENGTH, ASKS_LENGTH.match),
    (Form.DATE, _asks_for_date),
    (Form.CLOCK, ASKS_CLOCK.match),
    (Form.LIKELY, ASKS_FOR_A_GUESS.search),
    (Form.PERSON, ASKS_WHO.match),
    (Form.SEVERAL, ASKS_FOR_A_LIST.search),
)
