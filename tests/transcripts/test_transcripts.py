"""Chat exports are read faithfully, in every format, and what cannot be read is told, never dropped or fatal."""

import errno
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.config import zone
from evermem_cli.errors import InputError, UsageError
from evermem_cli.memory import ChatKind, Finding, Problem, Role, Skipped, TimeSource, Transcript
from evermem_cli.transcripts import FORMATS, ReadOptions, Skip, find, read

BERLIN = ZoneInfo("Europe/Berlin")
ONE_DAY = date(2024, 3, 6)


@dataclass
class Reading:
    """What came of reading one input."""

    transcripts: list[Transcript]
    findings: list[Finding] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """What could not be used."""
        return [finding for finding in self.findings if isinstance(finding, Problem)]

    @property
    def said(self) -> list[tuple[str, str]]:
        """Speaker and text of all turns."""
        return [(turn.speaker, turn.text) for transcript in self.transcripts for turn in transcript.turns]

    @property
    def times(self) -> list[str]:
        """When each turn was sent, on its own clock."""
        return [
            turn.sent_at.isoformat(" ", "minutes")
            for transcript in self.transcripts
            for turn in transcript.turns
            if turn.sent_at
        ]

    @property
    def only(self) -> Transcript:
        """The one transcript."""
        (transcript,) = self.transcripts
        return transcript


def reading(
    source: str | bytes | Path,
    *,
    tz: tzinfo = UTC,
    form: str | None = None,
    day: date | None = None,
    me: str = "",
) -> Reading:
    data = source.encode() if isinstance(source, str) else source
    findings: list[Finding] = []
    options = ReadOptions(format=form, tz=tz, date=day, me=me)
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    return Reading(list(read(stream, options, findings.append)), findings)


def refusal(source: str | bytes | Path, form: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        reading(source, form=form)
    assert caught.value.hint
    return caught.value


def evermemos(messages: list[Any], **meta: Any) -> str:
    return json.dumps({"version": "1.0.0", "session_meta": meta, "conversation_list": messages}, indent=1)


# EverMemOS


def test_an_evermemos_chat_has_full_names_roles_ids_and_its_group_as_key() -> None:
    found = reading(
        evermemos(
            [
                {
                    "message_id": "m1",
                    "create_time": "2025-06-26T00:00:00Z",
                    "sender": "u1",
                    "sender_name": "user",
                    "content": "Hi",
                },
                {
                    "message_id": "m2",
                    "create_time": "2025-06-26T00:00:30Z",
                    "sender": "r1",
                    "sender_name": "assistant",
                    "content": "Hello",
                },
            ],
            scene="solo",
            name="Health",
            group_id="g1",
            user_details={"u1": {"full_name": "Kim", "role": "user"}, "r1": {"full_name": "Robo", "role": "assistant"}},
        )
    ).only
    assert (found.format, found.kind, found.key, found.title) == ("evermemos", ChatKind.ASSISTANT, "g1", "Health")
    assert [(turn.speaker, turn.role, turn.external_id) for turn in found.turns] == [
        ("Kim", Role.USER, "m1"),
        ("Robo", Role.ASSISTANT, "m2"),
    ]
    assert {turn.time_source for turn in found.turns} == {TimeSource.EXPLICIT}


def test_an_evermemos_team_is_a_group_of_participants_even_though_each_has_the_role_user() -> None:
    details = {name: {"full_name": name.title(), "role": "user"} for name in ("ann", "bob")}
    messages = [{"sender": name, "sender_name": name, "content": "x"} for name in ("ann", "bob")]
    found = reading(evermemos(messages, scene="team", user_details=details)).only
    assert found.kind is ChatKind.GROUP
    assert [(turn.speaker, turn.role) for turn in found.turns] == [
        ("Ann", Role.PARTICIPANT),
        ("Bob", Role.PARTICIPANT),
    ]


def test_naive_times_are_in_the_zone_that_an_evermemos_file_names() -> None:
    messages = [{"sender": "a", "content": "x", "create_time": "2024-01-01T08:00:00"}]
    assert reading(evermemos(messages, default_timezone="Asia/Shanghai")).times == ["2024-01-01 08:00+08:00"]


def test_an_unknown_zone_in_a_file_is_reported_and_the_user_s_own_is_taken() -> None:
    messages = [{"sender": "a", "content": "x", "create_time": "2024-01-01T08:00:00"}]
    found = reading(evermemos(messages, default_timezone="Mars/Base"), tz=BERLIN)
    assert found.times == ["2024-01-01 08:00+01:00"]
    assert "Mars/Base" in found.problems[0].reason


def test_a_bad_evermemos_message_is_reported_and_the_others_are_read() -> None:
    found = reading(
        evermemos([{"sender": "a", "content": "x"}, 5, {"content": "whose?"}, {"sender": "b", "content": 1}])
    )
    assert found.said == [("a", "x")]
    assert [problem.reason[:9] for problem in found.problems] == ["message 2", "message 3", "message 4"]


# JSON lines


def lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_json_lines_are_grouped_by_conversation_even_where_they_alternate() -> None:
    found = reading(
        lines(
            {"role": "user", "content": "a1", "conversation_id": "a", "id": 1},
            {"role": "user", "content": "b1", "session_id": "b"},
            {"role": "assistant", "content": [{"type": "text", "text": "a2"}, "!"], "conversation_id": "a"},
        ),
        me="Kim",
    )
    assert [(chat.key, chat.kind) for chat in found.transcripts] == [
        ("a", ChatKind.ASSISTANT),
        ("b", ChatKind.ASSISTANT),
    ]
    assert found.said == [("Kim", "a1"), ("Assistant", "a2\n!"), ("Kim", "b1")]
    assert found.transcripts[0].turns[0].external_id == "1"
    assert [turn.line for turn in found.transcripts[0].turns] == [1, 3]


def test_a_line_may_hold_a_whole_conversation_and_sharegpt_is_one() -> None:
    found = reading(
        lines(
            {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}], "title": "T"},
            {"id": "s1", "conversations": [{"from": "human", "value": "s"}, {"from": "gpt", "value": "t"}]},
        )
    )
    assert [chat.key for chat in found.transcripts] == [None, "s1"]
    assert found.said == [("User", "q"), ("Assistant", "r"), ("User", "s"), ("Assistant", "t")]


