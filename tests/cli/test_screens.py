"""What people read of memories in a list, at the widths of terminals."""

from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import RenderableType

from evermem_cli.cli.actions import diagnosis
from evermem_cli.cli.actions.diagnosis import Check
from evermem_cli.cli.lookups.memories import Listing, PhraseMeaning
from evermem_cli.cli.presentation import listings, profiles, screens
from evermem_cli.cli.shared.formatting import day, value_shown
from evermem_cli.cli.shared.terminal import Fitting, Terminal, styled
from evermem_cli.config import Settings
from evermem_cli.engines.catalog import MODELS
from evermem_cli.memory import (
    CalendarTime,
    ChatOutline,
    Conflict,
    Conversation,
    Episode,
    Fact,
    FactSupport,
    Profile,
    ProfileFact,
    Status,
    Strength,
    Time,
    TimelineEvent,
    Trait,
    chat_name,
)
from evermem_cli.memory.chats import MAX_NAME
from evermem_cli.timespan import Interval
from evermem_cli.transcripts import FORMATS
from tests.support.lives import conversation, messages


def shown(screen: RenderableType, width: int = 80) -> str:
    out = StringIO()
    Terminal(out, width).print(screen)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def wrapped(screen: RenderableType, width: int) -> list[str]:
    """The lines of a terminal of this width."""
    out = StringIO()
    terminal = Terminal(out)
    terminal.width = width
    terminal.print(screen)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def episode(whose: str | None, text: str, topic: str = "cell-1") -> Episode:
    return Episode(
        id=f"episode-{whose}-{topic}", user_id=whose, subject="Moving", summary=text, episode=text,
        memcell_event_id_list=(topic,), said_at=datetime(2025, 3, 1, tzinfo=UTC),
    )  # fmt: skip


def test_a_topic_is_listed_once_with_who_else_it_is_told_for() -> None:
    told = (episode("default", "I moved."), episode(None, "Maya moved."), episode("Tom", "She moved."))
    lines = shown(listings.listing(Listing(items=(*told, episode(None, "Rain.", "cell-2")), owner="default"), UTC))
    assert lines.splitlines() == [
        "Moving", "    Maya moved.", "    1 Mar 2025, also as told for you, Tom · episode-None-cell-1",
        "Moving", "    Rain.", "    1 Mar 2025 · episode-None-cell-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "width", "head"),
    [
        ("The removal van comes on Saturday", 33, "The removal van comes on Saturday"),
        ("The removal van comes on Saturday", 32, "The removal van comes on…"),
        ("The removal van comes, says Priya", 24, "The removal van comes…"),
        ("Donaudampfschifffahrtsgesellschaft", 20, "Donaudampfschifffah…"),
        ("小雨圣诞节想去爱丁堡看我", 12, "小雨圣诞节…"),
    ],
)
def test_a_title_is_cut_at_a_word_to_the_width_of_the_screen_alone(title: str, width: int, head: str) -> None:
    topic = replace(episode(None, "A van."), subject=title)
    listed = listings.listing(Listing(items=(topic,)), UTC)
    assert wrapped(listed, width)[0] == head
    assert shown(listed, 10_000).splitlines()[0] == title


def test_a_timeline_keeps_an_entry_of_a_topic_on_one_line_with_its_theme() -> None:
    title = "Maya has a sinus infection and is on antibiotics since yesterday"
    topic = TimelineEvent(
        at=datetime(2026, 5, 7, tzinfo=UTC), kind="topic", title=title, text=title, theme="health", people=("Maya",),
        id="episode-1", message_ids=(),
    )  # fmt: skip
    lines = wrapped(profiles.timeline([topic], UTC, ""), 60)
    assert lines == ["May 2026", "    7  Maya has a sinus infection and is on…  (health)"]


def test_a_list_of_facts_counts_what_confirms_one_and_shows_a_strength_only_where_it_has_faded() -> None:
    at = datetime(2025, 3, 1, tzinfo=UTC)
    facts = [
        Fact(
            id=name, atomic_fact=f"Ann said {name}.", speaker="Ann", user_id="ann", group_id="", parent_type="memcell",
            parent_id="cell-1", said_at=at, valid_at=None, invalid_at=None, confidence=1, message_ids=(),
        )
        for name in ("sure", "old", "new")
    ]  # fmt: skip
    strengths = {
        "sure": Strength(strength=1.5, last_accessed=None, access_count=0, archived=False),
        "old": Strength(strength=0.42, last_accessed=at, access_count=2, archived=True),
        "new": Strength(strength=1.0, last_accessed=None, access_count=0, archived=False),
    }
    supports = {"sure": FactSupport(confirmed_by={"a": 1.0, "b": 1.0}, ended_by={"c": 1.0})}
    listed = Listing(items=tuple(facts), strengths=strengths, supports=supports)
    assert shown(listings.listing(listed, UTC)).splitlines()[1::2] == [
        "    said 1 Mar 2025, confirmed 2×, replaced · sure",
        "    said 1 Mar 2025, strength 0.42, shown 2×, archived · old",
        "    said 1 Mar 2025 · new",
    ]


