"""What was arranged and moved or called off later, asked of a real memory: code and a small model tell it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.engines import Embedder
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import CatalogEmbed
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Filter, Mode
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.plan_changes import changes_of, planned_in
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.recollection.asking import answered, recalled
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm
from tests.test_consolidate import ask
from tests.test_ingest import Memory

pytestmark = pytest.mark.model

TRIP = """[2025-03-19 19:27] Maya: Decided then: Bohinj! I'd say 16 to 20 May. The Harbour Half is on the 11th of May.
[2025-03-19 19:28] Priya: Works for me. My birthday is on 16 May, by the way.
[2025-03-22 15:40] Tom: Flights booked! From Bristol on Friday 16 May at 6:20.
[2025-05-07 17:38] Priya: So we move the trip. I have my exam on Thursday 29 May.
[2025-05-07 17:41] Maya: 13 to 17 June?
[2025-05-07 17:50] Tom: Flights changed to Friday 13 June, 35 each for the change.
"""
HUT = """[2025-03-08 10:02] Nadia: the hut. I've asked for Friday 13 June to Sunday 15 June, three beds
[2025-04-19 20:31] Ines: sorry, nobody swaps. I'm on call the whole weekend of the 13th
[2025-04-19 20:33] Nadia: I rang the hut. they can do Friday 27 June to Sunday 29 June instead
[2025-05-31 09:15] Nadia: the hut called. water pipe, they're closed
[2025-05-31 09:20] Nadia: next free beds: Friday 4 July to Sunday 6 July. I took them, so that's our weekend now
"""
VISIT = """[2025-08-24 10:01] 小雨: 打算12月20日周六到，待到1月2日。
[2025-08-24 10:02] Maya: 太好了
"""
CHANGED = """[2025-12-08 20:01] Maya: 小雨的航班改了，不是20日，是12月22日周一到。
[2025-12-08 20:02] Tom: 好的
"""


@pytest.fixture(scope="module")
def embedder(minilm: Path) -> Embedder:
    return CatalogEmbed(minilm, DEFAULT_EMBEDDER)


def remembered(tmp_path: Path, embedder: Embedder, *chats: str) -> Store:
    store = Store(tmp_path / "memory.duckdb", 1.0)
    for number, chat in enumerate(chats):
        (tmp_path / f"chat{number}.txt").write_text(chat)
    files = sorted(tmp_path.glob("*.txt"))
    Ingestion(store, embedder, Settings(), lambda stage, done, total: None).run(files, ReadOptions(tz=UTC))
    return store


@pytest.mark.parametrize(
    ("chats", "question", "as_of", "told"),
    [
        ((TRIP,), "When is the trip to Bohinj?", "2025-04-01", None),
        ((TRIP,), "When is our flight?", "2025-05-20", "Friday 13 June 2025 (moved from Friday 16 May 2025)"),
        ((TRIP,), "When is the Harbour Half?", "2025-05-20", None),
        ((TRIP,), "When is the exam?", "2025-05-20", None),
        ((TRIP,), "When is Priya's birthday?", "2025-05-20", None),
        ((HUT,), "When is the hut weekend?", "2025-05-10", "27 to 29 June 2025 (moved from 13 to 15 June 2025)"),
        ((VISIT, CHANGED), "小雨什么时候到？", "2025-12-01", None),
        ((VISIT, CHANGED), "小雨什么时候到？", "2025-12-10", "2025年12月22日周一（原定2025年12月20日周六）"),
    ],
)
def test_what_was_moved_is_told_at_its_new_day_from_when_that_was_said(
    tmp_path: Path, embedder: Embedder, chats: tuple[str, ...], question: str, as_of: str, told: str | None
) -> None:
    assert answered(remembered(tmp_path, embedder, *chats), question, as_of, embedder) == told


def test_only_the_question_itself_is_answered_by_code_and_no_rewording_of_it(
    tmp_path: Path, embedder: Embedder
) -> None:
    memory, now = Memory(tmp_path), datetime(2025, 5, 20, 23, tzinfo=UTC)
    memory.embedder = WordEmbedder()
    memory.ingest(memory.file(TRIP, "chat.txt"))
    llm = ScriptedLlm()
    assert "moved from" in ask(memory, "When is our flight?", llm, now, Mode.AGENTIC).text
    assert llm.history == []
    llm.enqueue("no", "When is our flight?", "yes", "16 to 20 May")
    said = ask(memory, "What is planned for the flight by Maya?", llm, now, Mode.AGENTIC)
    assert [done.query for done in said.recollection.rounds][1:] == ["When is our flight?"]
    assert len(llm.history) == 4


def test_what_was_moved_twice_is_on_the_last_day(tmp_path: Path, embedder: Embedder) -> None:
    answer = answered(remembered(tmp_path, embedder, HUT), "When is the hut weekend?", "2025-06-10", embedder)
    assert answer is not None
    assert answer.startswith("4 to 6 July 2025 (moved from ")


def test_what_was_put_on_a_later_day_may_be_moved_again_after_the_first_one(tmp_path: Path, embedder: Embedder) -> None:
    chat = """[2025-03-08 10:02] Nadia: the kayak course is on Saturday 5 April
