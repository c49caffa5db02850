"""Mail: what the writer says is read, what others said is not, and no mail can hold up the reading."""

import time
from contextlib import suppress
from datetime import UTC
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped, Transcript
from evermem_cli.transcripts import ReadOptions, read
from evermem_cli.transcripts.html_text import html_text
from evermem_cli.transcripts.mail.letters import letter
from evermem_cli.transcripts.mail.own_words import own_words

HEAD = (
    b"From: Ann <ann@example.org>\nDate: Tue, 10 Feb 2026 09:00:00 +0000\nSubject: Hello\nMessage-ID: <1@example.org>\n"
)
SECONDS = 20.0  # of CPU time for the worst mail; the machine may be busy


def taken(path: Path) -> tuple[list[Transcript], list[Finding]]:
    findings: list[Finding] = []
    return list(read(path, ReadOptions(tz=UTC), findings.append)), findings


def said(data: bytes, folder: Path) -> list[str]:
    path = folder / "mail.eml"
    path.write_bytes(data)
    return [turn.text for transcript in taken(path)[0] for turn in transcript.turns]


@pytest.mark.parametrize(
    ("sender", "subject"),
    [
        ("Tobias Krämer".encode(), "Grüße".encode()),
        ("Tobias Krämer".encode("latin-1"), "Grüße".encode("latin-1")),
        (b"=?utf-8?q?Tobias_Kr=C3=A4mer?=", b"=?iso-8859-1?q?Gr=FC=DFe?="),
        (b"Tobias =?utf-8?q?Kr=C3=A4mer?=", b"=?utf-8?q?Gr?= =?utf-8?b?w7zDn2U=?="),
        ("=?utf-8?q?Tobias?= Krämer".encode(), "Grüße".encode()),
    ],
)
def test_a_header_is_the_same_however_it_is_encoded(sender: bytes, subject: bytes) -> None:
    mail = letter(b"From: " + sender + b" <t@example.org>\nSubject: Re: " + subject + b"\n\nHello")
    assert (mail.name, mail.address, mail.subject) == ("Tobias Krämer", "t@example.org", "Grüße")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nOn Tue, 3 Feb 2026, Bob <b@x.org> wrote:\n> I live in Rome.", "Yes."),
        ("Yes.\n\nOn Tue, 3 Feb 2026, Bob <b@x.org>\nwrote:\n\nI live in Rome.", "Yes."),
        ("On Tue, Bob wrote:\n> I live in Rome.\n\nI do not.\n\n> And Ann?\nShe does.", "I do not.\n\nShe does."),
        ("Yes\n\nOn Tue, Bob wrote:\n> On Mon, Cy wrote:\n>> deep\n> mid\n\nbelow", "Yes\n\nbelow"),
        ("Oui.\n\nLe mar. 3 févr. 2026 à 10:00, Bob <b@x.org> a écrit :\n\n> Rome", "Oui."),
        ("Sì.\n\nIl giorno mar 3 feb 2026 Bob <b@x.org> ha scritto:\n> Roma", "Sì."),
        ("好\n\nBob <b@x.org> 于2026年2月3日周二 10:00写道：\n\n> 罗马", "好"),
        ("Fine.\n\n-----Original Message-----\nFrom: Bob\nSent: Monday\nTo: Ann\n\nI live in Rome.", "Fine."),
        ("See you.\n\nBest regards,\nAnn Lee\nACME", "See you."),
        ("See you.\n-- \nAnn Lee\nACME", "See you."),
        ("See you.\n\nBest,\nAnn\n\n-- \nAnn Lee\n\nWe make wheels, and you?\n> And?\n\nYes.", "See you.\n\nYes."),
        ("See you.\n--\nAnn Lee\nACME · High St. 1 · 04229 Leeds\nPhone 0341 555", "See you."),
        ("Hi\n\nThanks, that works for me. I moved.\nSee you", "Hi\n\nThanks, that works for me. I moved.\nSee you"),
        ("Look.\n\nBegin forwarded message:\n\n> From: Bob\n> I live in Rome.\n\nAnd you?", "Look.\n\nAnd you?"),
        ("- one\n- two", "- one\n- two"),
        ("> all of it is quoted", ""),
    ],
)
def test_own_words_are_without_quotes_and_signature(text: str, own: str) -> None:
    assert own_words(text) == own


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nBest,\nAnn\n\nP.S. I moved to Lyon.", "Yes.\n\nP.S. I moved to Lyon."),
        ("Ja.\n\nViele Grüße\nAnn\n\nPS: Mein Hund heisst Rex.", "Ja.\n\nPS: Mein Hund heisst Rex."),
        ("We leave.\n\nThanks,\nI bought tickets for 900.", "We leave.\n\nI bought tickets for 900."),
        ("One.\n\n> Best,\n> Ann\n\nI bought a tandem.", "One.\n\nI bought a tandem."),
        ("Hi.\n\nThanks, I moved.", "Hi.\n\nThanks, I moved."),
        (
            "Hi.\n\nMail: a@x.org\nDay: 4 Nov, 17:02\nPlace: Rome",
            "Hi.\n\nMail: a@x.org\nDay: 4 Nov, 17:02\nPlace: Rome",
        ),
        ("----- Plan A -----\nCost: 900\n\nWe fly.", "----- Plan A -----\nCost: 900\n\nWe fly."),
        ("First the roof.\n--\nThen we paint it blue", "First the roof.\n\nThen we paint it blue"),
        ("Warning: I lost my mail account.", "Warning: I lost my mail account."),
        ("From: Oslo\nTo: Bergen\nTickets cost 900.", "From: Oslo\nTo: Bergen\nTickets cost 900."),
        ("On 3 March 2025 I moved.\nBen wrote:\nRest.", "On 3 March 2025 I moved.\nBen wrote:\nRest."),
        ("On Monday I moved.\nShe wrote:\nRest.", "On Monday I moved.\nShe wrote:\nRest."),
    ],
)
def test_what_may_be_a_sentence_of_the_author_is_kept(text: str, own: str) -> None:
    assert own_words(text) == own


