"""One mail: its author, time, the mails that it answers, and the author's own words."""

import binascii
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from itertools import chain

from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.html_text import html_text
from evermem_cli.transcripts.mail.own_words import own_words
from evermem_cli.transcripts.times import YEARS

MAX_ADDRESS = 1_000  # maximum characters read of an address; the parser of a hostile one would call itself too often
MAX_TEXT = 100_000  # maximum characters read of a mail; nobody writes more, and a hostile mail would take seconds
MAX_PAGE = 1_000_000  # maximum characters of an HTML mail, most of which are layout
EXPUNGED = 0x8  # in Thunderbird's status of a mail
MAX_NESTING = 20  # maximum nesting of parts

_ID = re.compile(r"<[^<>\s]+>")
_ANSWER = re.compile(r"(?:\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv|回复|答复|转发)(?:\[\d+\])?\s*[:：])+\s*", re.IGNORECASE)
_LAST_FIRST = re.compile(r"\A([^,]+), ([^,]+)\Z")  # Outlook's form of names
_FLOWED = re.compile(r"(?m)^(?!-- $)((>*)[^\n]*) \n\2(?!>)(?=[^\n])")
# Gmail's labels and programs' folders of mails that nobody sent or kept; Takeout has them in the account's language.
DISCARDED_FOLDERS = frozenset(
    """
    spam junk
    trash bin draft drafts papierkorb entwurf entwürfe corbeille brouillon brouillons papelera borrador borradores
    cestino bozza bozze lixeira lixo rascunho rascunhos prullenbak concepten kosz koš utkast papperskorg papirkurv
    спам корзина черновики 垃圾邮件 已删除邮件 草稿 垃圾郵件 垃圾桶 迷惑メール ゴミ箱 下書き 스팸함 휴지통 임시보관함
    """.split()
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail. `follows` are the ids of the mails that it answers, the first of the thread first.

    `sent` is in ISO 8601, None if unknown; `undated` tells why it is not that of the header Date, "" if it is.
    `text` is what its author wrote, "" if nothing; `cut` if the mail is longer than what is read;
    `discarded` if the mail program has it as a draft, as spam or in the trash.
    """

    id: str
    follows: tuple[str, ...]
    name: str
    address: str
    sent: str | None
    undated: str
    subject: str
    text: str
    cut: bool
    by_machine: bool
    discarded: bool


def letter(data: bytes) -> Letter:
    """The mail in `data`, perhaps below an mbox's line. Raises ValueError, also for endlessly nested parts."""
    try:
        mail = message_from_bytes(data)
        texts = "\n\n".join(_texts(mail, 0))
    except RecursionError as error:
        raise ValueError("its parts are nested without end") from error
    name, address = parseaddr(_header(mail, "From")[:MAX_ADDRESS])
    subject = _header(mail, "Subject")
    sent, undated = _sent(mail)
    return Letter(
        id=next(iter(_ID.findall(_header(mail, "Message-ID"))), ""),
        follows=tuple(_ID.findall(_header(mail, "References")) or _ID.findall(_header(mail, "In-Reply-To"))[:1]),
        name=_LAST_FIRST.sub(r"\2 \1", name) or address,
        address=address.casefold(),
        sent=sent,
        undated=undated,
        subject=_ANSWER.sub("", subject, count=1) if _ANSWER.match(subject) else subject,
        text=own_words(texts[:MAX_TEXT]),
        cut=len(texts) > MAX_TEXT,
        by_machine=_is_by_machine(mail),
        discarded=_is_discarded(mail),
    )


def _header(mail: Message, name: str) -> str:
    """A header on one line, decoded as far as possible; "" if there is none."""
    return next(_headers(mail, name), "")


def _headers(mail: Message, name: str) -> Iterator[str]:
    """All headers of a name, decoded as `_header` does."""
    return (_decoded_header(value) for field, value in mail.raw_items() if field.casefold() == name.casefold())


def _decoded_header(value: str) -> str:
    """A header's text: its encoded words (RFC 2047), and bytes as UTF-8 (RFC 6532), else as Windows-1252."""
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "evermem.cp1252")
    with suppress(HeaderParseError, LookupError, ValueError, binascii.Error):
        parts = decode_header(value)
        value = "".join(
            part if isinstance(part, str) else part.decode(charset or "raw-unicode-escape") for part, charset in parts
        )
    return " ".join(clean(value).split())


def _sent(mail: Message) -> tuple[str | None, str]:
    """The time in ISO 8601, and why it is not that of the header Date, "" if it is.

    It is then the time of receipt, by the header of the last server or else by the mbox's line "From … Thu Mar 06 …".
    """
    stated = _header(mail, "Date")
    if moment := _moment(stated):
        return moment, ""
    fault = f'its date cannot be read ("{stated[:40]}")' if stated else "it has no date"
    stamps = [hop.rpartition(";")[2] for hop in _headers(mail, "Received")]
    stamps += (mail.get_unixfrom() or "").split(maxsplit=2)[2:]
    return next(filter(None, map(_moment, stamps)), None), fault


def _moment(stated: str) -> str | None:
    """A date of a header in ISO 8601; None if it is none. Without a zone, as in "-0000", it is in UTC."""
    try:
        moment = parsedate_to_datetime(stated)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.isoformat() if moment.year in YEARS else None


def _is_discarded(mail: Message) -> bool:
    """Whether Gmail labels it as discarded, or Thunderbird as deleted in a folder that is not compacted yet."""
    labels = map(str.strip, _header(mail, "X-Gmail-Labels").casefold().split(","))
    with suppress(ValueError):
        if int(_header(mail, "X-Mozilla-Status"), 16) & EXPUNGED:
            return True
    return not DISCARDED_FOLDERS.isdisjoint(labels)


def _is_by_machine(mail: Message) -> bool:
    """Whether it was sent to many at once or by a machine. Mailing lists of people set List-Post (RFC 2369)."""
    automatic = _header(mail, "Auto-Submitted").casefold() not in ("", "no")
    return automatic or ("List-Unsubscribe" in mail and "List-Post" not in mail)


def _texts(part: Message, depth: int) -> Iterator[str]:
    """The visible texts of a mail: of alternatives the plain one; attachments are left out."""
    if depth > MAX_NESTING:
        raise ValueError("its parts are nested without end")
    if part.get_content_disposition() == "attachment" or part.get_content_maintype() == "message":
        return
    if part.is_multipart():
        parts = [member for member in part.get_payload() if isinstance(member, Message)]
        if part.get_content_subtype() == "alternative":
            parts.sort(key=lambda member: member.get_content_type() != "text/plain")
            yield from next(filter(None, (list(_texts(member, depth + 1)) for member in parts)), [])
        else:
            yield from chain.from_iterable(_texts(member, depth + 1) for member in parts)
    elif part.get_content_type() in ("text/plain", "text/html"):
        yield from filter(str.strip, [_shown(part)])


def _shown(part: Message) -> str:
    text = _decoded(part)
    if part.get_content_subtype() == "html":
        return html_text(text[:MAX_PAGE])
    flowed = str(part.get_param("format", "")).casefold() == "flowed"
    return _FLOWED.sub(r"\1 ", text) if flowed else text


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    charset = str(part.get_content_charset() or "utf-8")
    try:
        text = data.decode(charset)
    except (LookupError, ValueError):
        text = data.decode("utf-8", "evermem.cp1252")
    return clean(text)