def test_conversations_come_before_the_whole_stream_is_read() -> None:
    stream = io.BytesIO(lines(*[{"messages": [{"role": "user", "content": "x" * 1000}]}] * 1000).encode())
    first = next(read(stream, ReadOptions(tz=UTC), print))
    assert first.turns[0].text == "x" * 1000
    assert stream.tell() < 200_000


def test_a_message_log_is_not_held_in_memory_to_its_end() -> None:
    records = [{"role": "user", "content": "x" * 90, "thread_id": number // 10_000} for number in range(40_000)]
    stream = io.BytesIO(lines(*records).encode())
    first = next(read(stream, ReadOptions(tz=UTC), print))
    assert (first.key, len(first.turns)) == ("0", 10_000)
    assert stream.tell() < stream.getbuffer().nbytes * 0.6


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"speaker": "Ann", "text": "x"}, ("Ann", "x")),
        ({"name": None, "author": {"name": "Ann"}, "message": "x"}, ("Ann", "x")),
        ({"from": "Ann", "body": "x"}, ("Ann", "x")),
        ({"sender": "u1", "sender_name": "Ann", "content": "x"}, ("Ann", "x")),
        ({"role": "user", "name": "Ann", "content": "x"}, ("Ann", "x")),
        ({"role": "model", "parts": [{"text": "x"}]}, ("Assistant", "x")),
        ({"sender": "human", "text": "x"}, ("User", "x")),
        ({"role": "user", "content": [{"type": "image_url"}, {"type": "text", "text": "x"}]}, ("User", "[image]\nx")),
    ],
)
def test_synonyms_and_blocks_of_json_messages(record: dict[str, Any], said: tuple[str, str]) -> None:
    assert reading(json.dumps([record])).said == [said]
    assert reading(lines(record, record)).said == [said, said]


def test_two_people_with_the_role_user_are_a_group() -> None:
    found = reading(
        lines({"role": "user", "name": "Ann", "content": "a"}, {"role": "user", "name": "Bob", "content": "b"})
    )
    assert found.only.kind is ChatKind.GROUP


def test_system_and_tool_messages_and_calls_without_text_are_no_conversation() -> None:
    found = reading(
        lines(
            {"role": "system", "content": "You are kind"},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [1]},
            {"role": "tool", "content": {"any": "thing"}},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]},
        )
    )
    assert found.said == [("User", "hi"), ("Assistant", "yes")]
    assert found.problems == []
    assert "1 of the system" in str(refusal(lines({"role": "system", "content": "alone"})))


def test_broken_lines_are_reported_with_their_number() -> None:
    good = lines({"role": "user", "content": "x"})
    found = reading(
        good + "{broken\n\n" + '\0\0{"role":"user","content":"after a crash"}\n' + '"text"\n{"a":1}\n' + good * 9
    )
    assert len(found.said) == 11
    assert [problem.line for problem in found.problems] == [2, 5, 6]