def test_a_day_that_is_a_value_is_shown_as_people_write_days() -> None:
    at, message = datetime(2025, 3, 1, tzinfo=UTC), messages(conversation("chat"), "On the 4th.")[0]
    moved = Conflict(
        id="c", scope="profile", user_id="ann", attribute="the hip operation day", old_value="2025-06-03",
        new_value="2025-06-04", old_timestamp=at, new_timestamp=at, old_messages=("m",), new_messages=("m",),
    )  # fmt: skip
    head = shown(profiles.conflicts([moved], {"m": message}, UTC)).splitlines()[0]
    assert head == "the hip operation day: 3 Jun 2025 → 4 Jun 2025  (since 1 Mar 2025)"
    assert [value_shown(value) for value in ("pescatarian", "ten o'clock", "0171234567")] == [
        "pescatarian", "ten o'clock", "0171234567",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        (datetime(2026, 12, 11, tzinfo=UTC), datetime(2026, 12, 12, tzinfo=UTC), "11 December 2026 (day)"),
        (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC), "1 May 2026 to 31 May 2026 (day)"),
        (datetime(2026, 5, 1, tzinfo=UTC), None, "1 May 2026 to … (day)"),
        (
            datetime(2026, 5, 1, 17, tzinfo=UTC),
            datetime(2026, 5, 1, 18, tzinfo=UTC),
            "1 May 2026, 17:00 to 1 May 2026, 18:00 (day)",
        ),
    ],
)
def test_what_a_phrase_means_is_shown_from_its_first_day_to_its_last(
    start: datetime, end: datetime | None, told: str
) -> None:
    meaning = PhraseMeaning(phrase="then", at=start, interval=Interval(start, end, "day"), spans=())
    assert shown(screens.when(meaning)) == f"then: {told}"


def test_counts_stand_beside_their_names_however_long_the_path(tmp_path: Path) -> None:
    db = tmp_path / ("long" * 20)
    db.write_bytes(b"")
    number = {"schema_version": 1, "dimension": 4, "pending": 0, "unformed": 0, "failed": 0}
    counts = Status(embedder="words", counts={"messages": 12, "memcells": 3}, **number)
    assert wrapped(screens.status(counts, db), 300)[1:3] == ["messages  12", "topics    3"]


def test_likings_hang_below_their_beginnings() -> None:
    at = datetime(2025, 3, 1, tzinfo=UTC)
    trait = Trait(
        trait="Ann likes tea " * 5, confidence=1, tentative=True, said_at=at, message_ids=(), source_scenes=()
    )
    described = Profile(user_id="ann", name="Ann", as_of=at, facts={}, traits=(trait,), last_updated=at)
    _, heading, first, *rest = wrapped(profiles.profile(described, UTC, history=False), 40)
    assert heading == "perhaps (said once or twice)"
    assert first.startswith("  Ann")
    assert rest and all(line.startswith("    ") for line in rest)


def test_the_text_comes_first_and_the_id_last() -> None:
    chat: Conversation = conversation("music")
    first, below = shown(listings.item(chat, UTC)).splitlines()
    assert (first, below.endswith(f" · {chat.id}")) == (chat.title or chat.key, True)


@pytest.mark.parametrize("width", [60, 80])
def test_chats_without_titles_are_told_apart_by_their_days_sizes_and_first_words(width: int) -> None:
    titles = {"a": "claude", "b": "claude", "c": "", "d": "d", "e": "Roses"}  # a file's name, none, a session's id
    openings = ["Prune now?", "And the\ntulips?", "", "A long question " * 20, "Hello"]
    chats = tuple(replace(conversation(name), title=title) for name, title in titles.items())
    outlines = {
        chat.id: ChatOutline(
            message_count=number,
            first_at=datetime(2025, 1, number, tzinfo=UTC),
            last_at=datetime(2025, 1, 2, tzinfo=UTC),
            opening=opening,
            name=chat_name(chat.title, chat.key, chat.kind, opening, ()),
            is_alone=number == 2,
        )
        for number, (chat, opening) in enumerate(zip(chats, openings, strict=True), 1)
    }
    lines = wrapped(listings.listing(Listing(items=chats, outlines=outlines), UTC), width)
    heads = [line for line in lines if not line.startswith(" ")]
    assert max(map(len, lines)) <= width
    long = "A long question A long question A long question A long…"
    long = {60: long, 80: ("A long question " * 20)[: MAX_NAME - 1] + "…"}[width]
    assert heads == ["claude: Prune now?", "claude: And the tulips?", "c", long, "Roses"]
    assert " ".join(" ".join(lines[1:4]).split()).startswith(
        "with an assistant, text, 1 Jan 2025 to 2 Jan 2025, 1 message · conv-a"
    )
    assert "with yourself, text, 2 Jan 2025, 2 messages" in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(("width", "chosen"), [(20, "wide enough for that"), (19, "narrow")])
def test_the_layout_that_fits_is_chosen(width: int, chosen: str) -> None:
    assert shown(Fitting(styled("wide enough for that"), styled("narrow")), width) == chosen