@pytest.mark.parametrize(
    "head",
    [
        "Le mer. 12 mars 2025 à 10:00, Maya <maya@lind.org> a écrit :",
        "El mié, 12 mar 2025 a las 10:00, Maya (<maya@lind.org>) escribió:",
        "12.03.25 10:00, Майя пишет:",
        "On Tue, Feb 10, 2026 at 10:00 AM Ann Lee <\nann@example.org> wrote:",
        "Le mer. 12 mars 2025 à 10:00,\nMaya <maya@lind.org> a écrit :",
    ],
)
def test_an_answer_below_a_quote_is_kept_in_any_language(head: str) -> None:
    assert own_words(f"{head}\n> quoted\n\nJe déménage à Lyon.") == "Je déménage à Lyon."


@pytest.mark.parametrize(
    "head",
    [
        "Am 3. März 2025 um 10:12 schrieb Ben:",
        "Ben Lind schrieb am Montag, 3. März 2025 10:12:",
        "Le 3 mars 2025 à 10:12, Ben a écrit :",
        "El 3 de marzo de 2025 a las 10:12, Ben escribió:",
        "El lun, 3 mar 2025 a las 10:12, Ben Lind (<\nben@x.org>) escribió:",
        "Il giorno 3 mar 2025, alle ore 10:12, Ben ha scritto:",
        "Op ma 3 mrt 2025 om 10:12 schreef Ben Lind <ben@x.org>:",
        "Em 3 de março de 2025, às 10:12, Ben escreveu:",
    ],
)
def test_what_stands_below_the_head_of_a_quote_is_not_the_authors(head: str) -> None:
    assert own_words(f"Yes.\n\n{head}\n\nI live in Rome.") == "Yes."
    if "\n" not in head:  # a head of several lines is a paragraph
        assert own_words(f"Yes.\n{head}\nI live in Rome.") == "Yes."


RULE = "---------- Forwarded message ---------"


@pytest.mark.parametrize(
    "head",
    [
        f"{RULE}\nVon: Bob <b@x.org>\nDate: Mi., 4. Nov. 2026 um 17:02 Uhr\nSubject: Rom\nTo: Ann <a@x.org>\n",
        f"{RULE}\nVon: Bob <b@x.org>\nSubject: Rom",
        f"{RULE}\n\nDe : <b@x.org>",
        "Begin forwarded message:\n\nFrom: Bob <b@x.org>\nSubject: Rome\nDate: 4 November 2026 at 17:02:00 CET",
        "Début du message réexpédié :\n\nDe: Bob <b@x.org>\n\nObjet: Rome",
        "________________________________\nDe: Bob <b@x.org>\nEnviada em: 4 de novembro de 2026 17:02\nPara: Ann",
        "差出人: Bob <b@x.org>\n送信日時: 2026年11月4日 17:02\n宛先: Ann\n件名: Rom",
        "*От:* Bob <b@x.org>\n*Отправлено:* 4 ноября 2026 г. 17:02\n*Кому:* Ann",
    ],
)
def test_a_forwarded_mail_is_left_out_in_any_language(head: str) -> None:
    assert own_words(f"Read this.\n\n{head}\n\nI live in Rome.") == "Read this."
    assert own_words(f"{head}\n\nI live in Rome.") == ""