@pytest.mark.parametrize(
    ("stamp", "time", "source"),
    [
        ("2026-02-14T10:04:22+01:00", "2026-02-14 10:04+01:00", TimeSource.EXPLICIT),
        ("2026-02-14T10:04:22Z", "2026-02-14 10:04+00:00", TimeSource.EXPLICIT),
        (1771063470, "2026-02-14 11:04+01:00", TimeSource.EXPLICIT),
        (1771063470.5, "2026-02-14 11:04+01:00", TimeSource.EXPLICIT),
        (1771063470123, "2026-02-14 11:04+01:00", TimeSource.EXPLICIT),
        ("1771063470123456", "2026-02-14 11:04+01:00", TimeSource.EXPLICIT),
        ("2026-02-14 10:04", "2026-02-14 10:04+01:00", TimeSource.ASSUMED),
        ("2026/2/14 10:04 pm", "2026-02-14 22:04+01:00", TimeSource.ASSUMED),
        ("2026-07-14", "2026-07-14 00:00+02:00", TimeSource.UNKNOWN),
        ("20260714", "2026-07-14 00:00+02:00", TimeSource.UNKNOWN),
        ("10:04", "2024-03-06 10:04+01:00", TimeSource.UNKNOWN),
        ("1:56 pm on 8 May, 2023", "2023-05-08 13:56+02:00", TimeSource.ASSUMED),
        ("2023/05/20 (Sat) 02:21", "2023-05-20 02:21+02:00", TimeSource.ASSUMED),
        ("Sat, 14 Feb 2026 10:04:22 GMT", "2026-02-14 10:04+00:00", TimeSource.EXPLICIT),
    ],
)
def test_times_in_json(stamp: str | float, time: str, source: TimeSource) -> None:
    found = reading(json.dumps([{"role": "user", "content": "x", "timestamp": stamp}]), tz=BERLIN, day=ONE_DAY)
    assert (found.times, found.only.turns[0].time_source, found.problems) == ([time], source, [])


@pytest.mark.parametrize(
    "stamp",
    [
        "2024-02-30T10:00",
        "03/06/2024 10:00",
        "May 2024",
        "soon",
        "10:75",
        5,
        1e300,
        True,
        [1],
        "9999-12-31T23:59Z",
        "14 Feb 2026 10:04 +9959",
        "14 Feb 2026 " + "9" * 40 + ".5h",
    ],
)
def test_a_date_that_means_nothing_is_reported_and_the_message_is_as_old_as_the_one_before(stamp: object) -> None:
    found = reading(
        lines(
            {"role": "user", "content": "a", "ts": "2024-02-29T10:00Z"},
            {"role": "user", "content": "b", "ts": stamp},
            {"role": "user", "content": "c"},
        )
    )
    assert found.times == ["2024-02-29 10:00+00:00"] * 3
    assert [turn.time_source for turn in found.only.turns] == [TimeSource.EXPLICIT, *[TimeSource.UNKNOWN] * 2]
    assert [problem.line for problem in found.problems] == [2]


# Plain text


@pytest.mark.parametrize(
    "text",
    [
        "[2024-03-06 09:14] Ann: hi\n[2024-03-06 09:15] Bob: http://x.y\nand 12:30: lunch",
        "2024-03-06 09:14 - Ann: hi\r\n2024-03-06 09:15 - Bob: http://x.y\r\nand 12:30: lunch\r\n",
        "[09:14] Ann: hi\n[09:15] Bob: http://x.y\nand 12:30: lunch\n",
        "[9:14 AM] Ann: hi\n[9:15 am] Bob: http://x.y\nand 12:30: lunch\n",
        "2024/3/6 09:14 Ann: hi\n\ufeff\u200e2024/3/6 09:15 Bob:\u202fhttp://x.y\nand 12:30: lunch",
        "Ann [09:14]: hi\nBob (09:15): http://x.y\nand 12:30: lunch",
    ],
)
def test_heads_with_times_in_plain_text(text: str) -> None:
    found = reading(text, tz=BERLIN, day=ONE_DAY)
    assert found.said == [("Ann", "hi"), ("Bob", "http://x.y\nand 12:30: lunch")]
    assert found.times == ["2024-03-06 09:14+01:00", "2024-03-06 09:15+01:00"]
    assert (found.only.format, found.only.kind, found.problems) == ("text", ChatKind.GROUP, [])