[2025-03-20 10:00] Ines: good, see you there
[2025-04-01 18:00] Nadia: they moved the kayak course to Saturday 14 June
[2025-06-10 18:00] Nadia: kayak course moved again, to Saturday 21 June
"""
    store, question = remembered(tmp_path, embedder, chat), "When is the kayak course?"
    now = datetime(2025, 6, 12, tzinfo=UTC)
    hits = [hit for hit in recalled(store, question, "2025-06-12", embedder)[1].hits if "5 April" in hit.text]
    with store.read() as reader:
        [moved] = changes_of(
            planned_in(hits), MemoryView(store, Filter(user_id="default", as_of=now), now), reader, embedder
        )
    assert moved.now is not None
    assert moved.now.start == datetime(2025, 6, 21, tzinfo=UTC)


def test_what_one_person_told_in_other_chats_is_moved_as_well(tmp_path: Path, embedder: Embedder) -> None:
    chats = [f"{line}\n[2025-06-01 10:00] Tom: ok\n" for line in HUT.splitlines()]
    answer = answered(remembered(tmp_path, embedder, *chats), "When is the hut weekend?", "2025-05-10", embedder)
    assert answer == "27 to 29 June 2025 (moved from 13 to 15 June 2025)"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("The picnic is a week later.", "Saturday 17 May 2025 (moved from Saturday 10 May 2025)"),
        ("The 10th is taken, so the picnic is the 12th now.", "Monday 12 May 2025 (moved from Saturday 10 May 2025)"),
        ("The picnic was moved from 10 May to 12 May.", "Monday 12 May 2025 (moved from Saturday 10 May 2025)"),
        ("The picnic moves from 10 to 17 May.", "Saturday 17 May 2025 (moved from Saturday 10 May 2025)"),
        (
            "The picnic got pushed back from the 10th to the 17th of May.",
            "Saturday 17 May 2025 (moved from Saturday 10 May 2025)",
        ),
        ("The picnic is postponed from May 10th to 17th.", "Saturday 17 May 2025 (moved from Saturday 10 May 2025)"),
        pytest.param(
            "The picnic lasts from 10 to 17 May.",
            None,
            marks=pytest.mark.xfail(
                reason="the learned model takes a length for a move; patterns did not", strict=True
            ),
        ),
        pytest.param(
            "The picnic is now the weekend after.",
            "Saturday 17 May 2025 (moved from Saturday 10 May 2025)",
            marks=pytest.mark.xfail(reason="no time phrase is found in it since the pattern went", strict=True),
        ),
        ("We'll have the picnic two days later.", "Monday 12 May 2025 (moved from Saturday 10 May 2025)"),
        ("I'm moving to Leeds on 1 May, so no picnic on my birthday.", None),
        ("My new shoes arrive on 11 May instead.", None),
    ],
)
def test_a_change_tells_the_new_day_or_by_how_much_later(
    tmp_path: Path, embedder: Embedder, change: str, told: str | None
) -> None:
    chat = f"[2025-04-20 09:00] Ann: The picnic is on Saturday 10 May.\n[2025-04-27 09:00] Bob: {change}\n"
    assert answered(remembered(tmp_path, embedder, chat), "When is the picnic?", "2025-05-02", embedder) == told


def test_what_names_its_own_planned_day_again_moves_nothing(tmp_path: Path, embedder: Embedder) -> None:
    chat = """[2026-01-26 09:00] Sue: party at mine on 10 feb
[2026-01-27 09:07] Kim: dinner is booked for 14 feb
[2026-01-29 09:07] Kim: dinner on 14 feb is cancelled
"""
    told = answered(remembered(tmp_path, embedder, chat), "When is the dinner?", "2026-02-01", embedder)
    assert "moved from Saturday 14 February" not in (told or "")


def test_a_message_that_is_out_of_date_is_read_with_what_is_so_now(tmp_path: Path, embedder: Embedder) -> None:
    question = "When do we leave Bristol, on the flights that Tom booked?"
    _, recollection = recalled(remembered(tmp_path, embedder, TRIP), question, "2025-05-20", embedder)
    [line] = [line for line in recollection.lines if "Flights booked" in line.text]
    assert line.text.endswith("(moved to Friday 13 June 2025)")


RACE = (
    "[2025-01-06 19:04] Ann: I signed up for the Harbour Half. It's on Sunday 11 May.\n",
    "[2025-01-07 19:04] Ann: I'll run the Forth Half on 28 September.\n",
    "[2025-05-07 17:34] Ann: I pulled out of the Harbour Half, my knee is no good.\n",
)
NO = 'No: "I pulled out of the Harbour Half, my knee is no good." (7 May 2025)'


@pytest.mark.parametrize(
    ("question", "as_of", "told"),
    [
        ("Did I run the Harbour Half?", "2025-06-01", NO),
        ("Did I run the Harbour Half?", "2025-05-01", None),
        ("Did I run the Forth Half?", "2025-10-01", None),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_what_was_called_off_did_not_happen(
    tmp_path: Path, embedder: Embedder, question: str, as_of: str, told: str | None, together: bool
) -> None:
    chats = ["".join(RACE)] if together else [f"{line}[2025-06-01 10:00] Tom: ok\n" for line in RACE]
    assert answered(remembered(tmp_path, embedder, *chats), question, as_of, embedder) == told
