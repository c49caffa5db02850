"""SMS Backup & Restore's XML, in `<sms>` and `<mms>` elements, as the app's documentation describes the fields.

The app writes emoji as two references to halves of a surrogate pair, which no XML parser accepts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from evermem_cli.memory import ChatKind, Role, Transcript
from evermem_cli.transcripts.assemble import Chat, MessageDraft, assemble
from evermem_cli.transcripts.source import Format, Source

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LEAST_DIGITS = 7  # digits by which two forms of a number are recognised, besides the name of the contact
INTERNATIONAL = ("+", "00")  # prefixes before the code of a country
RUSSIAN_DIGITS = 11
UNSENT = "drafts and messages that were not sent"

_RECEIVED, _SENT = "1", "2"
_FROM = "137"  # the sender's type among the addresses of an MMS
_NOBODY = frozenset({"", "null", "(Unknown)", "insert-address-token"})
_PAIR = re.compile(r"&#(5[5-6]\d{3});&#(5[6-7]\d{3});")
_REFERENCE = re.compile(r"&#(\d{1,7}|x[0-9A-Fa-f]{1,6});")
_SPACES = re.compile(r"[\s().-]+")


@dataclass(slots=True)
class _Phone:
    """The content of a backup: names by number, what groups are called, and messages by the other people."""

    line: int = 1  # of the file, up to where it was read; each message is a line
    names: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    chats: dict[str, list[tuple[str, MessageDraft]]] = field(default_factory=dict)

    def name(self, number: str) -> str:
        """The name of a number in the phone's contacts, else the number."""
        return self.names.get(number, number)

    def name_the_last(self) -> None:
        """Names the one person of a group whom no other message names; the names of a group have no certain order."""
        for numbers, called in self.groups.items():
            names, members = called.split(", "), numbers.split("~")
            unnamed = [number for number in members if number not in self.names]
            left = [name for name in names if name not in map(self.name, members)]
            if len(names) == len(members) and len(unnamed) == len(left) == 1:
                self.names[unnamed[0]] = left[0]

    def join_forms(self) -> None:
        """Joins the chats of a contact whose number occurs with and without the code of its country.

        The oldest message decides which form stands in the chat's key. A backup that begins with another message may
        have another, by which the stored chat is known all the same.
        """
        messages = sorted((int(str(draft.stamp)), numbers) for numbers, chat in self.chats.items() for _, draft in chat)
        forms: dict[str, str] = {}
        for number in dict.fromkeys(number for _, numbers in messages for number in numbers.split("~")):
            name = self.names.get(number)
            same = (known for known in forms if name and self.names.get(known) == name and _is_same(known, number))
            forms[number] = next(same, number)

        def joined(numbers: str) -> str:
            return "~".join(sorted({forms.get(number, number) for number in numbers.split("~")}))

        self.groups = {joined(numbers): title for numbers, title in self.groups.items()}
        chats, self.chats = self.chats, {}
        for numbers, chat in chats.items():
            self.chats.setdefault(joined(numbers), []).extend(chat)


def _is_same(number: str, other: str) -> bool:
    """Whether one of two numbers of a contact is the other with more of its codes: those of the country and the area.

    Two numbers with codes of countries are the same only if they are equal.
    """
    shorter, longer = sorted(map(_significant, (number, other)), key=len)
    if number.startswith(INTERNATIONAL) and other.startswith(INTERNATIONAL):
        return shorter == longer
    return len(shorter) >= LEAST_DIGITS and longer.endswith(shorter)


def _is_same_chat(numbers: str, title: str, key: str, other_title: str) -> bool:
    """Whether a chat of this key and title is with the same contacts, whose numbers may have another form."""
    ours, theirs = numbers.split("~"), key.removeprefix("sms:").split("~")
    same = (any(_is_same(number, other) for other in theirs) for number in ours)
    return title == other_title and len(ours) == len(theirs) and all(same)


def _significant(number: str) -> str:
    """A number as it stands behind the prefix of long-distance calls: 0, or 8 before ten digits as in Russia."""
    digits = "".join(filter(str.isdecimal, number)).lstrip("0")
    return digits[1:] if len(digits) == RUSSIAN_DIGITS and number.startswith("8") else digits


