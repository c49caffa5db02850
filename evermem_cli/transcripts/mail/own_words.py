"""The words of a mail's author: without quoted and forwarded mails and the signature.

What is in doubt is kept: a signature that is kept does less harm than a sentence that is lost. A library recognises
the heads of quotes and the words of sign-offs in thirteen languages. Lines with ">" are handled here, with the heads
above them, which are recognised by their form in any language, as are the fields above a forwarded mail. Heads with the
words in another order ("Ben schrieb am …:"), and Apple's line above a forwarded mail, are recognised here, too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mailparser_reply.parser import EmailMessage

# The library's patterns backtrack on long lines, and no line of a head or sign-off is longer than this.
LONGEST_MARK = 160  # characters
HEAD_LINES = 3  # maximum lines of a head that a mail program has wrapped
FIELDS, FIELD_LINES = 3, 12  # minimum fields of a head without a rule above it; maximum lines of fields
NAME_WORDS, NAME_LINES = 4, 5  # maximum words of a line with the author's name or firm; such lines below a sign-off

_QUOTE = ">"  # stands for a quote; no line of the author begins with it
_TOO_LONG = "\ue000"  # stands for a line that is too long for a head
_DELIMITER = "-- "  # mail programs put this line above a signature (RFC 3676)
_BESIDE = re.compile(r"\s[·•|]\s")  # between what a line of a signature has side by side
_COLONS = (":", "：")
_ENDS = (".", "!", "?", "…", *_COLONS)
_FIELD = re.compile(r"[* ]*\w[\w .'’-]{0,24}[* ]*(?::(?=[\s*]|\Z)|：)")  # "From: …", "*Von:* …", "Envoyé : …"
_ADDRESS = re.compile(r"[<\[]\S+@\S+[>\]]")  # as mail programs write it behind a name
_MOMENT = re.compile(r"\d[:.h]\d\d(?!\d)")
_RULED = re.compile(r"-{5,} ?\w.*-{3,}")  # "---------- Forwarded message ---------"
# Apple's line above a forwarded mail; other programs draw rules.
_FORWARDS = frozenset(
    """
    begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié|inizio messaggio inoltrato
    inicio del mensaje reenviado|begin doorgestuurd bericht|início da mensagem encaminhada|videresendt melding
    início da mensagem reencaminhada|začátek přeposílané zprávy|start på videresendt besked|välitetty viesti alkaa
    továbbított levél kezdete|początek przekazywanej wiadomości|začiatok preposlanej správy|vidarebefordrat mejl
    начало переадресованного сообщения
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)
# The library wants most of these in one place of the head: "Op … schreef:", not "Op … schreef Ben:".
_WROTE = frozenset("wrote schrieb schreef écrit escribió scritto escreveu skrev napisał pisze napsal kirjoitti".split())
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
# An address, or a date: "3 Feb 2026", "2026年2月3日", "12.03.25".
_STATED = re.compile(rf"\S@\S|\d.*{_YEAR}|{_YEAR}.*\d|(?<!\d)\d\d?([./-])\d\d?\1\d\d(?!\d)", re.DOTALL)


def own_words(text: str) -> str:
    r"""`text`, with "\n" at line ends, without the words of others and the signature; may be "".

    An answer may be above a quote, below it or between its parts. Everything after the head of a quote whose lines have
    no ">" is quoted, since nothing tells where such a quote ends.
    """
    from mailparser_reply.constants import MAIL_LANGUAGES
    from mailparser_reply.parser import EmailMessage

    marks = EmailMessage(text="", languages=list(MAIL_LANGUAGES), keep_hyphen_lists=True)
    stripped = (line if line == _DELIMITER else line.strip() for line in text.strip().split("\n"))
    lines = _marked(list(_without_blanks(stripped)), marks)
    lines = lines[: _first_head(lines, marks)]
    while lines and (not lines[-1].strip("_") or _RULED.fullmatch(lines[-1])):
        lines.pop()
    return "\n".join(_without_blanks(_unsigned(lines, marks))).strip()


def _without_blanks(lines: Iterable[str]) -> Iterator[str]:
    """`lines` with one empty line where there are several."""
    for line, same in groupby(lines):
        yield from [line] if not line else same


def _marked(lines: Sequence[str], marks: "EmailMessage") -> list[str]:
    """`lines` with one `_QUOTE` for each run of lines with ">", and without the head above them."""
    own: list[str] = []
    for line in lines:
        if not line.startswith(">"):
            own.append(line)
        elif not own or own[-1] != _QUOTE:
            end = len(own) - (own[-1:] == [""])
            above = own[max(0, end - HEAD_LINES - 1) : end]
            if size := _head_size(above, marks):
                del own[end - size :]
            own.append(_QUOTE)
    return own


def _head_size(above: Sequence[str], marks: "EmailMessage") -> int:
    """How many of the lines above a quote name its author: "Le mer. 12 mars 2025, Maya <maya@lind.org> a écrit :"."""
    last = above[-1] if above else ""
    if not last.endswith(_COLONS) or len(last) > LONGEST_MARK:
        return 0
    if _is_forward(last):
        return 1
    whole = bool(_STATED.search(last) or marks.HEADER_REGEX.fullmatch(last))
    if whole and last.count("<") == last.count(">") and not "".join(above[-2:-1]).endswith(","):
        return 1
    # The program has wrapped the head, which is a paragraph of its own.
    for size in range(2, min(len(above), HEAD_LINES) + 1):
        wrapped = above[-size:]
        if wrapped[0] in ("", _QUOTE) or wrapped[0].endswith(_ENDS):
            break
        begins = size == len(above) or above[-size - 1] in ("", _QUOTE)
        if begins and _STATED.search(" ".join(wrapped)):
            return size
    return int(whole)


