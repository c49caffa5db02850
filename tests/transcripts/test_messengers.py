"""Exports of messengers and captions: each message is read, skipped or reported, whatever is in it."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Turn
from evermem_cli.transcripts import FORMATS, DateOrder, ReadOptions, find, read
from evermem_cli.transcripts.apps.date_order import infer
from evermem_cli.transcripts.source import InputContext, Source


@dataclass
class Account:
    """What became of all that an export holds."""

    turns: list[Turn]
    skipped: int
    problems: list[Problem]

    @property
    def total(self) -> int:
        return len(self.turns) + self.skipped + len(self.problems)

    def knows(self, word: str) -> bool:
        """Whether a word of the export was read."""
        return any(word in turn.text or word in turn.speaker for turn in self.turns)


def account(export: str, form: str, order: DateOrder | None = None, day: date | None = None) -> Account | None:
    """What became of `export`; None if it is refused."""
    findings: list[Finding] = []
    reading = InputContext(ReadOptions(tz=UTC, date_order=order, date=day), findings.append)
    (known,) = (known for known in FORMATS if known.name == form)
    try:
        source = Source(io.BytesIO(export.encode("utf-8", "replace")), None, reading)
        turns = [turn for transcript in known.read(source) for turn in transcript.turns]
    except InputError as error:
        assert error.hint
        return None
    assert all(turn.text.strip() and turn.speaker and turn.sent_at.tzinfo for turn in turns)
    return Account(turns, reading.skipped.total(), [each for each in findings if isinstance(each, Problem)])


# Every value that JSON can hold, under the names that the formats look at.

KEYS = st.sampled_from(
    "id type date date_unixtime from from_id forwarded_from text timestamp content author name nickname isBot "
    "sender_name senderName timestamp_ms share call_duration is_unsent link messages title thread_path".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["message", "Default", "2026-02-14T10:04:22", "1771063462", "9" * 30]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
MESSAGES = st.lists(st.dictionaries(KEYS, VALUES, max_size=7) | VALUES, max_size=6)

ENVELOPES: dict[str, Callable[[list[Any]], Any]] = {
    "telegram": lambda messages: {"name": "A", "type": "private_group", "id": 1, "messages": messages},
    "discord": lambda messages: {
        "guild": {"name": "G"},
        "channel": {"id": "1", "name": "c"},
        "messages": messages,
        "messageCount": len(messages),
    },
    "messenger": lambda messages: {"participants": [], "thread_path": "p", "messages": messages},
}


@pytest.mark.parametrize("form", ENVELOPES)
@given(messages=MESSAGES)
def test_each_json_message_is_read_or_skipped_or_reported(form: str, messages: list[Any]) -> None:
    found = account(json.dumps(ENVELOPES[form](messages)), form)
    assert found is not None
    assert found.total >= len(messages)


@pytest.mark.parametrize("form", ENVELOPES)
@given(document=VALUES, other=VALUES)
def test_any_document_is_read_or_refused(form: str, document: Any, other: Any) -> None:
    account(json.dumps(document), form)
    account(json.dumps(ENVELOPES[form]([other]) | {"guild": document, "messages": document, "type": other}), form)


GOOD: dict[str, Callable[[int, str], dict[str, Any]]] = {
    "telegram": lambda number, text: {
        "id": number,
        "from": "Ann",
        "text": text,
        "date_unixtime": str(1771063462 + number),
    },
    "discord": lambda number, text: {"id": number, "content": text, "author": {"name": "Ann"}},
    "messenger": lambda number, text: {"sender_name": "Ann", "content": text, "timestamp_ms": 1771063462000 - number},
}


@pytest.mark.parametrize("form", ENVELOPES)
@given(texts=st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1), min_size=1))
def test_good_json_messages_are_all_read_in_order(form: str, texts: list[str]) -> None:
    messages = [GOOD[form](number, f"w{number} {text}") for number, text in enumerate(texts)]
    found = account(json.dumps(ENVELOPES[form](messages)), form)
    assert found and not found.problems and not found.skipped
    said = [turn.text.split()[0] for turn in found.turns]
    assert said == [
        f"w{number}" for number in (reversed(range(len(texts))) if form == "messenger" else range(len(texts)))
    ]


def test_one_bad_chat_does_not_lose_a_telegram_account() -> None:
    good = ENVELOPES["telegram"]([GOOD["telegram"](1, "here")])
    found = account(json.dumps({"chats": {"list": [7, good | {"messages": "none"}, good]}}), "telegram")
    assert found and found.knows("here") and len(found.problems) == 2


# WhatsApp

LINES = st.lists(
    st.lists(
        st.sampled_from(
            [
                "14/02/2026, 10:04",
                "2/14/26, 9:58 AM",
                "[14.2.26, 10:04:22]",
                "[10:04, 3/2/26]",
                "99/99/99, 99:99",
                " - ",
                "Ann",
                "Bob",
                ": ",
                ":",
                "\u200e",
                "<Media omitted>",
                "IMG-WA0001.jpg (file attached)",
                "\u202f",
                "~ ",
                '"',
                "null",
                "hi",
                " ",
                "\u200e<attached: 1.jpg>",
                "下午3:21",
                "٢٧/٣/٢٠٢٢، ٩:٥٣ م",
                "[",
                "]",
                "<",
                ">",
            ]
        ),
        max_size=6,
    ).map("".join),
    max_size=10,
)


@given(LINES, st.sampled_from([None, *DateOrder]))
def test_each_line_of_a_whatsapp_chat_is_read_or_skipped_or_reported(lines: list[str], order: DateOrder | None) -> None:
    numbered = [f"{line} w{number}w" for number, line in enumerate(lines)]
    found = account("\n".join(["14/02/2026, 10:04 - Ann: begin", *numbered]), "whatsapp", order)
    if found is None:  # the dates do not tell their order
        assert order is None or not lines
        return
    lost = [number for number in range(len(lines)) if not found.knows(f"w{number}w")]
    assert bool(lost) <= bool(found.skipped or found.problems)


@given(st.lists(st.tuples(st.sampled_from(["Ann", "Bob", "+49 170 1", "小明"]), st.integers(0, 25_000)), min_size=1))
def test_a_whatsapp_chat_is_read_back(turns: list[tuple[str, int]]) -> None:
    minutes = sorted(minute for _, minute in turns)
    moments = [datetime(2024, 1, 13) + timedelta(minutes=minute) for minute in minutes]
    lines = [f"{at:%d/%m/%Y, %H:%M} - {name}: t{at:%d}" for (name, _), at in zip(turns, moments, strict=True)]
    found = account("\n".join(lines), "whatsapp")
    assert found and [turn.sent_at.replace(tzinfo=None) for turn in found.turns] == moments
    assert [turn.speaker for turn in found.turns] == [name for name, _ in turns]


@pytest.mark.parametrize(
    ("written", "orders"),
    [
        (["13/02/2024"], "dmy"),
        (["02/13/2024"], "mdy"),
        (["2024/01/02"], "ymd"),
        (["01/02/2024"], "dmy mdy"),
        (["01/02/2024", "03/02/2024", "04/02/2024"], "dmy mdy"),
        (["05/03/2024", "02/04/2024"], "dmy"),
        (["03/05/2024", "04/02/2024"], "mdy"),
        (["01.02.24"], "dmy"),
        (["18. 6. 13"], "dmy ymd"),
        (["18. 6. 13", "19. 2. 1"], "ymd"),
        (["18. 6. 2018"], "dmy"),
        (["27/3/2565"], "dmy"),
        (["13/02/2024"] * 9 + ["99/99/2024"], "dmy"),
        (["99/99/2024"], ""),
        (["05/03/2024", "04/03/2024", "06/03/2024"], "dmy"),
    ],
)
def test_the_order_of_dates_is_what_they_prove(written: list[str], orders: str) -> None:
    assert " ".join(infer(written)) == orders


def test_dates_that_do_not_tell_their_order_are_refused_in_one_line() -> None:
    stream = io.BytesIO(b"01/02/2024, 10:00 - A: x")
    with pytest.raises(InputError, match="01/02/2024 may be day/month/year or month/day/year") as caught:
        list(read(stream, ReadOptions(tz=UTC), print))
    assert "--date-order" in caught.value.hint


# iMessage

BLOCKS = st.lists(
    st.sampled_from(
        [
            "Feb 14, 2026 10:04:22 AM",
            "Feb 14, 2026  1:04:22 PM (Read by you after 3 minutes)",
            "Me",
            "Ann",
            "",
            "hi",
            "    Feb 14, 2026 10:04:22 AM",
            "    Ann",
            "    hi",
            "This message responded to an earlier message.",
            "Reactions:",
            "Loved by Ann",
            "Feb 14, 2026 10:05:00 AM You named it",
            "Feb 99, 2026 10:05:00 AM",
            "Edited 5 seconds later: hey",
            "/Users/k/Library/Messages/Attachments/1.heic",
            "Sent with Slam",
        ]
    ),
    max_size=14,
)


@given(BLOCKS)
def test_each_message_of_imessage_is_read_or_skipped_or_reported(lines: list[str]) -> None:
    found = account("\n".join(["Feb 14, 2026 10:00:00 AM", "Ann", "begin", "", *lines]), "imessage")
    assert found and found.knows("begin")


@given(st.lists(st.text(st.sampled_from("ab \n"), min_size=1).map(str.strip).filter(bool), min_size=1))
def test_messages_of_imessage_are_read_back(texts: list[str]) -> None:
    export = "".join(f"Feb 14, 2026  1:04:{n % 60:02} PM\nAnn\n{text}\n\n" for n, text in enumerate(texts))
    found = account(export, "imessage")
    assert found and not found.problems
    assert [turn.text for turn in found.turns] == ["\n".join(map(str.rstrip, text.split("\n"))) for text in texts]


# Captions

CUES = st.lists(
    st.sampled_from(
        [
            "00:00:02.656 --> 00:00:05.230",
            "00:00:02,656 --> 00:00:05,230",
            "00:05.9 --> 00:07.0 align:start",
            "-->",
            "7",
            "00:99:00.000 --> 00:99:01.000",
            "99999999999:00:00.000 --> 99999999999:00:01.000",
            "NOTE x",
            "STYLE",
            "",
            "",
            "<v Ann>hi</v>",
            "<v Bob>yes <b>now",
            "Ann: hello",
            "- no",
            "<3",
            "&amp;",
            "<v",
            "{\\an8}x",
        ]
    ),
    max_size=16,
)


@pytest.mark.parametrize("form", ["vtt", "srt"])
@given(lines=CUES)
def test_any_captions_are_read_or_refused(form: str, lines: list[str]) -> None:
    account("\n".join(["WEBVTT", "", *lines]), form)
    account("\n".join(lines), form)


@pytest.mark.parametrize("form", ["vtt", "srt"])
@given(texts=st.lists(st.text(st.sampled_from("abcd :-"), max_size=9), min_size=1))
def test_each_word_of_captions_is_read(form: str, texts: list[str]) -> None:
    point = "." if form == "vtt" else ","
    cues = [
        f"{n}\n00:{n:02}:00{point}000 --> 00:{n:02}:01{point}000\nw{n}w {text}\n" for n, text in enumerate(texts[:60])
    ]
    found = account(("WEBVTT\n\n" if form == "vtt" else "") + "\n".join(cues), form, day=date(2026, 2, 14))
    assert found and not found.problems
    assert all(found.knows(f"w{n}w") for n in range(len(cues)))
    assert [turn.sent_at.minute for turn in found.turns] == list(range(len(cues)))


def test_lines_of_captions_that_cannot_be_read_are_counted() -> None:
    export = "WEBVTT\n\n00:01.000 --> 00:02.000\nhere\n\n00:99.000 --> 00:99.500\nlost\n\nlonely\n"
    found = account(export, "vtt")
    assert found and found.knows("here")
    assert [(problem.line, problem.reason[-2:]) for problem in found.problems] == [(7, " 2")]


def test_words_in_the_header_of_captions_are_not_lost_silently() -> None:
    export = "WEBVTT\nKind: captions\nlost words\n00:01.000 --> 00:02.000\nhere\n"
    found = account(export, "vtt")
    assert found and found.knows("here")
    assert [problem.line for problem in found.problems] == [3]


def test_words_beside_the_time_of_a_caption_are_not_lost_silently() -> None:
    export = "1\n00:00:01,000 --> 00:00:02,000 X1:40 Y1:20\nhere\n\n2\n00:00:03,000 --> 00:00:04,000Ann: lost\nthere\n"
    found = account(export, "srt")
    assert found and found.knows("here") and found.knows("there")
    assert [problem.line for problem in found.problems] == [6]


@pytest.mark.parametrize("form, line", [("srt", "Ann: lost"), ("srt", "lost"), ("vtt", "Ann: lost")])
def test_words_above_the_time_of_a_caption_are_not_lost_silently(form: str, line: str) -> None:
    head = "WEBVTT\n\n" if form == "vtt" else ""
    export = f"{head}00:00:01.000 --> 00:00:02.000\nhere\n\n{line}\n00:00:03.000 --> 00:00:04.000\nthere\n"
    found = account(export, form)
    assert found and found.knows("here") and found.knows("there")
    assert found.problems or found.knows("lost")


@pytest.mark.parametrize("line", ["00:0../x0:06,000 --> 00:00:07,000Ann: lost", "a-->nd a line below a gap"])
def test_a_line_with_an_arrow_that_is_no_time_is_not_lost_silently(line: str) -> None:
    found = account(f"1\n00:00:01,000 --> 00:00:02,000\nhere\n\n{line}\n", "srt")
    assert found and found.knows("here")
    assert [problem.line for problem in found.problems] == [5]


DAMAGED = (
    "00:00:02{p}000 -> 00:00:03{p}500", "00:00:02{p}000 — 00:00:03{p}500", "00:00:02{p}000 -->", "-->", "00:00",
    "0O:00:02{p}000 --> 00:00:03{p}500", "00:00:02{p}000 --> 00:00:0xx", "99:99:99{p}999 --> 99:99:99{p}999", "?", None,
)  # fmt: skip
SAID = (("Ann", "We ship on Friday."), ("Bob", "Agreed."), ("Ann", "Who tests?"), ("Bob", "Cy does."), ("Cy", "I do."))


@pytest.mark.parametrize("form", ["vtt", "srt"])
@pytest.mark.parametrize("pattern", ["{name}: {text}", "<v {name}>{text}</v>"])
@pytest.mark.parametrize("gap", [True, False])
@pytest.mark.parametrize("place", range(len(SAID)))
def test_nobody_is_made_to_say_what_stands_below_a_damaged_time(form: str, pattern: str, gap: bool, place: int) -> None:
    for damage in DAMAGED:
        rows = ["WEBVTT", ""] if form == "vtt" else []
        for number, (name, text) in enumerate(SAID):
            time = f"00:00:{number:02}{{p}}000 --> 00:00:{number:02}{{p}}900" if number != place else damage
            rows += [str(number + 1), *([time] if time else []), pattern.format(name=name, text=text)]
            rows += [""] if gap or number + 1 != place else []
        found = account("\n".join(rows).replace("{p}", "." if form == "vtt" else ","), form, day=date(2026, 2, 14))
        assert found and found.problems
        said = [(turn.speaker, text) for turn in found.turns for _, text in SAID if text in turn.text]
        assert set(said) <= {*SAID, *(("Speaker", text) for _, text in SAID)} - {SAID[place]}
        assert len(said) == len(SAID) - 1
        assert not any(mark in turn.text for turn in found.turns for mark in ("->", "00:0", "Bob:", "Ann:"))


def test_a_voice_does_not_go_on_behind_what_could_not_be_read() -> None:
    cues = ("00:01.000 --> 00:02.000\nAnn: One.", "00:02.000 --> 00:03.000\nAnn: Two.", "00:03 -> 00:04\nBob: No.",
            "00:05.000 --> 00:06.000\nnot at all", "00:07.000 --> 00:08.000\nAnn: Three.")  # fmt: skip
    found = account("WEBVTT\n\n" + "\n\n".join(cues), "vtt", day=date(2026, 2, 14))
    assert found
    assert [(turn.speaker, turn.text) for turn in found.turns] == [
        ("Ann", "One. Two."), ("Speaker", "not at all"), ("Ann", "Three."),
    ]  # fmt: skip


def test_the_name_of_a_recording_tells_when_it_began(tmp_path: Path) -> None:
    path = tmp_path / "2026-02-14_10-00-00 call.vtt"
    path.write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nhere\n")
    (transcript,) = read(path, ReadOptions(tz=UTC), print)
    assert transcript.turns[0].sent_at.isoformat() == "2026-02-14T10:00:01+00:00"


# Several files


def facebook(thread: str, *seconds: int) -> str:
    messages = [
        {"sender_name": "Ann", "content": f"at {at}", "timestamp_ms": (1771063400 + at) * 1000} for at in seconds
    ]
    return json.dumps({"participants": [], "title": thread, "thread_path": f"inbox/{thread}", "messages": messages})


def test_all_message_files_of_a_facebook_thread_are_one_conversation(tmp_path: Path) -> None:
    files = {"a/message_1.json": [9, 8], "a/message_2.json": [7, 6], "a/message_10.json": [5], "b/message_1.json": [1]}
    with zipfile.ZipFile(tmp_path / "facebook.zip", "w") as archive:
        for name, seconds in files.items():
            path = tmp_path / "inbox" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(facebook(name[0], *seconds))
            archive.write(path, f"your_activity/messages/inbox/{name}")
    (tmp_path / "inbox/a/message_3.json").write_text("{")
    folders = list(find([tmp_path / "inbox"]))
    assert folders == [tmp_path / "inbox/a", tmp_path / "inbox/b"]
    findings: list[Finding] = []
    found = [each for folder in folders for each in read(folder, ReadOptions(tz=UTC), findings.append)]
    assert len(findings) == 1
    for transcripts in (found, list(read(tmp_path / "facebook.zip", ReadOptions(tz=UTC), print))):
        said = [[turn.text for turn in transcript.turns] for transcript in transcripts]
        assert said == [["at 5", "at 6", "at 7", "at 8", "at 9"], ["at 1"]]
        assert [transcript.key for transcript in transcripts] == ["messenger:inbox/a", "messenger:inbox/b"]


def test_a_whatsapp_zip_is_read_as_it_comes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat - Ann.zip", "w") as archive:
        archive.writestr("_chat.txt", "[14/02/2026, 10:04:22] Ann: hi\n[14/02/2026, 10:04:23] Ann: \u200eimage omitted")
        archive.writestr("00000001-PHOTO-2026.jpg", b"\xff\xd8\xff")
    (transcript,) = read(tmp_path / "WhatsApp Chat - Ann.zip", ReadOptions(tz=UTC), print)
    assert [turn.text for turn in transcript.turns] == ["hi"]


@pytest.mark.parametrize(
    ("shared", "text"),
    [
        (
            "\u200ePOLL:\nPizza or sushi?\n\u200eOPTION: Pizza (\u200e2 votes)\n\u200eOPTION: Raw (fish) (0 votes)",
            "Pizza or sushi?\n- Pizza\n- Raw (fish)",
        ),
        ("POLL:\nWhen?\nOPTION: Now (1 vote)\nOPTION: 9:30 (2 votes)", "When?\n- Now\n- 9:30"),
        ("\u200e投票：\n吃什么？\n\u200e选项：火锅（2 票）", "吃什么？\n- 火锅"),
        ("\u200eUMFRAGE:\nWo?\n\u200eOPTION: Bonn (3 Stimmen)", "Wo?\n- Bonn"),
        ("\u200eLocation: https://maps.google.com/?q=51.0,13.7", "Location: https://maps.google.com/?q=51.0,13.7"),
        ("\u200eStandort: https://maps.google.com/?q=51.0,13.7", "Standort: https://maps.google.com/?q=51.0,13.7"),
        ("\u200eLocation: Zoo (https://foursquare.com/v/4b)", "Location: Zoo (https://foursquare.com/v/4b)"),
        ("Numbers:\nof today\na: 1 (2 km)", "Numbers:\nof today\na: 1 (2 km)"),
    ],
)
def test_polls_and_places_of_whatsapp_are_text(shared: str, text: str) -> None:
    found = account(f"[14/02/2026, 10:04:22] Ann: begin\n[14/02/2026, 10:04:23] Ann: {shared}", "whatsapp")
    assert found and [turn.text for turn in found.turns] == ["begin", text]


def test_numeric_dates_elsewhere_are_read_in_the_order_that_the_user_says() -> None:
    line = json.dumps({"role": "user", "content": "x", "timestamp": "03/06/2024 10:00"})
    told = account(line, "jsonl", DateOrder.DMY)
    assert told and told.turns[0].sent_at == datetime(2024, 6, 3, 10, tzinfo=UTC)
    untold = account(line, "jsonl")
    assert untold and "--date-order" in untold.problems[0].reason


def test_an_account_of_telegram_is_read_chat_by_chat_past_what_is_broken() -> None:
    chat = '{"name": "%s", "type": "personal_chat", "id": %d, "messages": [{"id": 1, "type": "message", %s}]}'
    said = '"date_unixtime": "1771063462", "from": "Ann", "from_id": "user1", "text": "%s"'
    chats = [chat % ("a", 1, said % "one\\x0B"), chat % ("b", 2, '"text": }'), chat % ("c", 3, said % "three")]
    contacts = '"contacts": {"about": "", "list": [{"name": "no chat"}]}'
    export = f'{{"about": "Here is {{it}}", {contacts}, "chats": {{"about": "", "list": [{", ".join(chats)}]}}}}'
    found = account(export, "telegram")
    assert found and [turn.text for turn in found.turns] == ["one", "three"]
    assert len(found.problems) == 1
    cut = account(export[: export.index("three")], "telegram")
    assert cut and [turn.text for turn in cut.turns] == ["one"] and cut.problems
    assert cut.problems[-1].reason.endswith("nothing behind it is read")


@pytest.mark.parametrize("odd", ["\ufeff", "\x00", "\x07", "\x0b", "\x9f"])
def test_a_control_character_between_the_values_of_an_account_loses_nothing(odd: str) -> None:
    chat = '{"name": "%s", "type": "personal_chat", "id": 1, "messages"%s: [{"id": 1, "type": "message", %s}]}'
    said = '"date_unixtime": "1771063462", "from": "Ann", "from_id": "user1", "text": "%s"'
    chats = [chat % ("a", "", said % "one"), chat % ("b", odd, said % "two"), chat % ("c", "", said % "three")]
    found = account(f'{{"chats": {{"list": [{", ".join(chats)}]}}}}', "telegram")
    assert found and [turn.text for turn in found.turns] == ["one", "two", "three"]
    assert not found.problems


def test_what_stands_above_a_translation_is_not_left_out_with_it() -> None:
    head, own = "May 17, 2026  5:36:00 PM\nAnn\n", "said before\n\nMay 17, 2O26 5:37:00 PM\nAnn\n"
    translated = "Oh, il a traduit !\nTranslated from:\nOh it translated!\n"
    plain, damaged = account(head + translated, "imessage"), account(head + own + translated, "imessage")
    assert plain and [turn.text for turn in plain.turns] == ["Oh it translated!"]
    assert damaged and damaged.knows("said before") and damaged.knows("Oh it translated!")
