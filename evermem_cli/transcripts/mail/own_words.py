"""The words of a mail's author: without quoted and forwarded mails and the signature.

A library recognises the beginnings of these in thirteen languages. Lines with ">" and texts too long for a signature
are handled here.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mailparser_reply.parser import EmailReply

# The library's patterns backtrack on long lines, and no line that begins a quote or a signature is longer than this.
LONGEST_MARK = 160  # characters
# The library takes any line that begins with "Thanks," and everything after it for a signature.
CLOSING_WORDS = 4  # words of a signature's first line: "Mit freundlichen Grüßen", "Best regards, Ann"
SIGNATURE_LINES = 10

_RULED = re.compile(r"-{5,} ?\w.*-{3,}")  # "---------- Forwarded message ---------"
_WROTE = re.compile(r".*[\d@].*[:：]")  # "Bob <bob@example.net> 于2026年2月3日周二写道："
_BLANKS = re.compile(r"\n{3,}")
_STAND_IN = re.compile("\ue000(\\d+)\ue001")


def own_words(text: str) -> str:
    r"""`text`, with "\n" at line ends, without the words of others and the signature; may be "".

    An answer may be above a quote, below it or between its parts. Everything after the head of a quote whose lines have
    no ">" is quoted, since nothing tells where such a quote ends.
    """
    from mailparser_reply.constants import MAIL_LANGUAGES
    from mailparser_reply.parser import EmailMessage

    shielded, long_lines = _shielded(text)
    mail = EmailMessage(text=shielded, languages=list(MAIL_LANGUAGES), keep_hyphen_lists=True).read()
    own: list[str] = []
    for index, part in enumerate(mail.replies):
        if part.headers and not _has_marks(mail.replies[index:]):
            break
        own += _unquoted(_body(part).split("\n"))
    while own and (not own[-1] or _RULED.fullmatch(own[-1])):
        own.pop()
    said = _STAND_IN.sub(lambda mark: long_lines[int(mark[1])], "\n".join(own))
    return _BLANKS.sub("\n\n", said).strip()


def _unquoted(lines: Sequence[str]) -> list[str]:
    """`lines` without those that begin with ">", and without the line above them that names their author."""
    own: list[str] = []
    for line in lines:
        if line.startswith(">"):
            while own and not own[-1]:
                own.pop()
            if own and _WROTE.fullmatch(own[-1]):
                own.pop()
            own.append("")
        elif line != ":":
            own.append(line)
    return own


def _shielded(text: str) -> tuple[str, list[str]]:
    """`text` with a short placeholder for each long line, and these lines."""
    lines: list[str] = []
    long_lines: list[str] = []
    for line in map(str.strip, text.replace("\ue000", "").replace("\ue001", "").split("\n")):
        if len(line) > LONGEST_MARK and not line.startswith(">"):
            lines.append(f"\ue000{len(long_lines)}\ue001")
            long_lines.append(line)
        else:
            lines.append(line[:LONGEST_MARK])
    return _BLANKS.sub("\n\n", "\n".join(lines)), long_lines


def _has_marks(parts: Sequence["EmailReply"]) -> bool:
    """Whether a quote below a head ("On Tuesday Bob wrote:") has ">" before its lines.

    The head is in the first part.
    """
    below = (text.lstrip(":\n ") for part in parts for text in (part.headers or "", _body(part)))
    head = next(below)
    return head.startswith(">") or next(filter(None, below), "").startswith(">")


def _body(part: "EmailReply") -> str:
    """The content below the head of a part, without disclaimers and signature."""
    body: str = part.content.removeprefix(part.headers or "")
    for disclaimer in part.disclaimers or ():
        body = body.replace(disclaimer, "")
    signature = (part.signatures or "").split("\n")
    if len(signature) <= SIGNATURE_LINES and len(signature[0].split()) <= CLOSING_WORDS:
        body = body.removesuffix(part.signatures or "")
    return body.strip()
