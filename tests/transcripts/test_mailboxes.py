"""Folders of mail programs: all mail in them is one input, and what is no mail is counted."""

import mailbox
import zipfile
from datetime import UTC
from email.message import EmailMessage
from pathlib import Path

import pytest

from evermem_cli.memory import Finding, Skipped, Transcript
from evermem_cli.transcripts import ReadOptions, Skip, find, read


def letter(number: int, sender: str, text: str, answers: int = 0) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["Message-ID"] = f"{sender} <{sender}@x.org>", "Lunch", f"<{number}@x.org>"
    mail["Date"] = f"Sat, 14 Feb 2026 1{number}:00:00 +0000"
    if answers:
        mail["References"] = f"<{answers}@x.org>"
    mail.set_content(text)
    return mail


ASKED, ANSWERED, THANKED = letter(1, "bob", "Lunch?"), letter(2, "ann", "Yes.", 1), letter(3, "bob", "Great.", 1)


def taken(path: Path) -> tuple[list[Transcript], dict[str, int]]:
    findings: list[Finding] = []
    chats = list(read(path, ReadOptions(tz=UTC), findings.append))
    assert all(isinstance(finding, Skipped) for finding in findings)
    return chats, {finding.reason: finding.messages for finding in findings if isinstance(finding, Skipped)}


def texts(chats: list[Transcript]) -> list[list[str]]:
    return [[turn.text for turn in chat.turns] for chat in chats]


def profile(folder: Path, separator: bytes) -> Path:
    """A profile of Thunderbird, with a mail that it has deleted and one in the trash."""
    place = folder / "a1b2.default" / "Mail" / "Local Folders"
    gone = letter(4, "eve", "Deleted.")
    gone["X-Mozilla-Status"] = "0009"
    for name, mails in {
        "Inbox": [ASKED, THANKED, gone],
        "Sent": [ANSWERED],
        "Inbox.sbd/Family 2.0": [letter(5, "mum", "From Rome.\n\nFrom all of us.")],
        "Trash": [letter(6, "eve", "Thrown away.")],
        "Junk": [],
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(separator + mail.as_bytes().replace(b"\nFrom ", b"\n>From ") + b"\n" for mail in mails)
        (place / name).write_bytes(data)
        (place / f"{name}.msf").write_text("// <!-- <mdb:mork:z")
    for name, text in {"prefs.js": "//", "addons.json": "{}", "pkcs11.txt": "name=x\n"}.items():
        (place.parents[1] / name).write_text(text)
    return place.parents[1]


@pytest.mark.parametrize("separator", [b"From \r\n", b"From - Sat Feb 14 10:00:00 2026\n"])
def test_a_profile_of_thunderbird_is_one_input_without_its_other_files(separator: bytes, tmp_path: Path) -> None:
    path = profile(tmp_path, separator)
    assert list(find([tmp_path])) == [path]
    chats, left_out = taken(path)
    assert texts(chats) == [["Lunch?", "Yes.", "Great."], ["From Rome.\n\nFrom all of us."]]
    assert left_out == {"files beside the mail": 9, "that are drafts, spam or in the trash": 2}
    with zipfile.ZipFile(tmp_path / "mail.zip", "w") as archive:
        archive.writestr("family.txt", "Ann: Dinner?\nMum: Yes.\n")
        for file in path.rglob("*"):
            archive.write(file, file.relative_to(tmp_path))
    zipped, _ = taken(tmp_path / "mail.zip")
    assert texts(zipped) == [*texts(chats), ["Dinner?", "Yes."]]
    assert tmp_path / "mail.zip" in list(find([tmp_path]))


def maildir(path: Path) -> Path:
    """A Maildir with a folder for sent mail, whose name is hidden, a draft and an unread mail."""
    box = mailbox.Maildir(path)
    for mail, flags in ((ASKED, "S"), (letter(4, "ann", "A draft."), "D")):
        message = mailbox.MaildirMessage(mail)
        message.set_subdir("cur")
        message.set_flags(flags)
        box.add(message)
    box.add(THANKED)
    box.add_folder("Sent").add(ANSWERED)
    box.add_folder("Trash").add(letter(5, "eve", "Thrown away."))
    (path / "dovecot.index.log").write_text("x")
    return path


def test_a_maildir_is_one_input_with_its_folders(tmp_path: Path) -> None:
    path = maildir(tmp_path / "Maildir")
    assert list(find([tmp_path])) == [path]
    chats, left_out = taken(path)
    assert texts(chats) == [["Lunch?", "Yes.", "Great."]]
    assert left_out == {"files beside the mail": 1, "that are drafts, spam or in the trash": 2}
    with zipfile.ZipFile(tmp_path / "mail.zip", "w") as archive:
        for file in path.rglob("*"):
            archive.write(file, file.relative_to(tmp_path))
    assert texts(taken(tmp_path / "mail.zip")[0]) == texts(chats)


def test_a_maildir_whose_mails_are_all_unread_is_read(tmp_path: Path) -> None:
    mailbox.Maildir(tmp_path / "Maildir").add(ASKED)
    assert texts(taken(tmp_path / "Maildir")[0]) == [["Lunch?"]]


def test_an_account_with_a_maildir_for_each_folder_is_one_input(tmp_path: Path) -> None:
    (tmp_path / "account").mkdir()
    inbox, sent = (mailbox.Maildir(tmp_path / "account" / name) for name in ("INBOX", "Sent"))
    for mail in (ASKED, THANKED):
        inbox.add(mail)
    sent.add(ANSWERED)
    assert list(find([tmp_path])) == [tmp_path / "account"]
    assert texts(taken(tmp_path / "account")[0]) == [["Lunch?", "Yes.", "Great."]]


def test_an_mbox_without_a_suffix_is_found_among_other_files(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "saved")
    box.add(ASKED)
    box.close()
    (tmp_path / "LICENSE").write_text("From here on all is free.\n")
    passed_over: dict[Path, Skip] = {}
    assert list(find([tmp_path], passed_over.__setitem__)) == [tmp_path / "saved"]
    assert passed_over == {tmp_path / "LICENSE": Skip.NO_CHAT}
    with zipfile.ZipFile(tmp_path / "mail.zip", "w") as archive:
        archive.write(tmp_path / "saved", "mail/saved")
        archive.write(tmp_path / "LICENSE", "LICENSE")
    assert texts(taken(tmp_path / "mail.zip")[0]) == texts(taken(tmp_path / "saved")[0]) == [["Lunch?"]]


def test_a_line_that_is_only_from_divides_no_single_mail(tmp_path: Path) -> None:
    (path := tmp_path / "a.eml").write_bytes(letter(1, "bob", "Mine is\n\nFrom \n\nRome.").as_bytes())
    assert texts(taken(path)[0]) == [["Mine is\n\nFrom\n\nRome."]]
