"""Notes in Markdown: the owner's own words, whichever file they stand in, and nobody else's."""

import os
from datetime import UTC, date
from pathlib import Path

import pytest

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Role, Skipped, Transcript
from evermem_cli.transcripts import DateOrder, ReadOptions, find, read


def taken(path: Path) -> tuple[list[Transcript], list[Finding]]:
    findings: list[Finding] = []
    return list(read(path, ReadOptions(tz=UTC, me="Ann"), findings.append)), findings


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_markdown_file_in_which_nobody_is_named_is_a_note_of_the_user(tmp_path: Path) -> None:
    path = written(tmp_path / "2026-02-09 Ideas.md", "A garden.\n\n## Costs\n\nSays [[Bob|Bobby]], 200 euros.")
    (note,), _ = taken(path)
    assert [(turn.speaker, turn.role, turn.text) for turn in note.turns] == [
        ("Ann", Role.USER, "A garden."),
        ("Ann", Role.USER, "Costs\nSays Bobby, 200 euros."),
    ]
    assert {turn.sent_at.date() for turn in note.turns} == {date(2026, 2, 9)}
    assert (note.key, note.title) == (f"notes:{path.resolve().as_posix()}", "2026-02-09 Ideas")
    assert note.guesses[0].startswith("nobody is named in it")


def test_a_comment_is_left_out_and_counted_but_not_in_code(tmp_path: Path) -> None:
    text = "Milk %%oat?%% and eggs, 5%% off\n\n# Plan\n%%\n# Secret\nnone\n%%\nthe end\n```\n%% a %% b\n```\n"
    (note,), findings = taken(written(tmp_path / "a.md", text))
    assert [turn.text for turn in note.turns] == ["Milk  and eggs, 5%% off", "Plan\nthe end\n```\n%% a %% b\n```"]
    assert [finding.messages for finding in findings if isinstance(finding, Skipped)] == [2]


def test_a_heading_may_be_closed_and_may_end_in_its_mark(tmp_path: Path) -> None:
    (note,), _ = taken(
        written(tmp_path / "a.md", f"## Costs ##\nhigh\n# C#\na language\n#{' ' * 20_000}Plan\nthe end\n")
    )
    assert [turn.text for turn in note.turns] == ["Costs\nhigh", "C#\na language", "Plan\nthe end"]


def test_a_markdown_file_in_which_people_speak_is_no_note(tmp_path: Path) -> None:
    (chat,), _ = taken(written(tmp_path / "chat.md", "Ann: hi\nBob: ho\nAnn: well\n"))
    assert (chat.format, [turn.speaker for turn in chat.turns]) == ("text", ["Ann", "Bob", "Ann"])


def test_what_stands_above_a_chat_is_a_note_of_the_user(tmp_path: Path) -> None:
    above = "# Meeting 2026-11-17\n\nAttendees: Bo, Cy\n\n- Bo: the budget is approved\n\n"
    path = written(tmp_path / "a.md", f"---\nid: c7\n---\n{above}**Cy** (10:04): I'm out.\n\n**Bo** (10:05): Noted.\n")
    (note, chat), findings = taken(path)
    assert [(turn.speaker, turn.text, turn.sent_at.date()) for turn in note.turns] == [
        ("Ann", "Meeting 2026-11-17\nAttendees: Bo, Cy\n\n- Bo: the budget is approved", date(2026, 11, 17))
    ]
    assert (note.key, chat.key) == (f"notes:{path.resolve().as_posix()}", "c7")
    assert (note.title, chat.title, findings) == ("Meeting 2026-11-17", "Meeting 2026-11-17", [])
    assert [turn.speaker for turn in chat.turns] == ["Cy", "Bo"]


@pytest.mark.parametrize(
    ("above", "titles", "left_out"),
    [
        ("I asked on Sunday.", ["a", ""], 0),
        ("Trip to Rome", ["Trip to Rome"], 0),
        ("# What to cook?", ["What to cook?"], 0),
        ("# Trip\n\n**Model:** gpt-4\nLink: x\n\n---\n2026-02-09", ["Trip"], 2),
    ],
)
def test_titles_and_fields_above_a_chat_are_no_note(
    above: str, titles: list[str], left_out: int, tmp_path: Path
) -> None:
    chats, findings = taken(written(tmp_path / "a.md", f"{above}\n\n## You\nHello\n\n## Assistant\nHi\n"))
    assert [chat.title for chat in chats] == titles
    assert sum(finding.messages for finding in findings if isinstance(finding, Skipped)) == left_out