def _first_head(lines: Sequence[str], marks: "EmailMessage") -> int:
    """The index of the first line of a quote without ">"; the number of lines if there is none."""
    by_form = (index for index, line in enumerate(lines) if _is_forward(line) or _begins_fields(lines, index))
    return min(next(by_form, len(lines)), _head_of_author(lines, marks), _head_in_words(lines, marks))


def _is_forward(line: str) -> bool:
    return line.endswith(_COLONS) and line.rstrip("".join((" ", *_COLONS))).casefold() in _FORWARDS


def _head_of_author(lines: Sequence[str], marks: "EmailMessage") -> int:
    """Like `_first_head`, by a verb, a date and a time or address: "Op 3 maart 2025 om 10:12 schreef Ben:"."""
    for index, line in enumerate(lines):
        if line.endswith(_COLONS) and (size := _head_size(lines[max(0, index - HEAD_LINES) : index + 1], marks)):
            head = " ".join(lines[index + 1 - size : index + 1])
            verbs = _WROTE.intersection(word.partition("(")[0].strip(":,") for word in head.casefold().split())
            if verbs and _STATED.search(head) and (_MOMENT.search(head) or _ADDRESS.search(head)):
                return index + 1 - size
    return len(lines)


def _begins_fields(lines: Sequence[str], index: int) -> bool:
    """Whether fields of a quoted or forwarded mail begin in this line, by their form in any language.

    They are a paragraph with the address of a person; where no rule is above them, at least `FIELDS` with a time.
    """
    above = "".join(lines[index - 1 : index])
    ruled = bool(_RULED.fullmatch(above or "".join(lines[max(0, index - 2) : index - 1])))
    if not _FIELD.match(lines[index]) or not (ruled or not above.strip("_") or above == _QUOTE):
        return False
    block = list(takewhile(bool, lines[index : index + FIELD_LINES]))
    text = "\n".join(line[:LONGEST_MARK] for line in block)
    whole = ruled or (sum(map(bool, map(_FIELD.match, block))) >= FIELDS and _MOMENT.search(text) is not None)
    return whole and _ADDRESS.search(text) is not None


def _head_in_words(lines: Sequence[str], marks: "EmailMessage") -> int:
    """Like `_first_head`, by the words for heads and fields that the library has."""
    text = "\n".join(line if len(line) <= LONGEST_MARK else _TOO_LONG for line in lines)
    for head in marks.HEADER_REGEX.finditer(text):
        begin = head.end() - len(head[0].lstrip())
        index = text.count("\n", 0, begin)
        ruled = any(_RULED.fullmatch(line) for line in lines[max(0, index - 2) : index + 1])
        if ruled or _is_head(head[0].strip().split("\n")):
            return index
    return len(lines)


def _is_head(lines: Sequence[str]) -> bool:
    """Whether lines that look like a head have an address or a date, and nothing that may be the author's."""
    wrote = lines[-1].endswith(_COLONS) and not any(line.endswith(_ENDS) for line in lines[:-1])
    fields = sum(":" in line or "：" in line for line in lines)
    return bool(_STATED.search("\n".join(lines))) and (wrote or fields > 1)


def _unsigned(lines: Sequence[str], marks: "EmailMessage") -> Iterator[str]:
    """`lines` without sign-offs, names below them and all below a delimiter, and with an empty line for each quote."""
    delimited, signs, names = False, False, 0
    for index, line in enumerate(lines):
        delimited = line == _DELIMITER or (delimited and line != _QUOTE)
        if delimited:
            yield ""
        elif index and _is_sign_off(line, marks):  # the first line of a mail is none
            signs, names = True, 0
            yield ""
        elif signs and names < NAME_LINES and (_is_name(line) or not (line or names)):
            names += bool(line)
        else:
            signs = False
            yield "" if line == _QUOTE else line


def _is_sign_off(line: str, marks: "EmailMessage") -> bool:
    """Whether a line is a rule above a signature or closes a mail: "-- ", "Best, Ann", "Sent from my iPhone"."""
    if not line or len(line) > LONGEST_MARK or len(line.split()) > NAME_WORDS:
        return False
    sign_off = marks.SIGNATURE_REGEX.match(f"\n\n{line}\n") or marks.SIGNATURE_REGEX.match(f"\n{line}\n", 1)
    if not sign_off:
        return False
    rest = line[len(sign_off[2].strip()) :]
    name = rest.strip(" ,-–")
    return not name or (not rest[0].isalnum() and _is_name(name))


def _is_name(line: str) -> bool:
    """Whether a line has the form of names, firms or addresses, and not that of a sentence."""
    parts = [part.split() for part in _BESIDE.split(line)]
    few = all(0 < len(words) <= NAME_WORDS for words in parts)
    return few and not line.endswith(_ENDS) and all(map(_is_of_name, chain.from_iterable(parts)))


def _is_of_name(word: str) -> bool:
    return word[0].isupper() or not any(map(str.isalpha, word)) or any(mark in word for mark in "@/.")