def test_a_zone_in_a_plain_head_is_kept() -> None:
    found = reading("[2024-03-06 09:14+05:30] Ann: hi\n[2024-03-06T09:15Z] Bob: ho").only
    assert [str(turn.sent_at) for turn in found.turns] == ["2024-03-06 09:14:00+05:30", "2024-03-06 09:15:00+00:00"]
    assert {turn.time_source for turn in found.turns} == {TimeSource.EXPLICIT}


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        ("Alice: hi\nBob: hey", ["Alice", "Bob"]),
        ("小明：你好\n小红：在吗", ["小明", "小红"]),
        ("Dr. O'Neil (ward 3): hi\nप्रिया: hey", ["Dr. O'Neil (ward 3)", "प्रिया"]),
        ("You: hi\nChatGPT: hey", ["User", "ChatGPT"]),
        ("User:\nhi\n\nAssistant:\nhey", ["User", "Assistant"]),
        ("User: only a question", ["User"]),
        ("A: one\nB: two\nA: three\nNote: four\nhttps://x.y\n12:30: five\nCarol: six", ["A", "B", "A", "Carol"]),
        ("User: q\nAssistant: r\nPros: s\nPros: t\nUser: u", ["User", "Assistant", "User"]),
        ("[10:04] Ann: log\nERROR: x\nERROR: y\n[10:05] Bob: ok", ["Ann", "Bob"]),
        ("+49 170 1234: hi\n", None),
        ("A plain note.\nIt says: nothing\nof anyone.", None),
        ("Alice: one line is no chat", None),
        ("Agenda: a\nAgenda: b", None),
    ],
)
def test_who_is_a_speaker_in_plain_text(text: str, speakers: list[str] | None) -> None:
    if speakers is None:
        assert "--format text" in refusal(text).hint
    else:
        assert [speaker for speaker, _ in reading(text).said] == speakers


@pytest.mark.parametrize(
    ("label", "role"),
    [
        ("Gemma", Role.PARTICIPANT),
        ("Gemma 3", Role.ASSISTANT),
        ("gemma-2-9b", Role.ASSISTANT),
        ("gemma2", Role.ASSISTANT),
    ],
)
def test_a_model_that_has_the_name_of_people_is_known_by_its_number(label: str, role: Role) -> None:
    chat = reading(
        f"[2025-03-01 09:00] Eilidh: happy new year\n[2025-03-01 09:01] {label}: you too\n", me="Eilidh"
    ).only
    assert [turn.role for turn in chat.turns if turn.speaker == label] == [role]


def test_a_text_without_speakers_is_one_note_of_the_user_if_asked_for() -> None:
    found = reading("---\ndate: 2024-03-06\n---\nBought a bike.\nBlue.", form="text", me="Kim")
    assert found.said == [("Kim", "Bought a bike.\nBlue.")]
    assert (found.only.kind, found.only.turns[0].role) == (ChatKind.ASSISTANT, Role.USER)
    assert found.times == ["2024-03-06 00:00+00:00"]


def test_clock_times_go_on_past_midnight_and_lines_that_are_dates_date_them() -> None:
    found = reading("[23:58] A: x\n[00:03] B: x\n[00:02] A: x\n--- 2024-05-01 ---\n[08:00] B: x\nA: y", day=ONE_DAY)
    assert found.times == [
        "2024-03-06 23:58+00:00",
        "2024-03-07 00:03+00:00",
        "2024-03-07 00:02+00:00",
        "2024-05-01 08:00+00:00",
        "2024-05-01 08:01+00:00",
    ]


def test_an_impossible_date_in_a_head_is_reported_and_an_event_without_speaker_is_left_out() -> None:
    found = reading("[2024-02-29 09:00] A: x\n[2024-02-30 09:00] B: y\n[2024-03-01 09:00] B left\nstill y")
    assert found.said == [("A", "x"), ("B", "y\nstill y")]
    assert found.times == ["2024-02-29 09:00+00:00"] * 2
    assert sorted(problem.line or 0 for problem in found.problems) == [2, 3]


def test_lines_above_the_first_message_are_the_title_or_are_reported() -> None:
    found = reading("Trip to Rome 2024-05-01\nParticipants: A, B\n\nA: x\nB: y")
    assert (found.only.title, found.times[0], found.problems) == (
        "Trip to Rome 2024-05-01",
        "2024-05-01 00:00+00:00",
        [],
    )
    assert [type(finding) for finding in found.findings] == [Skipped]
    for lost in ("lost words", "- A: lost words"):
        assert [problem.line for problem in reading(f"Trip\n{lost}\nA: x\nB: y\nA: z").problems] == [2]


# Arrays, item by item

USER = {"id": "1", "role": "user", "content": "good"}


@pytest.mark.parametrize(
    "bad",
    [
        '{"id": "2", "role": "us',
        '{"id": "2", "role": user}',
        '{"id": "2", "role": "user", "content": ["a", {"id": "x", "b": 1}',
        '{"id": "2", "content": ' + "9" * 5000 + "}",
        '{"id": "2", "content": ' + "[" * 100_000 + "}",
        '{"id": "2"}]',
    ],
)
def test_a_broken_item_is_told_and_the_array_goes_on_behind_it(bad: str) -> None:
    good = json.dumps(USER)
    found = reading(f"[{good},\n{bad},\n{good},\n{good}]")
    assert [text for _, text in found.said] == ["good"] * 3
    assert [problem.line for problem in found.problems if "JSON" in problem.reason] == [2]
    first = reading(f"[{bad},\n{good},\n{good}]")
    assert [text for _, text in first.said] == ["good"] * 2