@pytest.mark.parametrize(
    ("name", "text", "speakers"),
    [
        ("a.md", "# Call\n\nI called on Sunday.\n\n## You\nCake?\n\n## Mira\nYes please.\n", ["Ann", "Mira"]),
        ("a.md", "## You\nCake?\nAnd plates?\n## Mira\nYes.\nMany.\n## Jo\nNo.\n", ["Ann", "Mira", "Jo"]),
        ("a.md", "Sunday.\n\n**Me:** Cake?\nAnd plates?\n\n**Mira:** Yes.\nMany.\n", ["Ann", "Mira"]),
        ("a.txt", "You: Cake?\nAnd plates?\nAnd tea?\nMira: Yes.\nMany.\n", ["Ann", "Mira"]),
        ("a.txt", "User: a question\nabout\nmany\nthings: all\n", ["Ann"]),
        ("a.md", "# About\n## Me\nI am vegan.\n## Family\nMum is well.\n## Work\nI bake.\n", ["Ann"]),
    ],
)
def test_who_answers_the_user_once_speaks_and_is_not_the_user(
    name: str, text: str, speakers: list[str], tmp_path: Path
) -> None:
    transcripts, _ = taken(written(tmp_path / name, text))
    assert list(dict.fromkeys(turn.speaker for chat in transcripts for turn in chat.turns)) == speakers


def test_a_plain_text_without_names_is_still_no_note(tmp_path: Path) -> None:
    assert not taken_formats(written(tmp_path / "a.txt", "A garden on the roof."))


def taken_formats(path: Path) -> set[str]:
    try:
        return {transcript.format for transcript in taken(path)[0]}
    except InputError:
        return set()


def test_a_vault_is_one_input_and_its_notes_keep_their_ids_when_they_change(tmp_path: Path) -> None:
    vault = tmp_path / "home" / "My vault"
    written(vault / ".obsidian" / "app.json", "{}")
    note = written(vault / "a" / "Health.md", "# Allergies\nWalnuts.\n# Pills\nNone.")
    assert list(find([tmp_path])) == [vault]
    (before,), _ = taken(vault)
    written(note, "# Allergies\nWalnuts and shellfish.\n# Pills\nNone.")
    (after,), _ = taken(vault)
    assert before.key == after.key == "notes:My vault/a/Health.md"
    assert [turn.external_id for turn in before.turns] == [turn.external_id for turn in after.turns]


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("---\ndate: 2025-02-30\n---\n", "front matter: no such date: 2025-02-30; it is left out"),
        ("---\ndate: 2025-02-20\n", "front matter without a `---` at its end"),
    ],
)
def test_front_matter_that_gives_no_day_is_told_of(tmp_path: Path, head: str, told: str) -> None:
    (note,), findings = taken(written(tmp_path / "a.md", f"{head}A garden.\n"))
    assert note.turns[-1].text.endswith("A garden.")
    [problem] = [finding for finding in findings if isinstance(finding, Problem)]
    assert problem.reason.startswith(told)


def test_front_matter_that_is_hostile_is_left_out_and_told_of(tmp_path: Path) -> None:
    laughs = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    (note,), findings = taken(written(tmp_path / "laughs.md", f"---\n{laughs}date: 2026-02-14\n---\nMine."))
    assert note.turns[0].sent_at.date() == date(2026, 2, 14)
    for matter in ("a: [", "- " * 40_000, "? " * 2000, "date: !!python/object/apply:os.system [ls]"):
        (note,), findings = taken(written(tmp_path / "note.md", f"---\n{matter}\n---\nMine."))
        assert [turn.text for turn in note.turns] == ["Mine."]
        assert [each for each in findings if isinstance(each, Problem)] or matter.startswith("date")