@given(st.text(max_size=300))
@settings(max_examples=60, deadline=None)
def test_own_words_are_words_of_the_mail(text: str) -> None:
    words = own_words(text).split()
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    "body",
    [
        "On " + "a b " * 30_000,
        ("On " + "a " * 78 + "\n") * 700,
        "On a b\n" * 15_000,
        "\n" * 100_000 + "x",
        " \n" * 50_000 + "x",
        "> > > On \n" * 10_000,
        "From: a\n" * 12_000,
        "_" * 50_000 + "\n\n_" * 10_000,
    ],
    ids=["long line", "many lines", "short lines", "newlines", "blank lines", "quotes", "heads", "rules"],
)
def test_no_body_holds_up_the_reading(body: str, tmp_path: Path) -> None:
    start = time.process_time()
    said(HEAD + b"\n" + body.encode(), tmp_path)
    assert time.process_time() - start < SECONDS


def test_pages_nested_without_end_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "mail.eml"
    path.write_bytes(HEAD + b"Content-Type: text/html\n\n" + b"<div>" * 100_000 + b"Rome")
    with pytest.raises(InputError, match="no messages found"):
        taken(path)
    findings: list[Finding] = []
    with pytest.raises(InputError):
        list(read(path, ReadOptions(tz=UTC), findings.append))
    assert [each.line for each in findings if isinstance(each, Problem)] == [1]


def test_parts_nested_without_end_are_refused() -> None:
    mail = b"From: Ann <ann@example.org>\n"
    for depth in range(2000):
        mail += b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (depth, depth)
    with pytest.raises(ValueError, match="nested"):
        letter(mail)


def test_attachments_of_any_size_are_not_kept(tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["Date"], mail["Subject"] = "Ann <ann@example.org>", "Tue, 10 Feb 2026 09:00:00 +0000", "x"
    mail.set_content("I moved to Porto.")
    mail.add_attachment(b"\x00" * 20_000_000, maintype="application", subtype="zip", filename="a.zip")
    start = time.process_time()
    assert said(mail.as_bytes(), tmp_path) == ["I moved to Porto."]
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("gb2312", "我住在里斯本".encode("gb2312"), "我住在里斯本"),
        ("latin-1", "Ich fahre nach München".encode("latin-1"), "Ich fahre nach München"),
        ("no-such-charset", "Ich fahre nach München".encode("cp1252"), "Ich fahre nach München"),
        ("utf-8", b"caf\xe9 and \xe2\x82\xac", "café and €"),
        ("utf-7", b"\xff\xfe", "ÿþ"),
    ],
)
def test_texts_are_decoded_as_the_mail_says_or_as_well_as_can_be(
    charset: str, body: bytes, text: str, tmp_path: Path
) -> None:
    assert said(HEAD + f"Content-Type: text/plain; charset={charset}\n\n".encode() + body, tmp_path) == [text]


def test_headers_that_are_broken_are_read_as_far_as_can_be() -> None:
    found = letter(b"From: =?x?q?=FF=?= <ann@example.org>\nSubject: =?utf-8?b?!!!?=\nDate: 99 Foo\n\nhi")
    assert (found.address, found.sent, found.text) == ("ann@example.org", None, "hi")
    assert found.undated == 'its date cannot be read ("99 Foo")'


def test_what_a_page_quotes_has_marks() -> None:
    assert html_text("<p>Yes</p><blockquote><p>I live in Rome</p></blockquote>") == "Yes\n\n> I live in Rome"
    assert (
        html_text("<style>p{}</style><script>x</script><p>a\n b</p><ul><li>one</li><li>two</li></ul>")
        == "a b\n\n- one\n- two"
    )


def test_half_a_character_on_a_page_is_replaced() -> None:
    assert html_text("<p>a\ud800</p>") == "a\ufffd"


def test_what_a_page_does_not_show_is_not_read() -> None:
    assert html_text("<!DOCTYPE html><!-- [if mso]> --><p>a<!-- b --></p><pre>c  d</pre>") == "a\n\n```\nc  d\n```"


def test_a_sender_of_endless_names_is_no_harm() -> None:
    assert letter(b"From: " + b"a," * 50_000 + b"\nDate: 99 Foo\n\nhi").text == "hi"


