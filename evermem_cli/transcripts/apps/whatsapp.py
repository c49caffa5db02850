"""WhatsApp's exported chats: `[14/02/2026, 10:04:22] Ann: hi` from iPhones, `2/14/26, 10:04 AM - Ann: hi` from Android.

The form of heads, the order of dates and the app's own notices depend on the phone's language and are undocumented. The
variants here are those of tests/golden/whatsapp-* and of the chats in starkdmi/whats_json. iPhones mark notices
with U+200E.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evermem_cli.memory import Transcript
from evermem_cli.transcripts.apps.date_order import WORDS, infer, read_day
from evermem_cli.transcripts.assemble import APP, NO_TIME, Chat, MessageDraft, assemble
from evermem_cli.transcripts.cleaning import clean
from evermem_cli.transcripts.options import DateOrder
from evermem_cli.transcripts.source import Format, Source

MARK = "\u200e"  # LEFT-TO-RIGHT MARK

# Names of the halves of a day from CLDR, which phones use.
_AM = (
    """
    am|a.m.|a. m.|上午|午前|오전|凌晨|清晨|早上|半夜|ص|ق.ظ.|قبل‌ازظهر|π.μ.|πμ|öö|sa|pg|de.|पूर्वाह्न|ਪੂ.ਦੁ.
    ก่อนเที่ยง|לפנה״צ|e paradites|paradite|p.d.|dop.|dopoldne|fm|förmiddag|ap.|vm.|vorm.|priešpiet|priekšp.
    prije podne|пре подне|прије подне|пр.об.|претпл.|дп|to
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)
_PM = (
    """
    pm|p.m.|p. m.|下午|午後|오후|中午|晚上|م|ب.ظ.|بعدازظهر|μ.μ.|μμ|ös|ch|ptg|du.|अपराह्न|ਬਾ.ਦੁ.
    หลังเที่ยง|אחה״צ|e pasdites|pasdite|m.d.|odp.|pop.|popoldne|em|eftermiddag|ip.|nm.|nachm.|popiet|pēcp.
    po podne|по подне|сл.об.|попл.|пп|tk
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)
_HALF = "(?:" + "|".join(map(re.escape, sorted(_AM + _PM, key=len, reverse=True))) + ")"
_BETWEEN = r"(?:[,،]? (?:klo|à|às|um|at|kl\.|u) |[,،] ?| )"  # "klo" is Finnish, "à" French


def _date(place: int) -> str:
    return rf"(?P<date{place}>\d{{1,4}}[-/.年년] ?\d{{1,2}}[-/.月월] ?\d{{1,4}})[.日일]?(?: BE| г\.)?"


def _clock(place: int) -> str:
    digits = rf"(?P<clock{place}>\d{{1,2}}(?:[:.]\d\d){{1,2}})"
    return rf"(?P<before{place}>{_HALF} ?)?{digits}(?: ?(?P<after{place}>{_HALF}))?"


_HEAD = re.compile(
    rf"{MARK}*(?P<open>\[?){MARK}*"
    rf"(?:{_date(1)}{_BETWEEN}{_clock(1)}|{_clock(2)}[,،]? {_date(2)})"
    r"(?P<close>\] ?| ?- |: | )(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# plain text transcripts have such heads too, so these alone do not identify WhatsApp
_PLAIN = re.compile(r"\[?\d{4}([-/.])\d{1,2}\1\d{1,2} \d{1,2}:")

_FILE_NAME = re.compile(
    r"(?:\S*-WA\d{4}\.\w+ \([^()\n]+\)"
    r"|[^\n]+\.\w{2,5} \((?:file attached|Datei angehängt|archivo adjunto|fichier joint|file allegato|arquivo anexado"
    r"|ficheiro anexado|bestand bijgevoegd|файл добавлен|soubor byl přiložen|plik załączony|file terlampir)\))"
    r"(?:\n|\Z)"
)
_ATTACHED = re.compile(rf"{MARK}?<[^<>:\n]{{1,40}}: ?[^<>\n]+\.\w{{2,5}} ?>")  # "<attached: 1-PHOTO.jpg>"
_NOTE = re.compile(rf"\s?{MARK}<[^<>\n]+>\s*\Z")  # "<This message was edited>"
_EDITED = re.compile(r" <(?:This message was edited|Diese Nachricht wurde bearbeitet|Se editó este mensaje)\.?>\s*\Z")
_OMITTED = re.compile(r"<(?=[^<>]*(?: |[^\x00-\x7f]))[^<>\n]{2,60}>")  # "<Media omitted>", not "<grin>"
# "POLL:", the question, and lines as "OPTION: Pizza (2 votes)", in the language of the phone; marks are left out.
_VOTES = re.compile(r"[(（][^()（）\n]*\d[^()（）\n]*[)）]\s*\Z")
_POLL = re.compile(
    r"[^\n:：]{1,30}[:：] ?\n(?P<question>.+?)"
    r"(?P<options>\n(?P<label>[^\n:：]{1,30}[:：])[^\n]*[)）](?:\n(?P=label)[^\n]*[)）])*)\s*",
    re.DOTALL,
)
_PLACE = re.compile(
    r"[^\n]{1,200}https?://(?:maps\.|(?:www\.)?google\.\w+/maps|goo\.gl/maps|(?:\w+\.)?foursquare\.)\S+"
)
_QUOTE = re.compile('["“”„«»「『]')

# Android's text for deleted messages and messages that can be viewed once.
_GONE = frozenset(
    """
    null|This message was deleted|You deleted this message
    Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht
    Se eliminó este mensaje|Eliminaste este mensaje|Ce message a été supprimé|Vous avez supprimé ce message
    Questo messaggio è stato eliminato|Hai eliminato questo messaggio|Mensagem apagada|Você apagou esta mensagem
    Dit bericht is verwijderd|U hebt dit bericht verwijderd|Данное сообщение удалено|Вы удалили данное сообщение
    Bu mesaj silindi|Bu mesajı sildiniz|Pesan ini telah dihapus|Anda telah menghapus pesan ini
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)