@pytest.mark.parametrize(
    ("stated", "order", "day"),
    [
        ("25/12/2025", None, date(2025, 12, 25)),
        ("14 March 2025", None, date(2025, 3, 14)),
        ("03/04/2025", DateOrder.DMY, date(2025, 4, 3)),
        ("03/04/2025", DateOrder.MDY, date(2025, 3, 4)),
        ("03/04/2025 10:04", DateOrder.DMY, date(2025, 4, 3)),
    ],
)
def test_front_matter_may_have_a_date_of_any_form(
    stated: str, order: DateOrder | None, day: date, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.md", f"---\ndate: {stated}\n---\nA garden.\n")
    findings: list[Finding] = []
    [note] = read(path, ReadOptions(tz=UTC, date_order=order), findings.append)
    assert (note.turns[0].sent_at.date(), findings) == (day, [])


def test_a_note_whose_date_is_ambiguous_is_refused_until_the_order_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "a.md", "---\ndate: 03/04/2025\n---\nA garden.\n")
    with pytest.raises(InputError, match="--date-order says it: 03/04/2025"):
        taken(path)


@pytest.mark.parametrize(
    ("name", "matter", "above"),
    [
        ("a", "---\ndate: 2024-05-03\n---\n", "2024-05-03T00:00"),
        ("a", "---\ndate: 2024-05-03 18:30\n---\n", "2024-05-03T18:30"),
        ("2024-05-03", "", "2024-05-03T00:00"),
        ("a", "", "2024-05-07T00:00"),
    ],
)
def test_a_heading_with_a_date_dates_what_follows_and_nothing_above(
    name: str, matter: str, above: str, tmp_path: Path
) -> None:
    text = "I moved.\n## 2024-05-07\n### Dinner\nWe had soup.\n## 2024-05-09 Work\nI began.\n### Boss\nPetra.\n"
    (note,), _ = taken(written(tmp_path / f"{name}.md", matter + text))
    assert [(turn.sent_at.isoformat("T", "minutes")[:-6], turn.text) for turn in note.turns] == [
        (above, "I moved."),
        ("2024-05-07T00:00", "Dinner\nWe had soup."),
        ("2024-05-09T00:00", "2024-05-09 Work\nI began."),
        ("2024-05-09T00:01", "Boss\nPetra."),
    ]


def test_a_heading_that_is_only_a_date_is_no_text(tmp_path: Path) -> None:
    text = "# 2024-05-03\nSoup.\n## [[2024-05-04]]:\nRice.\n## 2024-05-05 10:30\nTea.\n## 2024-13-01\nNo.\n"
    assert texts_of(written(tmp_path / "a.md", text)) == ["Soup.", "Rice.", "2024-05-05 10:30\nTea.", "2024-13-01\nNo."]


def test_a_day_in_the_name_of_a_note_that_does_not_exist_is_told_of(tmp_path: Path) -> None:
    _, findings = taken(written(tmp_path / "2025-02-30.md", "A garden."))
    assert ["no such date: 2025-02-30 in its name" in str(finding) for finding in findings] == [True]


def texts_of(path: Path) -> list[str]:
    return [turn.text for note in taken(path)[0] for turn in note.turns]


