"""Memory put right by its owner: told, corrected, given to its owner, taken back."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evermem_cli import archive
from evermem_cli.annotate import Annotation
from evermem_cli.consolidate import Consolidation
from evermem_cli.errors import UsageError
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Access, ActionKind, CalendarTime, Filter, Selection, Stance, Tier, wall
from evermem_cli.reading.statements.tagger import Tagger
from evermem_cli.recollection.people.profile import describe_person
from evermem_cli.repair.correcting import Correcting
from evermem_cli.repair.owner_names import OwnerNames
from evermem_cli.repair.undoing import Undo, last_action
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.recollection.searching import search
from tests.test_consolidate import day
from tests.test_ingest import Memory

TAGGER = Tagger(threads=1)
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
FAMILY = """[2025-01-06 09:00] Ann: I work at Larkfield now, and my sister Helen is in York.
[2025-01-06 09:01] Bob: I live in Hull. I will visit you on 20 January 2025.
[2025-01-06 09:02] Ann: My cat is called Miso.
"""
LATER = FAMILY + "[2025-03-06 09:00] Ann: I work at Corvane now.\n[2025-03-06 09:01] Bob: I am allergic to nuts.\n"
AMONG = FAMILY.replace("[2025-01-06 09:02]", "[2025-01-06 09:01] Ann: Bring your boots.\n[2025-01-06 09:02]")
ASSISTANT = """[2025-02-01 09:00] User: Find me a cheap hotel in Leeds.
[2025-02-01 09:01] Assistant: I found the Station Inn for 40 pounds.
[2025-02-01 09:02] User: Perfect, thank you, that is great!
"""
LONGER = ASSISTANT + "[2025-02-01 09:05] User: I moved to Leeds last week. Find me a cheap flat.\n"


def edited(lines: str, **words: str) -> str:
    """A chat in lines with ids, so that an edited message is known to be the same."""
    rows = [line for line in lines.splitlines() if line]
    told = []
    for number, row in enumerate(rows):
        stamp, said = row[1:17], row[19:]
        speaker, text = said.split(": ", 1)
        told.append(
            f'{{"id": "{number}", "speaker": "{speaker}", "text": "{words.get(f"m{number}", text)}", '
            f'"timestamp": "{stamp.replace(" ", "T")}:00Z"}}'
        )
    return "\n".join(told) + "\n"


class Home(Memory):
    """A memory that is read, and can be put right."""

    def read(self) -> None:
        Annotation(self.store, TAGGER, lambda *_: None).run()
        self.consolidation.run()

    def take_in(self, text: str, name: str = "chat.txt", choice: Choice | None = None) -> None:
        self.ingest(self.file(text, name), choice=choice)
        self.read()
        self.enrich()

    @property
    def consolidation(self) -> Consolidation:
        return Consolidation(self.store, self.settings)

    def undo(self) -> None:
        Undo(self.store, self.consolidation).run(last_action(self.store))

    def export(self) -> list[str]:
        return sorted(archive.export(self.store))

    def own(self, *names: str) -> int:
        return OwnerNames(self.store, self.consolidation, "default").assign(names)

    def correct(self, memory_id: str, text: str) -> str:
        made = Correcting(self.store, self.embedder, self.settings, "Ann", TAGGER, self.read).correct(
            memory_id, text, NOW
        )
        return made.id

    def values(self, attribute: str, person: str = "default") -> list[str]:
        found = describe_person(self.store, "default", person, day("2026-06-01"), None, history=True)
        return [fact.value for fact in found.facts.get(attribute, ())]

    def facts(self) -> list[str]:
        with self.store.read() as reader:
            return [fact.atomic_fact for fact in reader.topics.facts()]

    def id_of(self, kind: str, words: str) -> str:
        """The id of the memory of a kind that says these words."""
        with self.store.read() as reader:
            found = {
                "fact": [(each.id, each.atomic_fact) for each in reader.topics.facts()],
                "foresight": [(each.id, each.foresight) for each in reader.topics.foresights()],
                "episode": [(each.id, each.subject) for each in reader.topics.episodes()],
                "assertion": [(each.id, each.value) for each in reader.consolidation.assertions()],
            }[kind]
        return next(name for name, text in found if words in text)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path, me="Ann")
    made.take_in(FAMILY)
    return made


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("", FAMILY, "chat.txt"),
        (ASSISTANT, FAMILY, "other.txt"),
        (FAMILY, LATER, "chat.txt"),
        (FAMILY, AMONG, "chat.txt"),
        (ASSISTANT, LONGER, "chat.txt"),
        (edited(LATER), edited(LATER, m0="I work at Tidewater now."), "chat.jsonl"),
    ],
    ids=["first", "another chat", "grown", "among others", "with an assistant", "edited"],
)
def test_an_ingest_that_is_undone_leaves_the_export_as_it_was(
    tmp_path: Path, before: str, after: str, name: str
) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(before or edited(ASSISTANT), "begun.jsonl" if not before else name)
    lines = home.export()
    home.take_in(after, name if before else "chat.txt")
    assert home.export() != lines
    home.undo()
    assert home.export() == lines
    found = search("Where does Bob live? Hull", home.store, home.embedder, Filter(), 5)
    assert [each for each in found if "Hull" in each.text] == [] or "Hull" in before
    home.take_in(after, name if before else "chat.txt")
    assert home.export() != lines


@pytest.mark.parametrize("settled", [False, True], ids=["at once", "before the dates are restored"])
def test_undoing_again_ends_what_was_killed(tmp_path: Path, settled: bool) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(FAMILY)
    lines = home.export()
    home.take_in(LATER)
    with home.store.write() as writer:
        writer.actions.take_back()
    if settled:
        home.consolidation.run()
    home.undo()
    assert home.export() == lines
    with pytest.raises(UsageError, match="nothing to undo"):
        home.undo()


def test_what_was_pruned_or_forgotten_and_taken_in_again_is_as_it_was(tmp_path: Path) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(LATER)
    lines = home.export()
    home.take_in(LATER.replace("[2025-01-06 09:02] Ann: My cat is called Miso.\n", ""), choice=Choice(prune=True))
    assert "Miso" not in "".join(home.export())
    home.undo()
    assert home.export() == lines
    home.store.forget(Selection(user_id="default", words=("miso",)))
    home.consolidation.refresh()
    home.enrich()
    lines = home.export()
    home.take_in(LATER, choice=Choice(again=True))
    home.undo()
    assert home.export() == lines


TEXTS = ("I live in Hull.", "I work at Acme.", "My cat is called Miso.", "Fine.", "I will be in York on 3 May 2025.")
TURNS = st.lists(st.tuples(st.sampled_from(("Ann", "Bob")), st.sampled_from(TEXTS)), min_size=1, max_size=14)


@settings(max_examples=25)
@given(turns=TURNS, cut=st.integers(min_value=1, max_value=13), enriched=st.booleans())
def test_any_end_of_a_chat_can_be_undone(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[str, str]], cut: int, enriched: bool
) -> None:
    home = Home(tmp_path_factory.mktemp("any"), me="Ann")
    lines = [f"[2025-01-{day + 1:02} 09:00] {who}: {text}\n" for day, (who, text) in enumerate(turns)]
    home.ingest(home.file("".join(lines[:cut])))
    home.consolidation.run()
    if enriched:
        home.enrich()
    before = home.export()
    (report,) = home.ingest(home.file("".join(lines)))
    home.consolidation.run()
    if report.status == "unchanged":
        return
    if enriched:
        home.enrich()
    home.undo()
    assert home.export() == before


@pytest.mark.parametrize(
    ("kind", "words", "stated"),
    [
        ("assertion", "Larkfield", "I work at Tidewater."),
        ("assertion", "Hull", "Bob lives in Grimsby."),
        ("fact", "Larkfield", "I work at Tidewater."),
        ("foresight", "20 January", "Bob will visit me on 21 January 2025."),
        ("episode", "", "Where we all live and work"),
    ],
)
def test_a_correction_stands_when_all_is_read_again_and_can_be_undone(
    home: Home, kind: str, words: str, stated: str
) -> None:
    lines = home.export()
    wrong = home.id_of(kind, words)
    home.correct(wrong, stated)

    def stands() -> None:
        assert any(stated.rstrip(".") in line for line in home.export())
        if words:
            with pytest.raises(StopIteration):
                home.id_of(kind, words)
        else:
            assert home.id_of("episode", stated)

    stands()
    home.take_in(FAMILY)
    home.consolidation.again()
    stands()
    corrected = home.export()
    home.ingest(home.file(LATER))
    home.read()
    home.enrich()
    stands()
    home.undo()
    assert home.export() == corrected
    home.take_in(FAMILY)
    home.correct(home.id_of("fact", "Miso"), "My cat is called Mitzi.")
    home.undo()
    stands()
    assert home.export() != lines


@pytest.mark.parametrize(("kind", "words"), [("assertion", "Larkfield"), ("fact", "Larkfield"), ("episode", "")])
def test_an_undone_correction_leaves_no_row(home: Home, kind: str, words: str) -> None:
    lines = home.export()
    home.correct(home.id_of(kind, words), "I work at Tidewater.")
    assert home.export() != lines
    home.undo()
    assert home.export() == lines


def test_a_corrected_value_is_the_profiles_and_was_so_from_the_first(home: Home) -> None:
    home.correct(home.id_of("assertion", "Larkfield"), "I work at Tidewater.")
    assert home.values("employer") == ["Tidewater"]
    assert not [fact for fact in home.facts() if "Larkfield" in fact]
    home.ingest(home.file(LATER))
    home.read()
    assert home.values("employer") == ["Tidewater", "Corvane"]
    found = describe_person(home.store, "default", "default", day("2025-02-01"), None, history=False)
    assert [fact.value for fact in found.facts["employer"]] == ["Tidewater"]


def test_a_corrected_value_follows_its_person(home: Home) -> None:
    home.correct(home.id_of("assertion", "Hull"), "I live in York.")
    assert home.values("location", "Bob") == ["York"]
    home.own("Bob")
    assert home.values("location") == ["York"]
    home.undo()
    assert home.values("location", "Bob") == ["York"]


@pytest.mark.parametrize(
    ("employer", "stated"),
    [
        ("Larkfield", "I do not work at Larkfield any more."),
        ("Brightwater", "I do not work at Brightwater any more."),
        ("Brightwater", "Not Brightwater any more"),
        ("Larkfield", "I never worked at Larkfield."),
        ("Larkfield", "Larkfield is not my employer."),
    ],
)
def test_a_correction_that_negates_the_wrong_value_denies_it(tmp_path: Path, employer: str, stated: str) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(f"[2025-01-06 09:00] Ann: I started work at {employer} on Friday.\n")
    assert home.values("employer") == [employer]
    home.correct(home.id_of("assertion", employer), stated)
    found = describe_person(home.store, "default", "default", day("2026-06-01"), None, history=False)
    assert "employer" not in found.facts


@pytest.mark.parametrize(
    ("stated", "employers"),
    [
        ("Bob works at Lidl now.", ["Lidl"]),
        ("Bob works at Lidl, not Tesco.", ["Lidl"]),
        ("Mia works at Lidl now.", []),
        ("That was only a visit.", []),
    ],
)
def test_a_corrected_fact_of_somebody_else_sets_what_is_read_of_that_person(
    tmp_path: Path, stated: str, employers: list[str]
) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in("[2025-01-06 09:00] Ann: I work at Larkfield.\n[2025-01-06 09:01] Bob: I work at Tesco.\n")
    home.correct(home.id_of("fact", "Tesco"), stated)
    home.consolidation.again()
    assert home.values("employer", "Bob") == employers
    assert home.values("employer") == ["Larkfield"]


@pytest.mark.parametrize("kind", ["fact", "foresight", "assertion"])
def test_who_says_i_in_the_correction_of_somebody_elses_memory_is_that_person(tmp_path: Path, kind: str) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in("[2025-01-06 09:00] Ann: I live in York.\n[2025-01-06 09:01] Bob: I'll move to Hull on 1 May 2025.\n")
    home.correct(home.id_of(kind, "Hull"), "I moved to Leeds and I work at Lidl.")
    home.consolidation.again()
    assert (home.values("location", "Bob"), home.values("employer", "Bob")) == (["Leeds"], ["Lidl"])
    assert (home.values("location"), home.values("employer")) == (["York"], [])


@pytest.mark.parametrize(
    ("attribute", "wrong", "stated"),
    [
        ("employer", "Larkfield", "bananas are blue"),
        ("employer", "Larkfield", "That was only a visit for one day."),
        ("employer", "Larkfield", "Tess is there, and I am not."),
        ("age", "32", "bananas <b>x</b>"),
        ("age", "32", "I live in Leeds."),
        ("birthday", "3 March", "What a morning!"),
        ("employer", "Larkfield", "Mia's sister works at Tidewater"),
        ("location", "Leeds", "very tired"),
    ],
)
def test_a_correction_that_says_nothing_of_its_kind_is_refused_and_changes_nothing(
    tmp_path: Path, attribute: str, wrong: str, stated: str
) -> None:
    home = Home(tmp_path, me="Ann")
    said = "I work at Larkfield and I live in Leeds. I am 32 years old, and my birthday is 3 March."
    home.take_in(f"[2025-01-06 09:00] Ann: {said}\n")
    lines = home.export()
    with pytest.raises(UsageError, match=f"nothing about “{attribute}” was understood; it stays {wrong}"):
        home.correct(home.id_of("assertion", wrong), stated)
    assert home.export() == lines


@pytest.mark.parametrize(("attribute", "wrong", "value"), [("age", "32", "33"), ("birthday", "3 March", "3 May")])
def test_a_number_or_day_alone_is_a_value(tmp_path: Path, attribute: str, wrong: str, value: str) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in("[2025-01-06 09:00] Ann: I am 32 years old, and my birthday is 3 March.\n")
    home.correct(home.id_of("assertion", wrong), value)
    assert home.values(attribute) == [value]


@pytest.mark.parametrize(
    ("stated", "value"),
    [("Lisbon", "Lisbon"), ("in Lisbon", "Lisbon"), ("lisbon", "lisbon"), ("Plovdiv", "Plovdiv")],
)
def test_a_place_alone_is_a_value_of_where_somebody_lives(tmp_path: Path, stated: str, value: str) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in("[2025-01-06 09:00] Ann: I live in Leeds.\n")
    home.correct(home.id_of("assertion", "Leeds"), stated)
    assert home.values("location") == [value]


def test_a_value_that_negates_is_a_value(tmp_path: Path) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in("[2025-01-06 09:00] Ann: I am vegan.\n")
    home.correct(home.id_of("assertion", "vegan"), "no gluten")
    assert home.values("diet") == ["no gluten"]


def test_a_corrected_day_stays_in_the_year_that_was_meant(home: Home) -> None:
    home.correct(home.id_of("foresight", "20 January"), "Bob will visit me on 21 January.")
    with home.store.read() as reader:
        assert [f"{wall(each.start_time):%Y-%m-%d}" for each in reader.topics.foresights()] == ["2025-01-21"]


START = "[2025-08-01 09:00] Ann: I start at Siemens on 1 September 2025.\n"


@pytest.mark.parametrize("kind", ["fact", "foresight", "assertion"])
@pytest.mark.parametrize(
    "stated", ["I start at Bosch, not Siemens.", "I work at Bosch.", "I start at Bosch on 1 October 2025."]
)
def test_a_correction_without_a_time_keeps_that_of_what_it_corrects(tmp_path: Path, kind: str, stated: str) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(START)
    home.correct(home.id_of(kind, "Siemens"), stated)
    home.consolidation.again()
    start = CalendarTime(datetime(2025, 10 if "October" in stated else 9, 1), "day")
    with home.store.read() as reader:
        known = reader.consolidation.assertions()
        stated_values = [(each.value, each.valid_at) for each in known if each.stance is Stance.HOLDS]
        facts = [fact.valid_at for fact in reader.topics.facts()]
        ahead = [foresight.start_time for foresight in reader.topics.foresights()]
    assert stated_values == [("Bosch", start)]
    assert [*facts, *ahead] == [start] * (kind != "assertion")


def test_a_corrected_day_of_the_same_value_replaces_the_day(tmp_path: Path) -> None:
    home = Home(tmp_path, me="Ann")
    home.take_in(START)
    home.correct(home.id_of("fact", "Siemens"), "I start at Siemens on 1 October 2025.")
    found = describe_person(home.store, "default", "default", day("2026-06-01"), None, history=True)
    start = CalendarTime(datetime(2025, 10, 1), "day")
    assert [(fact.value, fact.valid_at) for fact in found.facts["employer"]] == [("Siemens", start)]
    with home.store.read() as reader:
        assert [(fact.valid_at, fact.invalid_at) for fact in reader.topics.facts()] == [(start, None)]


def test_a_corrected_end_is_counted_from_the_day_of_the_correction(home: Home) -> None:
    home.correct(home.id_of("foresight", "20 January"), "Bob will stay with me until Friday.")
    with home.store.read() as reader:
        [stays] = reader.topics.foresights()
    assert stays.end_time
    assert stays.end_time > NOW


def test_a_value_alone_will_do_and_a_correction_can_be_corrected(home: Home) -> None:
    wrong = home.id_of("assertion", "Hull")
    for name, value in ((wrong, "Grimsby"), (None, "Goole"), (wrong, "Selby")):
        home.correct(name or home.id_of("assertion", "Grimsby"), value)
        assert home.values("location", "Bob") == [value]
    home.consolidation.again()
    assert home.values("location", "Bob") == ["Selby"]
    with home.store.read() as reader:
        assert {(each.wrong, each.stated) for each in reader.corrections.of("default")} == {
            ("Hull", "Grimsby"),
            ("Grimsby", "Goole"),
            ("Goole", "Selby"),
        }


def test_another_model_does_not_bring_the_wrong_fact_back(home: Home) -> None:
    home.correct(home.id_of("fact", "Miso"), "My cat is called Mitzi.")
    with home.store.write() as writer:
        for cell in writer.reader.topics.memcells():
            if any("Miso" in message.text for message in cell.messages):
                writer.topics.mark_failed(cell.event_id, "read it again")
    home.enrich()
    assert [fact for fact in home.facts() if "Mi" in fact] == ["My cat is called Mitzi."]


def test_what_cannot_be_corrected_is_said(home: Home) -> None:
    with home.store.read() as reader:
        message = reader.topics.memcells()[0].messages[0].id
    for name in (message, "nothing", ""):
        with pytest.raises(UsageError):
            home.correct(name, "x")


def test_an_ambiguous_beginning_of_an_id_is_refused_also_after_a_correction(home: Home) -> None:
    home.correct(home.id_of("assertion", "Larkfield"), "I work at Tidewater.")
    lines = home.export()
    for prefix, stated in (("a", "I work at Orrery."), ("assertion-", "I work at Tidewater.")):
        with pytest.raises(UsageError, match="matches several memories"):
            home.correct(prefix, stated)
    assert home.export() == lines


def test_correcting_again_ends_what_was_killed(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    def killed() -> None:
        raise KilledError

    home, other = Home(tmp_path / "one"), Home(tmp_path / "other")
    for each in (home, other):
        each.folder.mkdir()
        each.take_in(LATER)
        each.own("Ann")
    wrong = home.id_of("fact", "Corvane")
    with pytest.raises(KilledError):
        Correcting(home.store, home.embedder, home.settings, "Ann", TAGGER, killed).correct(
            wrong, "I work at Orrery.", NOW
        )
    for each in (home, other):
        each.correct(wrong, "I work at Orrery.")
    assert home.values("employer") == other.values("employer")
    assert "Orrery" in home.values("employer")


def test_a_correction_is_as_private_as_what_it_corrects(home: Home) -> None:
    wrong = home.id_of("fact", "Miso")
    with home.store.privacy(write=True) as opened:
        opened.set_tier(wrong, Tier.PRIVATE)
    home.correct(wrong, "Mitzi is what my cat is called.")
    access = Access(agent="shop", reason="", command="test", tiers=home.settings.privacy)
    for store, seen in ((home.store, True), (replace(home.store, access=access), False)):
        found = search("Mitzi cat called", store, home.embedder, Filter(), 20)
        assert any("Mitzi" in each.text for each in found) is seen
        with store.read() as reader:
            assert bool(reader.corrections.of("default")) is seen
    with pytest.raises(UsageError):
        last_action(replace(home.store, access=access))


def test_a_corrected_title_takes_nothing_from_a_profile(home: Home) -> None:
    before = home.values("employer"), home.values("pets")
    home.correct(home.id_of("episode", ""), "Larkfield, and the cat Miso")
    home.correct(home.id_of("episode", ""), "A family")
    assert (home.values("employer"), home.values("pets")) == before == (["Larkfield"], ["Miso (cat)"])


def test_forgetting_what_was_corrected_leaves_no_byte_of_it_and_nothing_to_undo(home: Home) -> None:
    home.correct(home.id_of("fact", "Miso"), "My cat is called Mitzi.")
    home.correct(home.id_of("episode", ""), "Miso and all of us")
    home.store.forget(Selection(user_id="default", words=("miso",)))
    held = home.store.path.read_bytes()
    assert b"Miso" not in held
    assert b"Mitzi" not in held
    with pytest.raises(UsageError, match="gone for good"):
        last_action(home.store)
    home.consolidation.refresh()
    home.own("Bob")
    assert last_action(home.store).action.kind is ActionKind.ME


@pytest.mark.parametrize(
    ("kind", "words", "stated"),
    [
        ("assertion", "Larkfield", "I work at Tidewater."),
        ("assertion", "Hull", "Bob lives in Grimsby."),
        ("fact", "Larkfield", "I work at Tidewater."),
    ],
)
def test_what_a_forgotten_correction_replaced_holds_again(home: Home, kind: str, words: str, stated: str) -> None:
    known = home.values("employer"), home.values("location", "bob"), sorted(home.facts())
    assert known[:2] == (["Larkfield"], ["Hull"])
    home.correct(home.id_of(kind, words), stated)
    with home.store.read() as reader:
        [correction] = reader.corrections.of("default")
    selection = Selection(user_id="default", ids=(str(correction.statement_id),))
    counted = home.store.would_forget(selection)
    assert (counted.counts["corrections"], counted.pending) == (1, 1)
    home.store.forget(selection)
    home.consolidation.run()
    assert (home.values("employer"), home.values("location", "bob")) == known[:2]
    home.enrich()
    assert sorted(home.facts()) == known[2]


def test_corrections_are_exported_and_imported(home: Home, tmp_path: Path) -> None:
    home.correct(home.id_of("assertion", "Larkfield"), "I work at Tidewater.")
    copy = Store(tmp_path / "copy.duckdb", timeout=1)
    archive.Import(copy, home.embedder, lambda *_: None).run(line.encode() for line in archive.export(home.store))
    assert sorted(archive.export(copy)) == home.export()
    Annotation(copy, TAGGER, lambda *_: None).run()
    Consolidation(copy, home.settings).again()
    with copy.read() as reader:
        assert [each.value for each in reader.consolidation.assertions() if each.attribute == "employer"] == [
            "Tidewater"
        ]


def test_the_owner_can_be_named_afterwards_changed_and_taken_back(tmp_path: Path) -> None:
    told, untold = Home(tmp_path / "told", me="Ann"), Home(tmp_path / "untold")
    for home in (told, untold):
        home.folder.mkdir()
        home.take_in(LATER)
    lines = untold.export()
    assert (untold.own("ann"), untold.own("Ann")) == (3, 0)
    assert untold.values("employer") == told.values("employer") == ["Larkfield", "Corvane"]
    assert {row["user_id"] for row in rows(untold)} == {row["user_id"] for row in rows(told)} == {"default", "Bob"}
    untold.undo()
    assert untold.export() == lines
    untold.own("Ann")
    lines = untold.export()
    untold.own("Bob")
    assert untold.values("location") == ["Hull"]
    assert untold.values("employer", "Ann") == ["Larkfield", "Corvane"]
    untold.undo()
    assert untold.export() == lines
    with pytest.raises(UsageError, match="Zed does not speak"):
        untold.own("Zed")


def test_naming_the_owner_again_ends_what_was_killed(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    class Killed(Consolidation):
        def run(self) -> int:
            raise KilledError

    home, other = Home(tmp_path / "one"), Home(tmp_path / "other")
    for each in (home, other):
        each.folder.mkdir()
        each.take_in(LATER)
    with pytest.raises(KilledError):
        OwnerNames(home.store, Killed(home.store, home.settings), "default").assign(["Ann"])
    home.own("Ann")
    other.own("Ann")
    assert home.values("employer") == other.values("employer") == ["Larkfield", "Corvane"]


def rows(home: Home) -> list[dict[str, str]]:
    with home.store.read() as reader:
        return [{"user_id": fact.user_id} for fact in reader.topics.facts()]


def test_who_the_owner_is_holds_for_later_chats(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.take_in(FAMILY)
    home.own("Ann")
    home.take_in("[2025-05-01 09:00] Ann: I live in Leeds.\n[2025-05-01 09:01] Cem: Nice.\n", "other.txt")
    assert home.values("location") == ["Leeds"]


def test_merges_and_privacy_can_be_taken_back_once(home: Home, minilm: Path) -> None:
    shell = Shell(home.store.path)
    lines, cat = home.export(), home.id_of("fact", "Miso")
    with home.store.privacy(write=True) as opened:
        opened.set_tier(cat, Tier.PRIVATE)
    assert home.export() != lines
    home.undo()
    assert home.export() == lines
    shell.json("people", "merge", "Bob", "Helen", "--yes")
    document = shell.json("undo", "--yes")
    assert (document["action"], document["texts"]) == ("merge", [{"removed": "Helen and Bob", "restored": ""}])
    assert home.export() == lines
    done = shell("undo", "--yes")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    shell.json("people", "merge", "Bob", "Ann", "--yes")  # Ann is the owner, whose id is "default"
    assert "the merge of people: Bob and Ann are two people again (" in shell("undo", "--dry-run").stdout


def test_the_commands_with_the_real_models(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    (tmp_path / "chat.txt").write_text(LATER)
    done = shell("ingest", "--no-llm", str(tmp_path / "chat.txt"))
    assert "`evermem me NAME` says who is (Ann, Bob)" in done.stderr
    assert shell.json("me")["names"] == {}
    assert shell.json("me", "Ann") == {
        "user_id": "default",
        "names": {"Ann": 3},
        "others": {"Bob": 2},
        "messages_changed": 3,
    }
    told = shell.json("remember", "I am allergic to peanuts.")
    assert (told["new"], told["told_by"]) == (True, "Ann")
    [understood] = told["assertions"]
    assert (understood["person"], understood["attribute"]) == ("Ann", "allergies")
    assert understood["value"] == "peanuts"
    assert understood["valid_at"] is not None
    assert shell.json("remember", "I am allergic to peanuts.")["new"] is False
    assert "peanuts" in str(shell.json("profile")["explicit_facts"]["allergies"])
    found = shell.json("list", "assertions")["assertions"]
    wrong = next(each["id"] for each in found if each["value"] == "Hull")
    corrected = shell.json("correct", wrong, "Bob lives in Grimsby.")
    assert (corrected["wrong"], corrected["kind"], corrected["user_id"]) == ("Hull", "assertion", "Bob")
    understood = corrected.pop("assertions")
    assert [(each["person"], each["attribute"], each["value"]) for each in understood] == [
        ("Bob", "location", "Grimsby")
    ]
    assert shell.json("list", "corrections")["corrections"] == [corrected]
    assert shell.json("undo", "--dry-run")["dry_run"] is True
    assert shell.json("undo", "--yes")["texts"] == [{"removed": "Bob lives in Grimsby.", "restored": "Hull"}]
    assert shell.json("list", "corrections")["corrections"] == []
    assert shell("undo").returncode == 2
    assert shell("remember", "…").returncode == 2
    assert os.stat(shell.db).st_mode & 0o777 == 0o600


def test_the_owner_of_an_export_without_the_owners_name_is_told_how_to_give_it(tmp_path: Path, minilm: Path) -> None:
    sms = "<sms date='17710634{}2000' type='{}' address='7' contact_name='Bob' body='{}'/>"
    (tmp_path / "sms.xml").write_text(
        f"<smses count='2'>{sms.format(6, 1, 'Are you there?')}{sms.format(7, 2, 'On my way')}</smses>"
    )
    shell = Shell(tmp_path / "memory.duckdb")
    done = shell("ingest", "--no-llm", str(tmp_path / "sms.xml"))
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "evermem me NAME" in line] == [
        "your exports say which messages are yours, and not what you are called: `evermem me NAME` says it"
    ]

    def owner() -> tuple[str, int, str]:
        [person] = [person for person in shell.json("people")["people"] if person["is_user"]]
        return person["name"], person["said"], person["user_id"]

    assert owner() == ("User", 1, "default")
    assert shell.json("me", "Ann")["names"] == {"Ann": 1}
    assert owner() == ("Ann", 1, "default")
    undone = shell("undo", "--yes").stdout
    assert "Ann is not what you are called again (1 message)" in undone
    assert owner() == ("User", 1, "default")
    assert shell("me", "Ann", "Annie").returncode == 2


def test_who_is_named_where_an_export_says_which_messages_are_the_owners_is_the_owner(
    tmp_path: Path, minilm: Path
) -> None:
    sms = "<sms date='17710634{}2000' type='{}' address='{}' contact_name='{}' body='{}'/>"
    received, sent = sms.format(6, 1, 8, "DHL", "Your parcel is here"), sms.format(7, 2, 7, "Bob", "On my way")
    (tmp_path / "sms.xml").write_text(f"<smses count='2'>{received}{sent}</smses>")
    shell = Shell(tmp_path / "memory.duckdb")
    done = shell("ingest", "--no-llm", "--me", "Ann", str(tmp_path / "sms.xml"))
    assert (done.returncode, "is you" in done.stderr) == (0, False)
    known = shell.json("me")
    assert (known["names"], known["others"]) == ({"Ann": 1}, {"DHL": 1})
    assert shell.json("me", "Ann")["messages_changed"] == 0


def test_what_was_understood_is_told_and_so_is_that_nothing_was(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=LATER).returncode == 0

    def understood(*command: str) -> list[str]:
        done = shell(*command)
        assert done.returncode == 0, done.stderr
        return [line.strip() for line in done.stdout.splitlines() if "understood" in line]

    assert understood("remember", "I moved to Bristol in May 2024 and I work as a baker.") == [
        "understood: Ann, location: Bristol, since May 2024",
        "understood: Ann, job: baker, since May 2024",
    ]
    [told] = understood("remember", "Pottery! Every Tuesday evening.")  # too doubtful in a chat
    assert told.startswith("understood: Ann, hobbies: Pottery, since ") and "doubtful" not in told
    nothing = "nothing beyond the words was understood"
    assert understood("remember", "What a morning!") == [f"{nothing}; `evermem search` finds them"]
    wrong = next(each["id"] for each in shell.json("list", "assertions")["assertions"] if each["value"] == "baker")
    [told] = understood("correct", wrong, "I work as a nurse.")
    assert told.startswith("understood: Ann, job: nurse, since ")
    wrong = next(each["id"] for each in shell.json("list", "assertions")["assertions"] if each["value"] == "nurse")
    assert understood("correct", wrong, "a caretaker of sorts") == [
        f"{nothing}; all of them are now the value of Ann, job"
    ]


def test_a_correction_that_is_corrected_leaves_nothing_of_its_words(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=LATER).returncode == 0

    def values() -> dict[str, str]:
        known = shell.json("list", "assertions")["assertions"]
        return {
            each["value"]: each["id"] for each in known if (each["person"], each["attribute"]) == ("Bob", "location")
        }

    assert [*values()] == ["Hull"]
    for stated, read in (("Bob lives in Grimsby since March 2023.", "Grimsby"), ("He lives in York.", "York")):
        [wrong] = values().values()
        assert shell("correct", wrong, stated).returncode == 0
        assert [*values()] == [read]
    [wrong] = values().values()
    assert shell("correct", wrong, "Mia's sister lives in Ripon").returncode == 2
    assert [*values()] == ["York"]  # Ripon is not of Bob


def test_who_was_called_user_alone_is_called_by_name_once_it_is_told(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    (tmp_path / "chat.txt").write_text(LATER)
    (tmp_path / "asked.md").write_text(
        "User: I live in York.\nAssistant: Noted.\nUser: I am 34.\nUser: I am vegan.\n" * 2
    )
    for name in ("chat.txt", "asked.md"):
        assert shell("ingest", "--no-llm", str(tmp_path / name), "--date", "2025-03-01").returncode in (0, 6)
    assert "User" in str(shell.json("people")["people"])
    shell.json("me", "Ann")
    owner = next(each for each in shell.json("people")["people"] if each["is_user"])
    assert owner["name"] == "Ann"
    assert "User:" not in shell("timeline").stdout
    assert "Ann, employer" in shell("timeline").stdout


SEVERAL = """[2025-03-01 09:00] Ann: I work at Larkfield.
[2025-03-01 09:01] Annie S: I live in Leeds.
[2025-03-01 09:02] Bo: Fine.
"""


def test_a_name_that_is_given_several_times_is_each_time_the_owners(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    done = shell("ingest", "-", "--no-llm", "--me", "Ann", "--me", "Annie S", stdin=SEVERAL)
    assert (done.returncode, "you are" in done.stderr) == (0, False)
    known = shell.json("me")
    assert (known["names"], known["others"]) == ({"Ann": 1, "Annie S": 1}, {"Bo": 1})


def test_another_name_than_the_one_told_is_taken_too_and_that_is_said_once(tmp_path: Path, minilm: Path) -> None:
    shell = Shell(tmp_path / "memory.duckdb")
    later = SEVERAL.replace("2025-03", "2025-04")
    assert shell("ingest", "-", "--no-llm", stdin=SEVERAL).returncode == 0
    shell.json("me", "Ann")
    done = shell("ingest", "-", "--no-llm", "--me", "Annie S", stdin=later)
    told = [line for line in done.stderr.splitlines() if "you are" in line]
    assert told == [
        "in these chats you are Annie S as well as Ann: `evermem me Ann` undoes that; "
        "`evermem me Ann 'Annie S'` makes earlier messages yours, too"
    ]
    assert shell.json("me")["names"] == {"Ann": 2, "Annie S": 1}
    shell.json("me", "Ann", "Annie S")
    again = shell("ingest", "-", "--no-llm", "--me", "annie s", stdin=later.replace("2025-04", "2025-05"))
    assert "you are" not in again.stderr
    shell.json("me", "Ann")
    assert shell.json("me")["names"] == {"Ann": 3}