def _matches(source: Source) -> bool:
    head = "".join(source.sample[:20])
    return head.lstrip().startswith("<") and "<smses" in head


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per person or group."""
    phone = _Phone()
    for element in _elements(source, phone):
        if element.tag == "sms":
            _add_sms(element, phone, source)
        else:
            _add_mms(element, phone, source)
    phone.name_the_last()
    phone.join_forms()
    for numbers, drafts in phone.chats.items():
        chat = Chat("sms", key=f"sms:{numbers}", kind=ChatKind.GROUP)
        chat.title = phone.groups.get(numbers) or ", ".join(map(phone.name, numbers.split("~")))
        if all(number in phone.names for number in numbers.split("~")):
            chat.is_same = partial(_is_same_chat, numbers, chat.title)
        for number, draft in sorted(drafts, key=lambda entry: int(str(entry[1].stamp))):
            draft.label = draft.label or phone.name(number)
            chat.drafts.append(draft)
        yield from assemble(chat, source)


def _elements(source: Source, phone: _Phone) -> Iterator["Element"]:
    """The messages of a backup, one by one. Where the XML breaks, the rest is reported as left out."""
    from xml.etree.ElementTree import ParseError, TreeBuilder

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser, iterparse

    good = False
    parser = DefusedXMLParser(target=TreeBuilder(), encoding="utf-8", forbid_dtd=True)  # whatever the file declares
    try:
        for _, element in iterparse(_Repaired(source, phone), events=("end",), parser=parser):
            if element.tag in ("sms", "mms"):
                good = True
                yield element
                element.clear()
    except DefusedXmlException as error:
        raise source.error("it declares entities, as no such backup does", "back the messages up again") from error
    except ParseError as error:
        line = error.position[0]
        if not good:
            raise source.error(f"broken XML: {error.msg}", "back the messages up again", line=line) from error
        source.problem(f"broken XML: {error.msg}; what stands behind it is left out", line)


class _Repaired:
    """The text of a source as a file, with invalid character references repaired."""

    def __init__(self, source: Source, phone: _Phone) -> None:
        self._lines = source.raw_lines()
        self._phone = phone

    def read(self, size: int = -1) -> bytes:
        """The next line, whatever `size` is; b"" at the end."""
        self._phone.line, line = next(self._lines, (self._phone.line, ""))
        return _REFERENCE.sub(_known, _PAIR.sub(_joined, line)).encode("utf-8", "replace")


def _joined(pair: re.Match[str]) -> str:
    high, low = int(pair[1]), int(pair[2])
    if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
        return "\ufffd"
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _known(reference: re.Match[str]) -> str:
    """`reference` unchanged, or the replacement character if XML does not allow its character."""
    number = int("0" + reference[1], 16) if reference[1].startswith("x") else int(reference[1])
    fine = number in (9, 10, 13) or 0x20 <= number < 0xD800 or 0xE000 <= number < 0xFFFE or 0x10000 <= number < 0x110000
    return reference[0] if fine else "\ufffd"


def _number(text: str | None) -> str:
    return _SPACES.sub("", text or "")


def _add_sms(element: "Element", phone: _Phone, source: Source) -> None:
    number = _number(element.get("address"))
    if (name := element.get("contact_name", "")) not in _NOBODY:
        phone.names[number] = name
    _add(element.get("type", ""), number, number, element, element.get("body") or "", phone, source)


def _add_mms(element: "Element", phone: _Phone, source: Source) -> None:
    numbers = [_number(address) for address in (element.get("address") or "").split("~")]
    name = element.get("contact_name", "")
    if _NOBODY.isdisjoint(name.split(", ")):
        (phone.names if len(numbers) == 1 else phone.groups)["~".join(sorted(numbers))] = name
    senders = [_number(address.get("address")) for address in element.iter("addr") if address.get("type") == _FROM]
    sender = next((number for number in senders if number not in _NOBODY), numbers[0] if len(numbers) == 1 else "")
    texts = (part.get("text") or "" for part in element.iter("part") if part.get("ct") == "text/plain")
    text = "\n".join(text for text in texts if text not in _NOBODY)
    _add(element.get("msg_box", ""), "~".join(sorted(numbers)), sender, element, text, phone, source)


def _add(kind: str, chat: str, sender: str, element: "Element", text: str, phone: _Phone, source: Source) -> None:
    stamp = element.get("date", "")
    if kind not in (_RECEIVED, _SENT):
        source.skip(UNSENT)
    elif not stamp.isdecimal() or chat in _NOBODY or (kind == _RECEIVED and sender in _NOBODY):
        source.problem(f"not a message: it has no {'date' if not stamp.isdecimal() else 'number'}", phone.line)
    else:
        mine = kind == _SENT
        draft = MessageDraft(
            "me" if mine else "", "" if text in _NOBODY else text, int(stamp), Role.USER if mine else None
        )
        draft.line = phone.line
        phone.chats.setdefault(chat, []).append((sender, draft))


FORMAT = Format(
    "sms",
    "SMS Backup & Restore's XML, with SMS and MMS",
    "on Android, with SMS Backup & Restore: back up messages; name the sms-….xml",
    frozenset({".xml"}),
    _matches,
    _read,
)