def test_the_title_of_a_note_is_repeated_only_where_its_text_lacks_it(tmp_path: Path) -> None:
    for name, text, words in [
        ("Miso", "# Miso\n\nMiso is my cat.", ["Miso is my cat."]),
        ("Miso", "# Miso\n\nA grey cat.", ["Miso\nA grey cat."]),
        ("Art", "# Art\n\nI start on Monday.", ["Art\nI start on Monday."]),
        (
            "pets",
            "---\ntitle: My pets\n---\n# My Pets\n\nWho my pets are.\n# Miso\nMiso",
            ["Who my pets are.", "Miso\nMiso"],
        ),
    ]:
        assert texts_of(written(tmp_path / f"{name}.md", text)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Miso is grey. ^a1b2\n^c3\nShe weighs 4 kg.", "Miso is grey.\n\nShe weighs 4 kg."),
        (
            "mood:: good\n- [weight:: 4 kg] and (age:: 3)\nstd::vector",
            "mood: good\n- weight: 4 kg and age: 3\nstd::vector",
        ),
        ("a\n```dataview\nlist from #cat\n```\nb", "a\nb"),
        ("a\n```dataviewjs\n```\nb `= this.age` `$= dv.pages()` `=>`", "a\nb   `=>`"),
        ("a\n```\nmood:: good ^a1\n```\nb", "a\n```\nmood:: good ^a1\n```\nb"),
    ],
)
def test_what_plugins_of_obsidian_write_is_not_in_the_text(text: str, words: str, tmp_path: Path) -> None:
    assert texts_of(written(tmp_path / "a.md", text)) == [words]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# {{date:YYYY-MM-DD}}\n\nI feel ", "templates of notes"),
        ("---\ncreated: {{date}}\n---\nI feel ", "templates of notes"),
        ("# <% tp.file.title %>\n\n<%* await x() -%>\nI feel", "templates of notes"),
        ("---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nhello ^a1\n", "drawings of Excalidraw"),
    ],
)
def test_templates_and_drawings_are_left_out_and_counted(text: str, reason: str, tmp_path: Path) -> None:
    written(tmp_path / ".obsidian" / "app.json", "{}")
    written(
        tmp_path / "b.md",
        "In code, `{{date}}` is one.\nOur pages use {{ title }} in the header.\n```\n<% tp.date %>\n```\n",
    )
    written(tmp_path / "a.md", text)
    notes, findings = taken(tmp_path)
    assert [note.title for note in notes] == ["b"]
    assert findings == [Skipped(path=str(tmp_path), reason=reason, messages=1)]


def test_the_folders_of_templates_are_those_of_the_settings(tmp_path: Path) -> None:
    written(tmp_path / ".obsidian" / "templates.json", '{"folder": "Meta/Templates"}')
    written(tmp_path / ".obsidian" / "plugins" / "templater-obsidian" / "data.json", '{"templates_folder": "T/"}')
    for name in ("Meta/Templates/a/Day.md", "T/Day.md", "Templates/Day.md", "Meta/Day.md"):
        written(tmp_path / name, f"I slept well: {name}")
    _, findings = taken(tmp_path)
    assert texts_of(tmp_path) == ["I slept well: Meta/Day.md", "I slept well: Templates/Day.md"]
    assert findings == [Skipped(path=str(tmp_path), reason="templates of notes", messages=2)]


def test_front_matter_may_be_toml(tmp_path: Path) -> None:
    path = written(tmp_path / "a.md", '+++\nTitle = "Rome"\ndate = 2024-05-06T10:00:00Z\ntags = ["a"]\n+++\nMine.\n')
    (note,), findings = taken(path)
    assert (note.title, note.turns[0].text, findings) == ("Rome", "Mine.", [])
    assert note.turns[0].sent_at.isoformat() == "2024-05-06T10:00:00+00:00"
    for matter, told in (("date = [\n+++\n", "front matter that is no TOML"), ("a = 1\n", "without a `+++`")):
        _, findings = taken(written(tmp_path / "b.md", f"+++\n{matter}Mine.\n"))
        assert [told in str(finding) for finding in findings] == [True]


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("202403051230 Idea", "2024-03-05T12:30:00"),
        ("20240305123045", "2024-03-05T12:30:45"),
        ("Idea-20240305", "2024-03-05T00:00:00"),
        ("2024-W10", "2024-03-04T00:00:00"),
        ("Week 2024-W10-review", "2024-03-04T00:00:00"),
        ("2024-W10-3", "2024-03-06T00:00:00"),
        ("2024-03-05", "2024-03-05T00:00:00"),
    ],
)
def test_a_note_has_the_date_of_its_name(name: str, moment: str, tmp_path: Path) -> None:
    (note,), _ = taken(written(tmp_path / f"{name}.md", "A garden."))
    assert note.turns[0].sent_at.isoformat() == f"{moment}+00:00"


@pytest.mark.parametrize("name", ["20241332", "2024-W60", "1234567890", "202413051230", "0049171234567"])
def test_other_numbers_in_the_name_of_a_note_are_no_date(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"{name}.md", "A garden.")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (note,), _ = taken(path)
    assert note.turns[0].sent_at.date() == date(2023, 11, 14)
