"""Backups of phones and exports of Signal and Gemini: hostile files are refused, and each message has its sender."""

import json
import time
from datetime import UTC
from pathlib import Path

import pytest

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Skipped, Transcript
from evermem_cli.transcripts import ReadOptions, find, read
from tests.support.exports import reading

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE smses [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<smses count="1"><sms address="1" date="1771063462000" type="1" body="&c;" /></smses>
"""
OUTSIDE = """<?xml version="1.0"?>
<!DOCTYPE smses [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<smses count="1"><sms address="1" date="1771063462000" type="1" body="&a;" /></smses>
"""


def taken(path: Path) -> list[Transcript]:
    return list(read(path, ReadOptions(tz=UTC, me="Ann"), lambda _: None))


@pytest.mark.parametrize("xml", [LAUGHS, OUTSIDE])
def test_xml_that_declares_entities_is_refused(xml: str) -> None:
    with pytest.raises(InputError, match="declares entities"):
        reading(xml.encode())


def test_xml_that_is_broken_from_the_start_is_refused_with_its_line() -> None:
    with pytest.raises(InputError) as raised:
        reading(b"<?xml version='1.0'?>\n<smses count='1'>\n<sms body='<'/>")
    assert raised.value.line == 3


@pytest.mark.parametrize("encoding", ["zTF-8", "ascii", "utf-16"])
def test_a_backup_is_read_whatever_encoding_it_declares(encoding: str) -> None:
    message = "<sms date='1771063462000' type='1' address='7' body='né'/>"
    xml = f"<?xml version='1.0' encoding='{encoding}'?>\n<smses>{message}</smses>"
    assert reading(xml.encode()) == (["né"], 0, [])


def test_pictures_in_a_backup_are_not_kept(tmp_path: Path) -> None:
    picture = "A" * 30_000_000
    path = tmp_path / "sms.xml"
    path.write_text(
        '<smses count="1"><mms date="1771063462000" msg_box="1" address="7"><parts>\n'
        f'<part ct="image/jpeg" text="null" data="{picture}"/><part ct="text/plain" text="Look"/>\n'
        "</parts></mms></smses>"
    )
    start = time.process_time()
    assert [turn.text for chat in taken(path) for turn in chat.turns] == ["Look"]
    assert time.process_time() - start < 20


def test_a_group_is_called_as_the_phone_calls_it_and_its_last_member_by_the_name_that_is_left(tmp_path: Path) -> None:
    mms = "<mms date='177106346{}000' msg_box='1' address='{}' contact_name='{}'>{}{}</mms>"
    parts, sender = "<parts><part ct='text/plain' text='Hi'/></parts>", "<addrs><addr address='8' type='137'/></addrs>"
    alone = mms.format(1, "7", "Mira", parts, "")
    for names, group, speaker in (("Mira, Jonas", "Mira, Jonas", "Jonas"), ("Mira, (Unknown)", "Mira, 8", "8")):
        (path := tmp_path / "sms.xml").write_text(f"<smses>{alone}{mms.format(2, '8~7', names, parts, sender)}</smses>")
        mira, both = taken(path)
        assert [(chat.title, chat.turns[0].speaker) for chat in (mira, both)] == [("Mira", "Mira"), (group, speaker)]


@pytest.mark.parametrize(
    ("numbers", "names", "chats"),
    [
        (["0171 234-5678", "+49 171 2345678"], ["Bob", "Bob"], ["sms:01712345678"]),
        (["+49 171 2345678", "0171/2345678", "0049 171 2345678"], ["Bob"] * 3, ["sms:+491712345678"]),
        (["(555) 234-5678", "+1 555 234 5678", "234-5678"], ["Bob"] * 3, ["sms:5552345678"]),
        (["8 916 234-56-78", "+7 916 234 56 78"], ["Bob", "Bob"], ["sms:89162345678"]),
        (["0171 2345678", "+49 171 2345678"], ["Bob", "Eve"], ["sms:01712345678", "sms:+491712345678"]),
        (["0171 2345678", "+49 171 2345678"], ["(Unknown)"] * 2, ["sms:01712345678", "sms:+491712345678"]),
        (["+1 171 2345678", "+49 171 2345678"], ["Bob", "Bob"], ["sms:+11712345678", "sms:+491712345678"]),
        (["0171 2345678", "0172 2345678"], ["Bob", "Bob"], ["sms:01712345678", "sms:01722345678"]),
        (["12345", "+49 171 12345"], ["Bob", "Bob"], ["sms:12345", "sms:+4917112345"]),
    ],
)
def test_a_number_of_a_contact_with_and_without_its_country_is_one_chat(
    numbers: list[str], names: list[str], chats: list[str], tmp_path: Path
) -> None:
    sms = "<sms date='177106346{}000' type='1' address='{}' contact_name='{}' body='{}'/>"
    messages = [sms.format(at, *of, at) for at, of in enumerate(zip(numbers, names, strict=True))]
    (path := tmp_path / "sms.xml").write_text(f"<smses>{''.join(reversed(messages))}</smses>")
    transcripts = taken(path)
    assert sorted(transcript.key or "" for transcript in transcripts) == sorted(chats)
    if len(chats) == 1:
        assert [turn.text for turn in transcripts[0].turns] == [str(at) for at in range(len(numbers))]


def test_a_group_is_one_chat_whatever_form_the_numbers_of_its_members_have(tmp_path: Path) -> None:
    sms = "<sms date='1771063460000' type='1' address='{}' contact_name='{}' body='x'/>"
    mms = "<mms date='177106347{}000' msg_box='2' address='{}' contact_name='Bob, Mira'>{}</mms>"
    part = "<parts><part ct='text/plain' text='Hi'/></parts>"
    contacts = [("0171 2345678", "Bob"), ("+49 171 2345678", "Bob"), ("0172 2345678", "Mira")]
    group = [mms.format(at, f"{bob}~01722345678", part) for at, (bob, _) in enumerate(contacts[:2])]
    xml = f"<smses>{''.join([sms.format(*contact) for contact in contacts] + group)}</smses>"
    (path := tmp_path / "sms.xml").write_text(xml)
    assert [(chat.title, len(chat.turns)) for chat in taken(path)] == [("Bob", 2), ("Mira", 1), ("Bob, Mira", 2)]


def test_other_xml_is_no_backup() -> None:
    with pytest.raises(InputError):
        reading(b"<?xml version='1.0'?>\n<rss><item>Ann says hi</item></rss>")


def test_signals_messages_keep_their_ids_where_recipients_have_other_numbers(tmp_path: Path) -> None:
    def export(bob: str, me: str) -> list[Transcript]:
        records = [
            {"recipient": {"id": me, "self": {}}},
            {"recipient": {"id": bob, "contact": {"aci": "AAEC", "profileGivenName": "Bob"}}},
            {"chat": {"id": "9", "recipientId": bob}},
        ]
        for author, sent in ((bob, "1771063462000"), (me, "1771063463000")):
            item = {"chatId": "9", "authorId": author, "dateSent": sent, "standardMessage": {"text": {"body": "hi"}}}
            records.append({"chatItem": item})
        path = tmp_path / "main.jsonl"
        path.write_text("\n".join(map(json.dumps, records)))
        return taken(path)

    assert export("2", "1") == export("7", "4")
    assert [turn.speaker for turn in export("2", "1")[0].turns] == ["Bob", "Ann"]


def test_disappearing_messages_of_signal_are_left_out_and_counted(tmp_path: Path) -> None:
    item = {"chatId": "9", "authorId": "1", "dateSent": "1771063462000"}
    passing = item | {"standardMessage": {"text": {"body": "secret"}}, "expiresInMs": "604800000"}
    lasting = item | {"standardMessage": {"text": {"body": "hi"}}, "expiresInMs": "0"}
    path = tmp_path / "main.jsonl"
    records = [{"recipient": {"id": "1", "self": {}}}, {"chatItem": passing}, {"chatItem": lasting}]
    path.write_text("\n".join(map(json.dumps, records)))
    findings: list[Finding] = []
    [chat] = read(path, ReadOptions(tz=UTC), findings.append)
    assert [turn.text for turn in chat.turns] == ["hi"]
    assert findings == [Skipped(path=str(path), reason="messages that were to disappear", messages=1)]


def test_signals_folder_is_one_input(tmp_path: Path) -> None:
    (tmp_path / "metadata.json").write_text('{"version": 1}')
    (tmp_path / "main.jsonl").write_text('{"recipient":{"id":"1","self":{}}}\n')
    assert list(find([tmp_path])) == [tmp_path]
    with pytest.raises(InputError, match="no messages found"):
        taken(tmp_path)