def test_a_cut_off_array_is_read_as_far_as_it_goes() -> None:
    whole = json.dumps([USER] * 3)
    for end in range(len(json.dumps(USER)) + 1, len(whole)):
        found = reading(whole[:end])
        assert len(found.said) in (1, 2, 3)
        assert "item" in found.problems[-1].reason


def test_the_first_item_of_a_long_array_comes_before_the_rest_is_read() -> None:
    array = json.dumps([{"messages": [{"role": "user", "content": "x" * 1000}]}] * 10_000)
    stream = io.BytesIO(array.encode())
    next(read(stream, ReadOptions(tz=UTC), print))
    assert stream.tell() < 0.5 * len(array)


def test_an_item_longer_than_what_is_read_at_once_is_read(tmp_path: Path) -> None:
    long = "word " * 500_000
    found = reading(json.dumps([{"role": "user", "content": text} for text in ("a", long, "b", long * 2)]))
    assert [len(text) for _, text in found.said] == [1, len(long) - 1, 1, 2 * len(long) - 1]


# Markdown


def test_markdown_headings_are_heads_but_fenced_code_and_headings_in_answers_are_text() -> None:
    found = reading(
        "# Rust chat\n\n## You\n\nhello\n```\n## You\nAnn: x\n```\n\n---\n\n## ChatGPT said:\n\n"
        "**Pros:** a\n\n**Pros:** b\n\n### Steps\n1. x\n\n## You\nbye"
    )
    assert found.said == [
        ("User", "hello\n```\n## You\nAnn: x\n```"),
        ("ChatGPT", "**Pros:** a\n\n**Pros:** b\n\n### Steps\n1. x"),
        ("User", "bye"),
    ]
    assert (found.only.format, found.only.title, found.only.kind) == ("markdown", "Rust chat", ChatKind.ASSISTANT)


def test_where_the_day_of_an_undated_chat_is_from_is_told(tmp_path: Path) -> None:
    message = lines({"role": "user", "content": "I have a cat"})
    assert re.search(r"[\d-]{10} is today \(--date", reading(message).only.guesses[0])
    origins = {
        "2025-02-03": "from the file's name",
        "2025-02-30": 'the day of the file\'s last change, since "2025-02-30" is none',
        "chat": "the day of the file's last change",
    }
    for name, origin in origins.items():
        (path := tmp_path / f"{name}.jsonl").write_text(message)
        assert f" is {origin} (--date" in reading(path).only.guesses[0]


def test_front_matter_gives_title_date_and_id() -> None:
    found = reading('---\ntitle: "Rome: a trip"\ncreated: 2026-02-14T09:00\nid: c7\n---\n**User:** a\n\n**AI:** b')
    assert (found.only.title, found.only.key) == ("Rome: a trip", "c7")
    assert found.times == ["2026-02-14 00:00+00:00", "2026-02-14 00:01+00:00"]


@pytest.mark.parametrize(
    "text",
    [
        "### Ann (2024-03-06 10:04)\nhi\n\nyou\n\n### Bob (2024-03-06 10:05)\nhey",
        "**Ann** (10:04): hi\n\nyou\n\n**Bob** (10:05): hey",
        "**Ann (10:04):** hi\n\nyou\n\n**Bob (10:05)**: hey",
        "- **[10:04] Ann:** hi\n\nyou\n\n- [10:05] **Bob**: hey",
        "# 2024-03-06\n## Ann - 10:04\nhi\n\nyou\n## Bob - 10:05\nhey\n## Ann - 10:06",
    ],
)
def test_markdown_heads_with_times(text: str) -> None:
    found = reading(text, day=ONE_DAY)
    assert found.said == [("Ann", "hi\n\nyou"), ("Bob", "hey")]
    assert found.times == ["2024-03-06 10:04+00:00", "2024-03-06 10:05+00:00"]
    assert (found.only.format, found.problems) == ("markdown", [])


def test_bold_words_in_plain_messages_make_no_markdown() -> None:
    text = "Ann: see\n**Idea one:** a\n**Idea one:** b\n**Idea two:** c\nBob: fine\nAnn: good\nBob: ok"
    assert reading(text).only.format == "text"


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert len(reading("User: look\n```\nx\nAssistant: yes\nUser: ok").said) == 3


# Undated transcripts


def test_an_undated_transcript_is_dated_by_option_then_content_then_name_then_file(tmp_path: Path) -> None:
    dated, plain = tmp_path / "2024-03-06 call.txt", tmp_path / "call.txt"
    for path in (dated, plain):
        path.write_text("A: x\nB: y\n")
        os.utime(path, (1709900000, 1709900000))  # 2024-03-08
    assert reading(dated, day=date(2020, 1, 1)).times[0] == "2020-01-01 00:00+00:00"
    assert reading(dated).times == ["2024-03-06 00:00+00:00", "2024-03-06 00:01+00:00"]
    assert reading(plain).times[0] == "2024-03-08 00:00+00:00"
    plain.write_text("# 2024-03-07\n\nA: x\nB: y\n")
    assert reading(plain).times[0] == "2024-03-07 00:00+00:00"


