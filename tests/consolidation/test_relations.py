"""Who and what hangs together, from what people said, on a real file with a scripted model."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from evermem_cli.archive import Import, export
from evermem_cli.config import PRIVACY
from evermem_cli.consolidate import Consolidation
from evermem_cli.consolidation.attributes import TIES
from evermem_cli.errors import UsageError
from evermem_cli.memory import Access, Selection, Stance
from evermem_cli.recollection.people.network import Network, between, near, read_network
from evermem_cli.store import Store
from tests.consolidation.test_assertions import chat as message
from tests.consolidation.test_assertions import shown
from tests.support.fakes import WordEmbedder
from tests.test_consolidate import chat, day, remember
from tests.test_ingest import Memory

LIFE = (
    ("2025-01-06T09:00:00Z", "I work at Fennimore Logistics and I live in Bristol. My friend Tom lives nearby."),
    ("2025-03-30T09:00:00Z", "I've been dating Sam since April last year."),
    ("2025-06-18T09:00:00Z", "I went to Lisbon in March."),
    ("2025-08-01T09:00:00Z", "I started at Tidewater Health today. My cousin Xiaoyu is coming from Chengdu."),
)


def lived(folder: Path, said: Iterable[tuple[str, str]] = LIFE) -> Memory:
    """A memory that was told all this in one go."""
    return remember(Memory(folder), ["\n".join(chat(said))])


def told(memory: Memory) -> set[str]:
    """All relationships of the user's network."""
    return said(read_network(memory.store, "default"))


def said(known: Network) -> set[str]:
    """Relationships as "from RELATION to (role) start..end", days where they are known."""
    names = {each.id: each.name for each in known.index.entities}
    return {
        f"{names[each.source]} {each.relation} {names[each.target]}{f' ({each.role})' if each.role else ''}"
        f" {str(each.valid_at or '')[:10]}..{str(each.invalid_at or '')[:10]}"
        for each in known.relationships
    }


def read(text: str) -> set[str]:
    """Ties as "attribute: value" in a message of the first of March 2025, the day where that is another one."""
    found = [each for each in shown(message(text)) if each.attribute in TIES and each.stance is Stance.HOLDS]
    days = {each.id: str(each.valid_at)[:10] for each in found}
    return {
        f"{each.attribute}: {each.value}" + (f" @{days[each.id]}" if days[each.id] != "2025-03-01" else "")
        for each in found
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I visited Rome in 2019.", {"visited: Rome @2019-01-01"}),
        ("We went to Crete last summer", {"visited: Crete @2024-06-01"}),
        ("I bought a telescope last week.", {"purchased: telescope @2025-02-17"}),
        ('I loved reading "Dune"', {"likes: Dune"}),
    ],
)
def test_what_ties_somebody_to_others_is_read(text: str, told: set[str]) -> None:
    assert read(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "I want to go to Lisbon. We might fly to Porto next year.",
        "I'd love to have been to Rome.",
        "Have you ever been to Paris?",
        "I haven't been to Oslo.",
        "Priya went to Vienna. She bought a boat.",
        "I'm thinking of buying a car. I almost bought a piano.",
        "If I had bought a house I would be poor.",
        "Let's go to Madrid!",
        "我想去东京",
    ],
)
def test_a_wish_a_question_and_what_others_did_tie_to_nothing(text: str) -> None:
    assert read(text) == set()


def test_what_profiles_know_and_what_was_done_are_relationships_with_their_days(tmp_path: Path) -> None:
    assert told(lived(tmp_path)) == {
        "User WORKS_AT Fennimore Logistics 2025-01-06..2025-08-01",
        "User WORKS_AT Tidewater Health 2025-08-01..",
        "User LIVES_IN Bristol 2025-01-06..",
        "User KNOWS Tom (friend) 2025-01-06..",
        "User PARTNER_OF Sam 2024-04-01..",
        "User VISITED Lisbon 2025-03-01..",
        "User FAMILY_OF Xiaoyu (cousin) ..",
    }


def test_what_was_visited_is_a_place_in_chinese_too(tmp_path: Path) -> None:
    assert told(lived(tmp_path, [("2025-03-01T09:00:00Z", "我去过洛阳。")])) == {"User VISITED 洛阳 2025-03-01.."}


@pytest.mark.parametrize("name", ["Ayşe", "Łucja", "Thảo", "Γιώργος", "Дмитрий"])
def test_somebody_is_named_whole_in_any_alphabet(tmp_path: Path, name: str) -> None:
    memory = lived(tmp_path, [("2025-01-06T09:00:00Z", f"I met my boss {name} today. My boss {name} is kind.")])
    assert name in {entity.name for entity in read_network(memory.store, "default").index.entities}


def test_the_order_of_reading_makes_no_difference_nor_does_drawing_it_anew(tmp_path: Path) -> None:
    one = lived(tmp_path)
    (tmp_path / "other").mkdir()
    other = remember(Memory(tmp_path / "other"), reversed(chat(LIFE)))
    before = read_network(one.store, "default")
    assert read_network(other.store, "default") == before
    Consolidation(one.store, one.settings).again()
    assert read_network(one.store, "default") == before


