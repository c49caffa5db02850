"""What an agent is told of people where the value that holds is withheld from it: none in its place."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.ask import Asking
from evermem_cli.config import PRIVACY
from evermem_cli.consolidate import Consolidation
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.memory import Access, Filter, Mode, Tier
from evermem_cli.recollection.people.network import read_network
from evermem_cli.recollection.people.profile import timeline
from evermem_cli.store import Store
from tests.recollection.asking import answered
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm
from tests.test_ingest import Memory

NOW = datetime(2025, 6, 1, tzinfo=UTC)
CHAT = """[2025-01-01 09:00] Ann: I live in Leeds. My partner is Sam.
[2025-01-01 09:01] Tom: I work at Quillbank.
[2025-02-01 09:00] Ann: I moved to York.
[2025-02-01 09:01] Tom: I quit my job at Quillbank and I work at Tidewater now.
"""


def remembered(folder: Path, chat: str, *hidden: str) -> tuple[Store, Store]:
    """A memory as its owner Ann sees it, and as an agent does from whom messages with some words are withheld."""
    memory = Memory(folder, me="Ann")
    memory.ingest(memory.file(chat), me="Ann")
    memory.annotate()
    Consolidation(memory.store, memory.settings).run()
    with memory.store.read() as reader:
        cells = reader.topics.memcells()
        messages = [message for cell in cells for message in cell.messages]
    with memory.store.privacy(write=True) as opened:
        for message in messages:
            if any(words in message.text for words in hidden):
                opened.set_tier(message.id, Tier.PRIVATE)
    access = Access(agent="travel", reason="", command="ask", tiers=dict.fromkeys(PRIVACY, Tier.PUBLIC))
    return memory.store, Store(memory.store.path, 1, access)


@pytest.mark.parametrize(
    ("question", "owners"),
    [
        ("Where do I live?", "York (since 1 February 2025)"),
        ("Do I live in Leeds?", "No: York (since 1 February 2025); until 1 February 2025 it was Leeds"),
        ("Who lives in Leeds?", None),
        ("Who works at Quillbank?", None),
        ("Who is Tom?", "Tom: in your chats (since 1 January 2025)\nemployer: Tidewater (since 1 February 2025)"),
        ("How long have I lived in Leeds?", "Leeds: at least since 1 January 2025, until 1 February 2025"),
        ("Where does Tom work?", "Tidewater (since 1 February 2025)"),
    ],
)
def test_code_answers_an_agent_with_no_value_that_the_owner_knows_to_be_over(
    tmp_path: Path, question: str, owners: str | None
) -> None:
    owner, agent = remembered(tmp_path, CHAT, "York", "Tidewater")
    assert answered(owner, question, "2025-06-01") == owners
    assert answered(agent, question, "2025-06-01") in (None, "Tom: in your chats (since 1 January 2025)")


def test_what_holds_for_the_owner_too_is_told_to_an_agent(tmp_path: Path) -> None:
    _, agent = remembered(tmp_path, CHAT, "York")
    assert answered(agent, "Where does Tom work?", "2025-06-01") == "Tidewater (since 1 February 2025)"
    assert answered(agent, "Do I have a partner?", "2025-06-01") == "Yes: partner is Sam (since 1 January 2025)"


def read_of(store: Store, question: str) -> str:
    """What the model reads for a question."""
    llm = ScriptedLlm("somewhere")
    asking = Asking(
        store=store,
        embedder=WordEmbedder(DEFAULT_EMBEDDER),
        llm="scripted",
        load_llm=lambda: llm,
        budget=600,
        mode=Mode.STANDARD,
        on_text=lambda text: None,
        on_round=lambda query: None,
    )
    asking.ask(question, Filter(user_id="default", as_of=NOW), NOW)
    return "\n".join(request.user for request in llm.history)


def tied(store: Store) -> set[str]:
    """The names of everything to which somebody has a tie now."""
    network = read_network(store, "default")
    return {network.by_id[tie.target].name for tie in network.relationships if tie.holds_at(NOW)}


def test_an_agents_timeline_has_no_such_value_either(tmp_path: Path) -> None:
    owner, agent = remembered(tmp_path, CHAT, "York")
    assert "location: Leeds → York" in {event.title for event in timeline(owner, "default", None, None)}
    assert not [event.title for event in timeline(agent, "default", None, None) if "Leeds" in event.title]


def test_an_agents_notes_for_the_model_and_its_network_have_no_such_value_either(tmp_path: Path) -> None:
    owner, agent = remembered(tmp_path, CHAT, "York", "Tidewater")
    note = "Ann's location: "
    assert f"{note}York" in read_of(owner, "Is it far from where I live to the sea?")
    assert note not in read_of(agent, "Is it far from where I live to the sea?")
    assert {"York", "Tidewater"} <= tied(owner)
    assert not {"York", "Tidewater", "Leeds", "Quillbank"} & tied(agent)


ENDED = """[2025-01-01 09:00] Ann: I work at Quillbank.
[2025-02-01 09:00] Ann: I quit my job at Quillbank.
[2025-02-03 09:00] Ann: I work at Tidewater now.
"""


def test_an_ended_value_is_not_told_as_the_last_where_the_one_after_it_is_withheld(tmp_path: Path) -> None:
    owner, agent = remembered(tmp_path, ENDED, "Tidewater")
    assert answered(owner, "Where do I work?", "2025-06-01") == "Tidewater (since 3 February 2025)"
    assert answered(agent, "Where do I work?", "2025-06-01") is None
    assert answered(agent, "Where do I work?", "2025-01-15") == "Quillbank (since 1 January 2025)"


RACE = """[2025-01-01 09:00] Ann: I signed up for the Harbour Half, it's on 1 March.
[2025-02-01 09:00] Tom: The kettle is broken again.
[2025-03-02 09:00] Ann: I did not run the Harbour Half, I had a fever.
"""


def test_the_model_is_not_asked_where_the_best_evidence_is_withheld(tmp_path: Path) -> None:
    owner, agent = remembered(tmp_path, RACE, "fever")
    assert "fever" in read_of(owner, "Did I run the Harbour Half?")
    assert read_of(agent, "Did I run the Harbour Half?") == ""


def test_the_model_is_asked_where_something_else_is_withheld(tmp_path: Path) -> None:
    chat = RACE + "".join(f"[2025-04-{n:02} 09:00] Ann: I bought {n} green chairs.\n" for n in range(2, 12))
    _, agent = remembered(tmp_path, chat, "kettle")
    assert "fever" in read_of(agent, "Did I run the Harbour Half?")