def test_a_timeline_shows_no_day_and_no_month_that_nobody_named() -> None:
    def change(at: Time, title: str) -> TimelineEvent:
        return TimelineEvent(
            at=at, kind="change", title=title, text=title, theme="general", people=("Ann",), id=title, message_ids=()
        )

    events = [
        change(CalendarTime(datetime(2019, 1, 1), "year"), "asthma"),
        change(datetime(2026, 5, 1, tzinfo=UTC), "no meat"),
        change(CalendarTime(datetime(2026, 5, 1), "month"), "Leipzig"),
        change(CalendarTime(datetime(2026, 5, 3), "day"), "Volvo"),
        change(CalendarTime(datetime(2026, 5, 25), "week"), "Kassel"),
        change(CalendarTime(datetime(2027, 6, 1), "season"), "Leeds"),
    ]
    assert shown(profiles.timeline(events, UTC, "")).splitlines() == [
        "2019", "       Ann, asthma",
        "May 2026", "    1  Ann, no meat", "       Ann, Leipzig", "    3  Ann, Volvo", "25–31  Ann, Kassel",
        "June 2027", "       Ann, Leeds",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("grain", "told"),
    [
        ("day", "1 Jun 2027"),
        ("week", "the week of 1 Jun 2027"),
        ("season", "Jun 2027"),
        ("half", "Jun 2027"),
        ("decade", "2027"),
    ],
)
def test_a_time_is_told_no_finer_than_it_was_named(grain: str, told: str) -> None:
    assert day(CalendarTime(datetime(2027, 6, 1), grain), UTC) == told


def test_an_empty_screen_says_why() -> None:
    assert shown(listings.foresights(Listing(items=()), UTC, 0)) == "nothing is expected"
    assert shown(listings.foresights(Listing(items=()), UTC, 1)).endswith("with 1 topic left for `evermem enrich`")
    assert profiles.no_events(theme=False, scenes=False, within=True) == "nothing to show in this time"
    assert profiles.no_events(theme=False, scenes=False, within=False) == "nothing to show"
    assert profiles.no_events(theme=True, scenes=True, within=False) == "nothing of this theme"


def test_settings_and_models_stay_readable_in_a_narrow_terminal() -> None:
    settings = wrapped(screens.config(Settings.load(offline=False, db=Path("m.duckdb"), models_dir=Path("models"))), 60)
    models = wrapped(screens.models([(model, False) for model in MODELS]), 60)
    for lines in (settings, models):
        assert max(map(len, lines)) <= 60
        assert [line for line in lines[:-2] if line.startswith(" ") and not line.startswith("    ")] == []
    assert settings[0] == 'db = "m.duckdb"'
    assert "offline = false" in settings
    assert models[0] == "qwen2.5-coder-1.5b  here: no, 1,117 MB"


def test_formats_and_checks_hang_below_their_names() -> None:
    checks = [Check("versions", "a long list " * 9, "install it again"), Check("privacy", "only you")]
    first, *rest = wrapped(diagnosis.screen(checks), 60)
    assert first.startswith("ok  versions: a long list")
    assert len(rest) > 3
    assert [line for line in rest if not line.startswith(("    ", "ok  "))] == []
    names = [line for line in wrapped(screens.formats(FORMATS), 60) if not line.startswith(" ")]
    assert [line.split()[0] for line in names[: len(FORMATS)]] == sorted(known.name for known in FORMATS)


def test_what_would_be_hidden_is_shown_in_every_cell_of_a_table() -> None:
    from rich.table import Table

    rows = Table.grid()
    rows.add_row("a\x1bb", styled("c\x1b[2Jd\re\x07"))
    assert shown(rows).endswith(r"c\x1b[2Jd\re\x07")
    assert shown(rows).isprintable()


def test_a_long_value_of_a_profile_does_not_move_the_days_of_the_others() -> None:
    at = datetime(2025, 3, 1, tzinfo=UTC)
    facts: dict[str, tuple[ProfileFact, ...]] = {
        name: (
            ProfileFact(
                attribute=name, value=value, confidence=1, valid_at=at, invalid_at=None, said_at=at, assertions=()
            ),
        )
        for name, value in {"goal": "to walk " * 50, "location": "Leeds"}.items()
    }
    described = Profile(user_id="ann", name="Ann", as_of=at, facts=facts, traits=(), last_updated=at)
    lines = shown(profiles.profile(described, UTC, history=False), 600).splitlines()
    [day] = [line for line in lines if "Leeds" in line]
    assert day.index("since") < 120


def test_on_a_narrow_terminal_a_text_hangs_and_an_id_keeps_its_separator() -> None:
    screen = listings.entry(
        "Ann has two cats and lives in Leeds, near the station.", "said 3 Mar 2025, archived", "fact-1"
    )
    assert wrapped(screen, 36) == [
        "Ann has two cats and lives in",
        "  Leeds, near the station.",
        "    said 3 Mar 2025, archived",
        "    · fact-1",
    ]
    assert wrapped(screen, 80)[1] == "    said 3 Mar 2025, archived · fact-1"