def test_files_of_one_thread_are_one_conversation(tmp_path: Path) -> None:
    (tmp_path / "1.eml").write_bytes(HEAD + b"\nShall we?")
    answer = HEAD.replace(b"<1@", b"<2@").replace(b"Ann <ann", b"Bob <bob") + b"References: <1@example.org>\n\nYes."
    (tmp_path / "2.eml").write_bytes(answer)
    keys = {transcript.key for name in ("1.eml", "2.eml") for transcript in taken(tmp_path / name)[0]}
    assert keys == {"mail:<1@example.org>"}


RECEIVED = "Received: from a by b;\n\tThu, 06 Mar 2025 10:00:00 -0800\n"


@pytest.mark.parametrize(
    ("headers", "day", "told"),
    [
        ("", "2025-03-05", '"Hello": it has no date; it has the time of its receipt, 2025-03-05T'),
        (RECEIVED, "2025-03-06", '"Hello": it has no date; it has the time of its receipt, 2025-03-06T'),
        ("Date: Thu, 99 Foo\n", "2025-03-05", '"Hello": its date cannot be read ("Thu, 99 Foo"); it has the time'),
        (f"Date: Fri, 07 Mar 2025 10:00:00 +0000\n{RECEIVED}", "2025-03-07", ""),
    ],
)
def test_a_mail_without_a_date_has_that_of_its_receipt(headers: str, day: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mail.mbox"
    mail = f"From x@xxx Wed Mar 05 10:00:00 2025\nMessage-ID: <1@x>\n{headers}From: ann@x.org\nSubject: Hello\n\nhi\n"
    path.write_text(mail)
    [thread], findings = taken(path)
    assert thread.turns[0].sent_at.date().isoformat() == day
    assert [told in str(finding) for finding in findings] == [True] * bool(told)


def test_a_mail_whose_day_nothing_tells_is_named(tmp_path: Path) -> None:
    path = tmp_path / "2025-03-06.eml"
    path.write_bytes(HEAD.replace(b"Tue, 10 Feb 2026", b"Tue, 40 Feb 2026") + b"\nhi")
    [thread], findings = taken(path)
    assert thread.turns[0].sent_at.date().isoformat() == "2025-03-06"
    [problem] = [finding for finding in findings if isinstance(finding, Problem)]
    assert problem.reason.startswith('the mail "Hello": its date cannot be read')
    assert problem.reason.endswith("it is dated 2025-03-06")


@pytest.mark.parametrize(
    "labels", ["Spam,Unread", "Opened, Trash", "Drafts", "=?UTF-8?Q?Entw=C3=BCrfe?=", "=?UTF-8?B?6I2J56i/?="]
)
def test_drafts_spam_and_the_trash_are_left_out_and_counted(labels: str, tmp_path: Path) -> None:
    path = tmp_path / "mail.mbox"
    mail = "From x@xxx Wed Mar 05 10:00:00 2025\nX-Gmail-Labels: {}\nFrom: ann@x.org\nMessage-ID: <{}@x>\n\n{}\n\n"
    path.write_text(mail.format(labels, 1, "Not sent.") + mail.format("Inbox,Spam tips", 2, "Sent."), encoding="utf-8")
    [thread], findings = taken(path)
    assert [turn.text for turn in thread.turns] == ["Sent."]
    assert Skipped(path=str(path), reason="that are drafts, spam or in the trash", messages=1) in findings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("From x Mon Jan 12\nFrom: Ann <a@x.org>\nDate: notadate\n\nHi", 'its date cannot be read ("notadate")'),
        ("From: Ann <a@x.org>\nSubject: Hello\n\nHi", "it has no date"),
        ("From x Mon Jan 12\nSubject: Hello\n\nHi", "it has no sender"),
    ],
)
def test_a_file_named_as_mail_tells_what_its_mail_lacks(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    path.write_text(text, encoding="utf-8")
    findings: list[Finding] = []
    with suppress(InputError):
        list(read(path, ReadOptions(tz=UTC), findings.append))
    [problem] = [finding for finding in findings if isinstance(finding, Problem)]
    assert reason in problem.reason


@pytest.mark.parametrize(("name", "form"), [("a.mbox", "mail"), ("a.ics", "icalendar")])
def test_a_file_without_the_form_of_its_name_says_so(name: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("Nothing of the kind", encoding="utf-8")
    with pytest.raises(InputError, match=f"does not begin like the format {form}"):
        list(read(path, ReadOptions(tz=UTC), lambda finding: None))