class _Head(NamedTuple):
    """The head of a message, as written. `speaker` is "" for an event. All heads of a file have the same `shape`."""

    date: str
    clock: str
    half: str
    speaker: str
    text: str
    shape: tuple[bool, str, bool]


@dataclass(slots=True)
class _WhatsAppEntry:
    """The lines below one head."""

    line: int
    head: _Head
    lines: list[str] = field(default_factory=list)


def _matches(source: Source) -> bool:
    if source.is_json:
        return False
    first, *_ = sample = [line.strip() for line in source.sample]
    heads = [head for line in sample if (head := _head(line))]
    if not any(head.speaker for head in heads) or (len(heads) == 1 and not _HEAD.match(first)):
        return False
    if not _PLAIN.match(next(filter(_HEAD.match, sample))):
        return True
    return not heads[0].speaker or any(_OMITTED.fullmatch(head.text) for head in heads)


def _read(source: Source) -> Iterator[Transcript]:
    """The conversation, without notices of the app about joins or omitted media."""
    entries = _entries(source)
    names = Counter(entry.head.speaker for entry in entries)
    spoken = [entry for entry in entries if not _is_event(entry.head.speaker, names)]
    source.skip(APP, len(entries) - len(spoken))
    if not spoken:
        return
    order = source.options.date_order or _order([entry.head.date for entry in spoken], source)
    chat = Chat("whatsapp", title=_title(source))
    if not (source.options.date_order or re.match(r"\d{4}", spoken[0].head.date)):
        chat.guesses.append(f"dates are {WORDS[order]} (--date-order)")
    for entry in spoken:
        text = "\n".join([entry.head.text, *entry.lines])
        draft = MessageDraft(entry.head.speaker, _said(text), _stamp(entry, order, source), line=entry.line)
        draft.is_edited = _unmarked(text) != text
        chat.drafts.append(draft)
    yield from assemble(chat, source)


def _title(source: Source) -> str:
    """The chat's name. iPhones call every file `_chat.txt`; the zip or folder around it has the name."""
    place = source.path.parent.stem if source.path and source.path.name == "_chat.txt" else ""
    return place if "WhatsApp" in place else ""