def test_what_is_named_but_not_shown_to_be_anything_is_no_entity(tmp_path: Path) -> None:
    memory = lived(tmp_path, [("2025-03-01T09:00:00Z", "Redis was Brilliant. I went to Blorp.")])
    known = read_network(memory.store, "default")
    assert [each.name for each in known.index.entities] == ["User"]
    with pytest.raises(UsageError, match="no person or thing called Redis"):
        known.named("Redis")


def test_names_of_one_are_counted_together(tmp_path: Path) -> None:
    heard = (
        ("2025-03-01T09:00:00Z", "I work at Tidewater Health. My neighbour Mrs Adeyemi says good luck."),
        ("2025-03-02T09:00:00Z", "Tidewater called! Adeyemi knew it. I told Adeyemi about Tidewater Health."),
    )
    known = read_network(lived(tmp_path, heard).store, "default")
    counted = {(each.name, each.aliases, each.mention_count) for each in known.index.entities if each.aliases}
    assert counted == {("Tidewater Health", ("Tidewater",), 2), ("Mrs Adeyemi", ("Adeyemi",), 2)}
    assert known.named("tidewater") is known.named("Tidewater Health")


GROUP = """[2025-03-01 09:00] Ann: My cousin Kim works with Bo.
[2025-03-01 09:01] Bo: I work at Larkfield.
[2025-03-01 09:02] Ann: Kim says hello!
[2025-03-02 09:00] Bo: and I live in Leeds
"""


def grouped(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path)
    memory.ingest(memory.file(GROUP))
    memory.enrich()
    return memory


def names(known: Network, ids: Iterable[str]) -> list[str]:
    named = {each.id: each.name for each in known.index.entities}
    return [named[each] for each in ids]


def test_what_is_near_and_the_way_between_two_as_of_a_day(tmp_path: Path) -> None:
    memory = grouped(tmp_path)
    known = read_network(memory.store, "default")
    kim, bo = known.named("Kim"), known.named("Bo")
    found = near(memory.store, known, kim, 2, day("2025-06-01"))
    assert [each.relation for each in found] == ["FAMILY_OF", "KNOWS"]
    [way] = between(memory.store, known, kim, known.named("Larkfield"), day("2025-06-01"))
    assert [(each.relation, *names(known, (each.source, each.target))) for each in way] == [
        ("FAMILY_OF", "Ann", "Kim"),
        ("KNOWS", "Ann", "Bo"),
        ("WORKS_AT", "Bo", "Larkfield"),
    ]
    assert between(memory.store, known, kim, bo, day("2025-01-01")) == []


def test_going_round_in_a_circle_ends(tmp_path: Path) -> None:
    memory = grouped(tmp_path)
    ring = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "b")]
    with memory.store.read() as reader:
        assert reader.entities.reached(ring, "a", 6) == {"a": 0, "b": 1, "c": 1, "d": 2}
        assert reader.entities.paths(ring, "a", "d", 6, 10) == [["a", "b", "d"], ["a", "c", "d"]]
        assert reader.entities.paths(ring, "a", "elsewhere", 6, 10) == []
        assert reader.entities.paths(ring, "a", "a", 6, 10) == [["a"]]


def test_what_was_forgotten_is_no_entity_any_more(tmp_path: Path) -> None:
    memory = lived(tmp_path)
    memory.store.forget(Selection(user_id="default", words=("Lisbon",)))
    Consolidation(memory.store, memory.settings).refresh()
    left = {each.name for each in read_network(memory.store, "default").index.entities}
    assert "Tidewater Health" in left
    assert not left & {"Lisbon", "cat tree", "Harbour Half"}


def test_an_agent_knows_nobody_who_is_spoken_of_in_private_only(tmp_path: Path) -> None:
    heard = (
        ("2025-03-03T09:00:00Z", "I work at Fennimore Logistics and I live in Bristol."),
        ("2025-04-01T09:00:00Z", "My doctor Mrs Quill gave me antibiotics. Quill says rest."),
    )
    memory = lived(tmp_path, heard)
    agent = Store(memory.store.path, 1, Access(agent="bot", reason="", command="people", tiers=PRIVACY))
    everybody = {each.name for each in read_network(memory.store, "default").index.entities}
    assert everybody - {each.name for each in read_network(agent, "default").index.entities} == {"Mrs Quill"}
    assert not any("Quill" in line for line in said(read_network(agent, "default")))


def test_entities_travel_with_an_export(tmp_path: Path) -> None:
    memory = lived(tmp_path)
    new = Store(tmp_path / "new.duckdb", 1)
    Import(new, WordEmbedder(), lambda what, done, total: None).run(line.encode() for line in export(memory.store))
    assert read_network(new, "default") == read_network(memory.store, "default")