def test_many_undated_messages_keep_their_order_within_the_day() -> None:
    times = reading("A: x\nB: y\n" * 5000, day=ONE_DAY).times
    assert (len(times), times[-1][:10]) == (10_000, "2024-03-06")
    assert times == sorted(times)


def test_messages_before_the_first_time_have_that_time() -> None:
    assert reading("A: x\n[2024-03-06 09:14] B: y\nA: z").times == ["2024-03-06 09:14+00:00"] * 3


# Whole files


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\n\t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a text file"),
        ("Ann: hi\nBob: ho".encode("utf-16-le"), "not a text file"),
        ("小明：你好，今天天气不错\n小红：在吗在吗".encode("gbk"), "neither UTF-8"),
        (b'{"session_meta": {},\n "conversation_list": [{"sender": "a",\n', "3: broken or cut-off JSON"),
        (b'[\n{"role": "us', "2: broken or cut-off JSON"),
        (b'{"a": [1, 2]}', "has no known form"),
        (b"[]", "has no known form"),
        (b"[" * 100_000 + b"\n", "JSON"),
        (b'{"messages": []}', "no messages found"),
        (b'[{"role": "user", "content": ' + b"9" * 5000 + b"}]", "JSON that cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_what_to_do(data: bytes, reason: str) -> None:
    assert reason in str(refusal(data))


def test_a_few_control_characters_do_not_make_a_chat_binary() -> None:
    assert reading("Ann: on\0e\x01\nBob: two").said == [("Ann", "one"), ("Bob", "two")]


def test_a_path_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert str(tmp_path / "gone") in str(refusal(tmp_path / "gone"))
    assert "no chats in this directory" in str(refusal(tmp_path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    assert reading("Zoë: café “ici”\nAnn: très".encode(encoding)).said == [("Zoë", "café “ici”"), ("Ann", "très")]


def test_one_odd_byte_does_not_garble_the_rest() -> None:
    text = "Zoë: ça 你好\n".encode() * 20
    assert reading(text + b"Ann: caf\xe9\nAnn: ok").said[-2:] == [("Ann", "café"), ("Ann", "ok")]
    assert reading(text + b"Ann: caf\xe9\nAnn: ok").said[0] == ("Zoë", "ça 你好")


def test_marks_and_control_characters_are_removed() -> None:
    record = {"speaker": "\u200eAnn\u202c", "text": "a\u00a0b\x07\tc\r\nd\x0be\ufeff\ud800", "id": "7"}
    assert reading(json.dumps([record])).said == [("Ann", "a b\tc\nd\ne\ufffd")]
    coloured = "\x1b[1;31mRome\x1b[0m, \x1b]8;;http://x.y\x1b\\link\x1b]8;;\x1b\\ and \x1b(nothing"
    assert reading(f"Ann: {coloured}\nBob: ok").said[0] == ("Ann", "Rome, link and (nothing")


def test_a_megabyte_in_one_message() -> None:
    for word in ("word ", "-", "#", " ", "_", "12:30", "[10:04] ", "**a", "```"):
        text = word * (1_000_000 // len(word))
        assert reading(f"Ann: {text}x\nBob: ok").said[0] == ("Ann", text.lstrip() + "x")
        assert reading(f"## User\n{text}x\n## AI\nok\n", form="markdown").said[0] == ("User", f"{text}x".strip())


def test_the_format_can_be_forced_and_must_be_known() -> None:
    assert reading("**A:** x\nB: y\nB: z\nA: **t**", form="text").only.format == "text"
    for name in ("evermemos", "jsonl"):
        assert "leave out --format" in refusal("A: x\nB: y", form=name).hint
    assert "no messages found" in str(refusal("just\nwords", form="markdown"))
    with pytest.raises(UsageError, match="no such format"):
        reading("A: x\nB: y", form="fax")


def test_each_format_has_a_name_and_a_line_of_its_own() -> None:
    assert len({known.name for known in FORMATS}) == len({known.summary for known in FORMATS}) == len(FORMATS)
    assert all(line and "\n" not in line for known in FORMATS for line in (known.summary, known.steps))


def test_zones_by_name_and_the_system_s_own() -> None:
    assert zone("Europe/Berlin") == BERLIN
    assert zone("").utcoffset(datetime(2024, 1, 1)) is not None
    for wrong in ("Mars/Base", "../etc/passwd", "Europe", "\0"):
        with pytest.raises(UsageError, match="no such time zone"):
            zone(wrong)


# Finding files


def test_directories_are_searched_in_order_without_hidden_files_loops_and_other_kinds(tmp_path: Path) -> None:
    for name in ("b.txt", "a/x.JSON", "a/y.md", ".hidden.txt", ".git/z.txt", "photo.jpg", "odd.chat"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "broken.txt").symlink_to(tmp_path / "gone")
    named = tmp_path / "odd.chat"
    found = list(find([named, tmp_path, tmp_path / "b.txt", tmp_path / "gone.txt"]))
    assert found == [named, *(tmp_path / name for name in ("a/x.JSON", "a/y.md", "b.txt", "gone.txt"))]


def test_a_link_out_of_a_directory_is_followed_only_if_it_is_named(tmp_path: Path) -> None:
    for name in ("in/a.txt", "in/deep/b.txt", "out/c.txt", "out/more/d.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    link, up = tmp_path / "in/link", tmp_path / "in/deep/up"
    link.symlink_to(tmp_path / "out")
    up.symlink_to(tmp_path)
    single = tmp_path / "in/single.txt"
    single.symlink_to(tmp_path / "out/c.txt")
    photo, lost = tmp_path / "in/photo.jpg", tmp_path / "in/lost.txt"
    photo.symlink_to(tmp_path / "out/c.txt")
    lost.symlink_to(tmp_path / "nowhere.txt")
    (tmp_path / "in/.old").mkdir()
    passed_over: dict[Path, Skip] = {}
    inside = list(find([tmp_path / "in"], passed_over.__setitem__))
    assert inside == [tmp_path / "in/a.txt", tmp_path / "in/deep/b.txt"]
    out = dict.fromkeys((up, link, single, photo), Skip.LEADS_OUT)
    assert passed_over == out | {lost: Skip.NO_CHAT, tmp_path / "in/.old": Skip.HIDDEN}
    assert list(find([single])) == [single]
    assert list(find([link])) == [link / "c.txt", link / "more/d.txt"]


def test_where_no_time_is_one_the_day_that_is_assumed_is_said(tmp_path: Path) -> None:
    line = '{"role": "user", "content": "I live in Graz", "timestamp": "2024-02-30T10:00:00Z"}\n'
    (tmp_path / "bad.jsonl").write_text(line)
    findings: list[Finding] = []
    [chat] = read(tmp_path / "bad.jsonl", ReadOptions(tz=UTC), findings.append)
    assert "the chat has no date" in str(chat.guesses)
    assert "; the message has the time of the one before, else of the next one with a time" in str(findings)


def test_a_directory_that_may_not_be_listed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        list(read(tmp_path, ReadOptions(tz=UTC), lambda _: None))


def test_a_directory_without_chats_is_left_to_read_which_says_so(tmp_path: Path) -> None:
    assert list(find([tmp_path])) == [tmp_path]


# Properties

NAMES = st.sampled_from(["Ann", "Bob", "小明", "प्रिया", "Dr. O’Neil", "Zoë", "Mia 🌸", "محمد", "Ann-Marie K."])
WORD = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="`~"), min_size=1, max_size=12)
TEXT = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
TURNS = st.lists(st.tuples(NAMES, TEXT), min_size=2, max_size=12)
Turns = list[tuple[str, str]]


def at(number: int) -> str:
    return (datetime(2024, 3, 6, 9) + timedelta(minutes=number)).isoformat(" ", "minutes")


def joined(turns: Turns, shape: Callable[[int, str, str], str]) -> str:
    return "\n".join(shape(number, name, text) for number, (name, text) in enumerate(turns))


RENDERED: dict[str, Callable[[Turns], str]] = {
    "text": lambda turns: joined(turns, lambda _, name, text: f"{name}: {text}"),
    "text with times": lambda turns: joined(turns, lambda n, name, text: f"[{at(n)}] {name}: {text}"),
    "text with dashes": lambda turns: joined(turns, lambda n, name, text: f"{at(n)} - {name}: {text}"),
    "text with clocks": lambda turns: joined(turns, lambda n, name, text: f"[{at(n)[11:]}] {name}: {text}"),
    "markdown bold": lambda turns: joined(turns, lambda _, name, text: f"**{name}:** {text}\n"),
    "markdown headings": lambda turns: joined(turns, lambda n, name, text: f"### {name} ({at(n)})\n\n{text}\n"),
    "jsonl": lambda turns: joined(turns, lambda _, name, text: json.dumps({"speaker": name, "text": text})),
    "jsonl array": lambda turns: json.dumps([{"speaker": name, "text": text} for name, text in turns], indent=1),
    "jsonl object": lambda turns: json.dumps({"messages": [{"name": name, "content": text} for name, text in turns]}),
    "evermemos": lambda turns: evermemos([{"sender_name": name, "content": text} for name, text in turns]),
}


@pytest.mark.parametrize("form", RENDERED)
@given(turns=TURNS)
def test_what_is_written_is_read_back(form: str, turns: Turns) -> None:
    found = reading(RENDERED[form](turns))
    assert found.said == turns
    assert found.only.format == form.split()[0]
    assert found.problems == []


def sound(source: str | bytes, form: str | None = None) -> Reading | None:
    """What is read from `source`, checked for what must always hold; None if it is refused as an InputError."""
    try:
        found = reading(source, form=form)
    except InputError:
        return None
    assert found.transcripts
    for turn in (turn for transcript in found.transcripts for turn in transcript.turns):
        assert turn.speaker and turn.text.strip()
        assert turn.sent_at and turn.sent_at.astimezone(UTC)
        assert not any(char < " " and char not in "\n\t" for char in turn.text)
        assert turn.text.encode()
    return found


FORCED = st.sampled_from([None, *(known.name for known in FORMATS)])


@given(st.binary(max_size=300), FORCED)
def test_any_bytes_are_read_or_refused(data: bytes, form: str | None) -> None:
    sound(data, form)


PIECES = st.one_of(
    st.sampled_from(["[10:04] ", "[2024-03-06 09:14] ", "[2024-13-41 25:61 pm] ", "2024-03-06", " - ", " (09:14)"]),
    st.sampled_from(["Ann", "Bob", "User", "AI", "小明", ": ", "：", "text", "id", "é"]),
    st.sampled_from(["**", "## ", "```", "~~~", "---", "> ", "\n", "\n\n"]),
    st.sampled_from(
        ["{", '"', "}\n", "[", "]", ",", "\0", "\x0b", "\ufeff", "\u2028", "+99:99", "9999-12-31", "0001-01-01"]
    ),
)


@given(st.lists(PIECES, max_size=40).map("".join), FORCED)
def test_any_mixture_of_marks_is_read_or_refused(text: str, form: str | None) -> None:
    sound(text, form)
    sound(text.encode("utf-16")[:-1], form)


KEYS = st.one_of(
    st.sampled_from(
        ["role", "from", "content", "text", "value", "name", "author", "sender", "timestamp", "id", "type"]
    ),
    st.sampled_from(["conversation_id", "messages", "conversations", "conversation_list", "session_meta", "group_id"]),
    st.sampled_from(["user_details", "full_name", "default_timezone", "create_time"]),
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
OBJECTS = st.dictionaries(KEYS, JSON_VALUES, max_size=6)


@given(JSON_VALUES | OBJECTS | st.lists(OBJECTS, max_size=4), FORCED)
def test_any_json_is_read_or_refused(value: object, form: str | None) -> None:
    sound(json.dumps(value, indent=1), form)
    sound(json.dumps({"conversation_list": [value], "session_meta": value}), form)
    sound(lines(*(value if isinstance(value, list) else [value, value])).encode("utf-8", "replace"), form)


@given(st.lists(OBJECTS | JSON_VALUES, min_size=1, max_size=6))
def test_each_bad_json_line_is_reported(records: list[object]) -> None:
    good = {"role": "user", "content": "good"}
    found = sound(
        json.dumps(good) + "\n" + "".join(f"{json.dumps([record])[1:-1]}\n" + lines(good) for record in records)
    )
    assert found is not None
    assert sum(text == "good" for _, text in found.said) > len(records)


@given(
    st.lists(
        st.tuples(st.lists(PIECES.filter(lambda piece: piece not in ("\0", "\x0b", "\u2028")), max_size=5)), max_size=12
    )
)
def test_no_line_below_the_first_head_is_lost_silently(rows: list[tuple[list[str]]]) -> None:
    written = [f"{''.join(row).replace(chr(10), ' ')} word{number}w" for number, (row,) in enumerate(rows)]
    found = sound("\n".join(["Zoe: begin", "Kim: yes", "Zoe: so", "Kim: no", *written]))
    if found is None or found.only.turns[0].line != 1:
        return
    said = "\n".join(text for _, text in found.said) + "\n".join(name for name, _ in found.said)
    reported = {problem.line for problem in found.problems}
    for number in range(len(written)):
        assert f"word{number}w" in said or number + 5 in reported


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.txt", "put `Name: `"),
        ("a.ics", "evermem formats"),
        ("a.csv", "evermem formats"),
        ("a.mbox", "evermem formats"),
    ],
)
def test_names_are_advised_only_in_files_that_people_write(tmp_path: Path, name: str, advice: str) -> None:
    path = tmp_path / name
    path.write_text("just words\n")
    with pytest.raises(InputError) as refused:
        [*read(path, ReadOptions(tz=UTC), lambda _: None)]
    assert advice in refused.value.hint
