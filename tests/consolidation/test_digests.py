"""Old topics that belong together are summed up in their own words, found in place of their episodes, and back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from evermem_cli.archive import Import, export
from evermem_cli.config import PRIVACY
from evermem_cli.consolidation.digests import due, make_digest
from evermem_cli.digest import Digesting
from evermem_cli.memory import Access, Digest, Evidence, Filter, Kind, Message, Selection, Tier
from evermem_cli.recollection.search.find import look_up
from evermem_cli.store import Store
from tests.cli.test_main import Shell
from tests.recollection.searching import search
from tests.support.lives import EMBEDDER, START, cell_of, conversation, live, messages, traces_of
from tests.support.tables import execute

CHAT = conversation("garden")
LATE = START + timedelta(days=30)
ONE_SCENE = "update memcells set scene_id = 'scene-garden'"
SCENE = """
    insert into scenes
    select 'scene-garden', 'default', 'garden', '', null, 3, min(start_at), max(end_at), null, max(end_at)
    from memcells"""


@pytest.fixture
def topics() -> list[list[Message]]:
    return [
        messages(CHAT, "I planted tomatoes.", "The soil is dry."),
        messages(CHAT, "The tomatoes have aphids.", start=START + timedelta(days=1)),
        messages(CHAT, "We picked forty tomatoes.", start=START + timedelta(days=50)),
    ]


@pytest.fixture
def store(tmp_path: Path, topics: list[list[Message]]) -> Store:
    """Three topics of one scene, the last of them later."""
    made = Store(tmp_path / "memory.duckdb", timeout=1)
    live(made, CHAT, *topics)
    with made.write() as writer:
        for statement in (
            "delete from digests",
            "delete from sources where memory_id like 'digest%'",
            "delete from scenes",
        ):
            execute(writer, statement)
        for statement in (ONE_SCENE, SCENE):
            execute(writer, statement)
    return made


def digested(store: Store) -> Digest:
    """The digest of the two topics of March."""
    digesting = Digesting(store, "default")
    digesting.make(digesting.planned(LATE), EMBEDDER)
    (made,) = digesting.existing()
    return made


def narratives(store: Store, **where: object) -> Iterator[Evidence]:
    found = search("tomatoes", store, EMBEDDER, Filter(**{"user_id": "default", **where}), 20)  # type: ignore[arg-type]
    return (each for each in found if each.kind in (Kind.EPISODE, Kind.DIGEST))


def kinds(store: Store, **where: object) -> list[str]:
    return sorted(each.kind for each in narratives(store, **where))


def test_a_digest_says_what_each_topic_said_with_its_day_and_cites_all_messages(
    store: Store, topics: list[list[Message]]
) -> None:
    made = digested(store)
    assert made.digest.splitlines() == [
        "Saturday, 1 March 2025: I planted tomatoes. The soil is dry.",
        "Sunday, 2 March 2025: The tomatoes have aphids.",
    ]
    assert made.memcell_ids == tuple(cell_of(topic).event_id for topic in topics[:2])
    assert made.message_ids == tuple(message.id for topic in topics[:2] for message in topic)


def test_what_was_said_before_is_not_said_again() -> None:
    cells = [
        cell_of(messages(CHAT, "It rains.")),
        cell_of(messages(CHAT, "It rains.", start=START + timedelta(days=1))),
    ]
    made = make_digest(cells, {cell.event_id: traces_of(cell).episodes[0] for cell in cells})
    assert made.digest == "Saturday, 1 March 2025: It rains."


def test_a_digest_only_grows_and_what_is_alone_has_none() -> None:
    known = [make_digest_of("a", "b")]
    assert due([["c"]], []) == []
    assert due([["a", "b"], ["a"]], known) == []
    assert due([["b", "c"]], known) == [frozenset("abc")]


def make_digest_of(*cells: str) -> Digest:
    return Digest(
        id="digest-1",
        conversation_id=CHAT.id,
        subject="",
        digest="",
        memcell_ids=cells,
        start_at=START,
        said_at=START,
        message_ids=(),
    )


def test_search_finds_the_digest_in_place_of_the_episodes_that_it_sums_up(store: Store) -> None:
    assert kinds(store) == ["episode"] * 3
    made = digested(store)
    assert kinds(store) == ["digest", "episode"]
    (found,) = [each for each in narratives(store) if each.kind is Kind.DIGEST]
    assert (found.id, found.scene, found.speaker) == (made.id, "scene-garden", None)
    assert [message.id for message in found.messages] == list(made.message_ids)
    assert look_up("tomatoes", store, EMBEDDER, Filter(), 5).archived == 0


def test_the_episodes_are_found_where_the_digest_may_not_be(store: Store) -> None:
    digested(store)
    assert kinds(store, as_of=START + timedelta(hours=1)) == ["episode"]
    assert kinds(store, until=START + timedelta(hours=1)) == ["episode"]
    assert kinds(store, known_at=START + timedelta(hours=1)) == ["episode"]
    assert kinds(store, kinds=(Kind.EPISODE,)) == ["episode"] * 3
    assert kinds(store, people=("default",)) == ["episode"] * 3


def test_who_only_took_part_in_a_chat_sees_no_digest_of_its_owner(store: Store) -> None:
    ben = replace(messages(CHAT, "Ben is here.", speaker="Ben")[0], ordinal=9)
    with store.write() as writer:
        writer.chats.add_messages([ben], [1], EMBEDDER.embed([ben.text]))
        execute(writer, "update episodes set user_id = null")
        execute(writer, "update documents set user_id = null where kind = 'episode'")
    digested(store)
    assert kinds(store, user_id="Ben") == ["episode"] * 3


def test_taking_a_digest_away_leaves_memory_as_it_was_to_the_byte(store: Store) -> None:
    before = list(export(store))
    digesting = Digesting(store, "default")
    digesting.undo([digested(store)])
    assert list(export(store)) == before
    assert kinds(store) == ["episode"] * 3


def test_a_second_run_has_nothing_to_do_until_more_is_old(store: Store) -> None:
    first = digested(store)
    digesting = Digesting(store, "default")
    assert digesting.planned(LATE) == []
    (second,) = digesting.planned(LATE + timedelta(days=60))
    digesting.make([second], EMBEDDER)
    assert digesting.existing() == [second]
    assert set(first.memcell_ids) < set(second.memcell_ids)


def test_a_topic_that_may_go_on_or_is_not_formed_is_left_alone(store: Store) -> None:
    with store.write() as writer:
        execute(
            writer.reader, "update memcells set is_open = true where end_at < $late", late=LATE.replace(tzinfo=None)
        )
    assert Digesting(store, "default").planned(LATE) == []


def test_chapters_are_summed_up_together(store: Store, topics: list[list[Message]]) -> None:
    second = cell_of(topics[1]).event_id
    with store.write() as writer:
        execute(writer, "update memcells set scene_id = 'scene-later' where event_id = $id", id=second)
        execute(
            writer,
            """
            insert into scenes
            select * replace ('scene-later' as scene_id, 'scene-garden' as previous_scene_id) from scenes""",
        )
    assert second in digested(store).memcell_ids


def test_a_digest_goes_with_a_forgotten_message_and_its_words_with_it(store: Store) -> None:
    digested(store)
    assert store.would_forget(Selection(user_id="default", words=("aphids",))).counts["digests"] == 1
    store.forget(Selection(user_id="default", words=("aphids",)))
    assert Digesting(store, "default").existing() == []
    assert b"aphids" not in store.path.read_bytes().lower()
    assert kinds(store) == ["episode"] * 2


def test_a_digest_goes_with_a_forgotten_episode(store: Store, topics: list[list[Message]]) -> None:
    digested(store)
    store.forget(Selection(user_id="default", ids=(traces_of(cell_of(topics[0])).episodes[0].id,)))
    assert Digesting(store, "default").existing() == []


def test_a_digest_goes_when_one_of_its_topics_is_formed_anew(store: Store, topics: list[list[Message]]) -> None:
    digested(store)
    cell = cell_of(topics[0])
    traces = traces_of(cell)
    with store.write() as writer:
        vectors = EMBEDDER.embed([each.search_text for each in traces.memories])
        writer.topics.put_traces([(cell, traces)], vectors, "scripted")
        assert writer.reader.digests.of("default") == []
    assert kinds(store) == ["episode"] * 3


def test_an_agent_that_may_not_see_all_of_a_digest_sees_what_it_may(store: Store, topics: list[list[Message]]) -> None:
    digested(store)
    with store.privacy(write=True) as opened:
        opened.set_tier(cell_of(topics[1]).event_id, Tier.PRIVATE)
    agent = Store(store.path, 1, Access(agent="travel", reason="", command="search", tiers=PRIVACY))
    assert kinds(agent) == ["episode"] * 2
    assert not any("aphids" in each.text for each in narratives(agent))


def test_a_digest_is_exported_and_imported(store: Store, tmp_path: Path) -> None:
    made = digested(store)
    lines = [line.encode() for line in export(store)]
    new = Store(tmp_path / "new.duckdb", timeout=1)
    Import(new, EMBEDDER, lambda what, done, total: None).run(lines)
    assert [line.encode() for line in export(new)] == lines
    assert Digesting(new, "default").existing() == [made]
    assert kinds(new) == ["digest", "episode"]


def test_a_digest_that_is_shown_is_stronger_for_it(store: Store) -> None:
    made = digested(store)
    store.note_access([made.id])
    with store.write():
        pass
    with store.read() as reader:
        found = reader.strengths.at([made.id], LATE.replace(year=2100))[made.id]
    assert (found.access_count, found.archived) == (1, True)


def test_the_command_line_sums_up_and_takes_back(store: Store, minilm: Path) -> None:
    with store.write() as writer:
        execute(writer, "update meta set value = 'all-minilm-l6-v2' where key = 'embedder'")
    shell = Shell(store.path)
    assert "1 digest would be made" in shell("digest", "--dry-run", "--before", "2025-04-01").stdout
    (made,) = shell.json("digest", "scene-garden", "--before", "2025-04-01")["digests"]
    assert (made["start_at"], len(made["memcell_event_id_list"]), made["messages"]) == (
        "2025-03-01T09:01:00Z", 2, ["1", "2", "1"],
    )  # fmt: skip
    assert shell.json("list", "digests")["digests"][0] | made == shell.json("list", "digests")["digests"][0]
    assert len(shell.json("show", made["id"])["memcells"]) == 2
    assert "3 topics" in shell("digest").stdout
    assert shell.json("digest", "--undo")["undo"] is True
    assert shell("digest", "--undo").stdout == "no digests\n"
    assert shell("digest", "nonsense").returncode == 2