def _entries(source: Source) -> list[_WhatsAppEntry]:
    """All heads of the file's own shape with their lines. Heads of another shape are quoted within messages."""
    lines = [clean(line.rstrip("\n"), keep=MARK) for _, line in source.raw_lines()]
    heads = [_head(line) for line in lines]
    shapes = Counter(head.shape for head in heads if head)
    if not shapes:
        return []
    shape = shapes.most_common(1)[0][0]
    entries: list[_WhatsAppEntry] = []
    above = []
    for number, (line, head) in enumerate(zip(lines, heads, strict=True), 1):
        if head and head.shape == shape:
            entries.append(_WhatsAppEntry(number, head))
        elif entries:
            entries[-1].lines.append(line)
        elif line.strip():
            above.append(number)
    if above:
        source.problem(f"{len(above)} lines above the first message have no head and are left out", above[0])
    return entries


def _head(line: str) -> _Head | None:
    match = _HEAD.match(line)
    if not match:
        return None
    time_first = match["date1"] is None
    part = "2" if time_first else "1"
    half = (match["before" + part] or match["after" + part] or "").strip().casefold()
    name, colon, text = match["rest"].partition(": ")
    if not colon and name.rstrip().endswith(":"):
        name, colon = name.rstrip()[:-1], ":"
    speaker = clean(name).strip().removeprefix("~").strip() if colon else ""
    shape = (bool(match["open"]), match["close"].strip(), time_first)
    return _Head(match["date" + part], match["clock" + part], half, speaker, text if speaker else match["rest"], shape)


def _is_event(speaker: str, names: Counter[str]) -> bool:
    """Whether the line is the app's notice: it has no name, or only seems to have one, as a subject with a colon."""
    return not speaker or (names[speaker] == 1 and _QUOTE.search(speaker) is not None)


def _order(dates: Sequence[str], source: Source) -> DateOrder:
    orders = infer(dates)
    if len(orders) == 1:
        return orders[0]
    reason = f"may be {' or '.join(WORDS[order] for order in orders)}" if orders else "is in no known order"
    message = f"the date {dates[0]} {reason}, and the others do not tell"
    raise source.error(message, "say it with --date-order dmy|mdy|ymd")


def _stamp(entry: _WhatsAppEntry, order: DateOrder, source: Source) -> str | None:
    """The time in ISO 8601 without a zone; None if no such time exists, which is reported."""
    head = entry.head
    day = read_day(head.date, order)
    hour, minute, second = [*map(int, re.split("[:.]", head.clock)), 0][:3]
    if head.half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if head.half in _PM else 0)
    if day is None or hour > 23 or max(minute, second) > 59:
        written = f"{head.date} {head.clock}"
        source.problem(f"no such time: {written}; {NO_TIME}", entry.line)
        return None
    return f"{day}T{hour:02}:{minute:02}:{second:02}"


def _said(text: str) -> str:
    """The person's own words in a message; "" where the app wrote everything, for media or a deleted message.

    A poll and the place on a map that somebody shares are words of that person.
    """
    text = _FILE_NAME.sub("", _ATTACHED.sub("", text), count=1) if _FILE_NAME.match(text) else _ATTACHED.sub("", text)
    text = _unmarked(text).strip()
    plain = text.replace(MARK, "")
    if (poll := _POLL.fullmatch(plain)) and (MARK in text or poll["label"].isupper()):
        return _asked(poll)
    if _PLACE.fullmatch(plain):
        return plain
    app_wrote = text.startswith(MARK) or _OMITTED.fullmatch(text) or text.rstrip(".") in _GONE
    return "" if app_wrote else text


def _unmarked(text: str) -> str:
    """A message without the app's note below it, which says that the message was edited."""
    return _EDITED.sub("", _NOTE.sub("", text))


def _asked(poll: re.Match[str]) -> str:
    """A poll's question and options, without the votes, which differ from export to export."""
    options = (_VOTES.sub("", line.removeprefix(poll["label"])) for line in poll["options"].strip().split("\n"))
    return "\n- ".join([poll["question"].strip(), *map(str.strip, options)])


FORMAT = Format(
    "whatsapp",
    "WhatsApp's exported chat, from Android or an iPhone, in any language",
    "in the chat's menu, or below the contact's name, choose Export chat, Without media; its .zip or .txt is read",
    frozenset({".txt"}),
    _matches,
    _read,
)
