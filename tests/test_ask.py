"""From a question to an answer, with a scripted model on a real memory."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evermem_cli.ask import MOST_FOR_ONE, MOST_ROUNDS, Asking
from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.memory import Access, Evidence, Filter, Kind, Mode, Selection
from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.generation.phrasing import NOT_KNOWN
from evermem_cli.recollection.refusals.about_another import is_about_another
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.support.fakes import WordEmbedder
from tests.support.scripted import ScriptedLlm

NOW = datetime(2025, 6, 1, tzinfo=UTC)
CHAT = """[2025-05-03 09:00] Ann: What did you do at the weekend?
[2025-05-03 09:01] Bob: I joined Orrery Labs yesterday as a lab technician. [image: a badge]
[2025-05-03 09:02] Ann: Nice! I signed up for a pottery class with a glazing course.
[2025-05-10 09:00] Bob: The canteen is awful.
[2025-05-10 09:01] Ann: Bring your own lunch then!
[2025-05-10 09:02] Bob: I repaired the bike last week.
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A memory of one chat between two people."""
    return memory_of(CHAT, tmp_path)


def memory_of(chat: str, folder: Path, me: str = "") -> Store:
    """A memory of one chat, that of the speaker `me`."""
    (folder / "chat.txt").write_text(chat)
    store = Store(folder / "memory.duckdb", 1.0)
    ingestion = Ingestion(store, WordEmbedder(), Settings(me=me), lambda stage, done, total: None)
    ingestion.run([folder / "chat.txt"], ReadOptions(tz=UTC))
    return store


def ask(
    question: str, store: Store, llm: ScriptedLlm, mode: Mode = Mode.STANDARD, name: str = "scripted"
) -> tuple[Answer, str, list[str]]:
    """The answer, what was streamed of it, and the searches that were announced; `name` is the model's."""
    streamed: list[str] = []
    announced: list[str] = []
    asking = Asking(
        store=store,
        embedder=WordEmbedder(),
        llm=name,
        load_llm=lambda: llm,
        budget=600,
        mode=mode,
        on_text=streamed.append,
        on_round=announced.append,
    )
    return asking.ask(question, Filter(as_of=NOW), NOW), "".join(streamed), announced


def test_the_model_reads_the_question_before_a_hit_and_dates_worked_out(store: Store) -> None:
    llm = ScriptedLlm("Orrery Labs")
    said, streamed, _ = ask("Where does Bob work as a technician?", store, llm)
    assert said.text == streamed == "Orrery Labs"
    assert "Ann: What did you do at the weekend [the weekend of 3 May 2025]?" in llm.history[0].user
    assert "Bob: I joined Orrery Labs yesterday [2 May 2025] as a lab technician." in llm.history[0].user
    assert [message.external_id for message in said.citations[0].messages] == ["2"]


def test_asked_for_one_thing_the_model_reads_so_many_messages_at_most(tmp_path: Path) -> None:
    days = [f"[2025-05-{day:02} 09:00] Bob: I had soup for lunch, bowl {day} of the month.\n" for day in range(1, 21)]
    llm = ScriptedLlm("soup")
    said, streamed, _ = ask("What did Bob have for lunch?", memory_of("".join(days), tmp_path), llm)
    assert said.text == streamed == "soup"
    [request] = llm.history
    assert request.user.count("Bob: I had soup") == MOST_FOR_ONE


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("May 10, 2025", "the week before 10 May 2025"),
        ("last week [the week before 10 May 2025]", "the week before 10 May 2025"),
        ("3 May 2025", "Memory does not say."),  # of the passage about something else
        ("In spring", "In spring"),
        ("11 May 2025", "the week before 10 May 2025"),
        ("2025", "the week before 10 May 2025"),
        ("2024", "2024"),
    ],
)
def test_a_date_is_told_as_the_message_tells_it(store: Store, written: str, told: str) -> None:
    said, streamed, _ = ask("When did Bob repair the bike?", store, ScriptedLlm(written))
    assert said.text == streamed == told


def test_today_and_who_asks_are_said_only_where_the_question_counts_from_them(store: Store) -> None:
    llm = ScriptedLlm("soon")
    ask("What did Bob join?", store, llm)
    ask("What did Bob join last month?", store, llm)
    assert "Today is" not in llm.history[0].user
    assert "mean the user" not in llm.history[0].user
    assert "Today is 1 June 2025." in llm.history[1].user


def test_who_it_was_is_not_answered_with_the_one_asked_about(store: Store) -> None:
    llm = ScriptedLlm().enqueue("Bob.", "Ann", "Kim")
    said, streamed, _ = ask("Who did Bob tell about the lab?", store, llm)
    assert said.text == streamed == "Ann"
    asked, again = llm.history
    assert asked.pattern is None
    assert again == replace(asked, pattern=again.pattern)
    answers = ("Kim", "Bobby's aunt", "Bob's aunt", "Bo.", "Bob", "Bob told Bob.")
    assert [bool(re.fullmatch(again.pattern or "", text)) for text in answers] == [True, True, True, True, False, False]
    ask("Who told Bob about the lab?", store, llm)
    assert llm.history[2].pattern == again.pattern
    assert len(llm.history) == 3


def test_what_no_message_supports_is_not_told(store: Store) -> None:
    said, streamed, _ = ask("Which lab did Bob join?", store, ScriptedLlm("Umbrella Corporation"))
    assert said.text == streamed == NOT_KNOWN["en"]
    assert not said.known


def test_who_asks_is_neither_the_answer_nor_said_again(store: Store) -> None:
    llm = ScriptedLlm().enqueue("Bob", "The user joined Orrery Labs.")
    assert ask("Who joined the lab with me?", store, llm)[0].text == "Bob"
    assert ask("What lab did I join?", store, llm)[0].text == "Orrery Labs."


def test_what_somebody_else_did_is_not_known_of_the_one_asked_about(store: Store) -> None:
    llm = ScriptedLlm("pottery")
    said, streamed, _ = ask("What class did Bob sign up for, pottery or glazing?", store, llm)
    assert said.text == streamed == NOT_KNOWN["en"]
    assert not said.known
    assert not said.citations
    assert llm.history == []
    assert ask("What class did Ann sign up for, pottery or glazing?", store, llm)[0].known


def test_a_question_asked_again_is_answered_without_the_model_until_the_memory_changes(store: Store) -> None:
    first, again = ScriptedLlm("Orrery Labs"), ScriptedLlm()
    ask("Where does Bob work as a technician?", store, first)
    said, streamed, _ = ask("Where does Bob work as a technician?", store, again)
    assert said.text == streamed == "Orrery Labs"
    assert said.citations
    assert again.history == []
    with store.write() as writer:
        writer.actions.merge("default", "Bobby", "Bob")
    changed = ScriptedLlm("Orrery")
    assert ask("Where does Bob work as a technician?", store, changed)[0].text == "Orrery"


def test_forgetting_takes_the_kept_replies_along(store: Store) -> None:
    ask("Where does Bob work as a technician?", store, ScriptedLlm("Orrery Labs"))
    [kept] = store.path.parent.glob("*.replies")
    assert kept.stat().st_mode & 0o777 == 0o600
    store.forget(Selection(user_id="default", words=("pottery",)))
    assert not list(store.path.parent.glob("*.replies"))


def test_an_agent_neither_reads_nor_leaves_replies(store: Store) -> None:
    agent = Access(agent="travel", reason="", command="ask", tiers={})
    assert replace(store, access=agent).replies is None


def test_a_count_is_known_by_the_messages_that_it_counts(store: Store) -> None:
    said, _, _ = ask("How many labs has Bob joined as a technician?", store, ScriptedLlm("1"))
    assert (said.text, said.known) == ("1", True)
    assert [message.external_id for message in said.citations[0].messages] == ["2"]


@pytest.mark.parametrize(("several", "is_anothers"), [(False, True), (True, False)])
def test_a_list_is_refused_only_where_another_clearly_spoke_of_it(several: bool, is_anothers: bool) -> None:
    found = [spoken("Bob", 1.4), spoken("Ann", 1.0)]
    assert is_about_another({"Bob"}, found, several=several) is is_anothers


def spoken(name: str, score: float) -> Evidence:
    """A result that somebody said, with its score."""
    return Evidence(
        id=name, kind=Kind.MESSAGE, text="Labs.", score=score, speaker=name, said_at=NOW, valid_at=None,
        invalid_at=None, conversation="c", scene=None, messages=(),
    )  # fmt: skip


def test_light_mode_asks_no_model(store: Store) -> None:
    llm = ScriptedLlm()
    said, _, _ = ask("Where does Bob work?", store, llm, Mode.LIGHT)
    assert said.known is None
    assert said.model is None
    assert llm.history == []


@pytest.mark.parametrize("question", ["How old is her parrot?", "When did Ann sell the boat?", "鲍勃养了什么鸟？"])
def test_light_mode_does_not_say_whether_the_evidence_answers(store: Store, question: str) -> None:
    said, _, _ = ask(question, store, ScriptedLlm(), Mode.LIGHT)
    assert said.citations
    assert (said.text, said.known) == ("", None)


def test_agentic_mode_searches_in_other_words_until_that_is_enough(store: Store) -> None:
    llm = ScriptedLlm().enqueue("no", "Where is Bob a technician?", "yes", "Orrery Labs")
    said, _, announced = ask("Bob's profession?", store, llm, Mode.AGENTIC)
    assert [(done.query, done.sufficient) for done in said.recollection.rounds] == [
        ("Bob's profession?", False),
        ("Where is Bob a technician?", True),
    ]
    assert announced == ["Where is Bob a technician?"]
    assert said.known


def test_agentic_mode_gives_up_after_three_rewrites(store: Store) -> None:
    llm = ScriptedLlm()
    for number in range(MOST_ROUNDS):
        llm.enqueue("no", f"What is the shoe size, put in words number {number}?")
    said, _, announced = ask("What is the shoe size?", store, llm, Mode.AGENTIC)
    assert len(announced) == 3
    assert [done.sufficient for done in said.recollection.rounds] == [False] * MOST_ROUNDS
    assert said.text == NOT_KNOWN["en"]
    assert not said.known


def test_a_rewrite_that_was_tried_before_ends_the_search_after_the_words_alone(store: Store) -> None:
    llm = ScriptedLlm().enqueue("no", "what is the shoe size?", "no", "What is the shoe size?")
    said, _, announced = ask("What is the shoe size?", store, llm, Mode.AGENTIC)
    assert announced == ["shoe size"]
    assert not said.known


def test_check_rewrite_and_answer_begin_alike_so_that_passages_are_read_once(store: Store) -> None:
    llm = ScriptedLlm().enqueue("no", "Where is Bob a technician?", "yes", "Orrery Labs")
    ask("Bob's profession?", store, llm, Mode.AGENTIC)
    assert len({request.system for request in llm.history}) == 1
    passages = [request.user.rsplit("\n\n", 1)[0] for request in llm.history]
    assert len(passages) > 1
    assert all(later.startswith(passages[0]) for later in passages)


def test_no_date_is_told_from_a_passage_that_has_nothing_of_the_question(tmp_path: Path) -> None:
    store = memory_of(
        "[2025-05-03 09:00] Ann: The plumber came yesterday.\n[2025-05-20 09:00] Ann: We won the pub quiz on Sunday!\n",
        tmp_path,
        me="Ann",
    )
    said, streamed, _ = ask("When did I win the lottery?", store, ScriptedLlm("2 May 2025"))
    assert (said.text, streamed, said.known) == (NOT_KNOWN["en"], NOT_KNOWN["en"], False)
    said, _, _ = ask("How many days ago did I win the lottery?", store, ScriptedLlm("2 May 2025"))
    assert (said.text, said.known, said.citations) == (NOT_KNOWN["en"], False, ())
    said, _, _ = ask("When did we win?", store, ScriptedLlm("18 May 2025"))
    assert said.text == "Sunday 18 May 2025"


def test_a_date_told_in_chinese_answers_in_english(tmp_path: Path) -> None:
    store = memory_of("[2025-05-03 09:00] Ann: 小雨12月22日到 London。\n", tmp_path, me="Ann")
    said, streamed, _ = ask("What day does Xiaoyu get to London?", store, ScriptedLlm("2025年12月22日"))
    assert said.text == streamed == "22 December 2025"
    assert said.known


def test_how_long_it_is_from_one_day_to_another_is_worked_out_by_code(tmp_path: Path) -> None:
    store = memory_of(
        "[2025-05-03 09:00] Ann: I bought a smoker yesterday.\n[2025-05-20 09:00] Ann: The garden party was great.\n",
        tmp_path,
        me="Ann",
    )
    question = "How many days passed between the day I bought a smoker and the garden party?"
    llm = ScriptedLlm().enqueue("2 May 2025", "20 May 2025")
    said, streamed, _ = ask(question, store, llm)
    assert said.text == streamed == "18 days"
    assert said.question == question
    assert [each.text for each in said.citations] == ["I bought a smoker yesterday.", "The garden party was great."]
    asked = ["When was it that I bought a smoker?", "When was the garden party?"]
    assert [done.query for done in said.recollection.rounds] == asked
    llm = ScriptedLlm("From yesterday on").enqueue("2 May 2025", "in spring")
    assert store.replies
    store.replies.clear()
    said, streamed, _ = ask(question, store, llm)
    assert said.text == streamed == "From yesterday on"  # asked as it is, where a date is not to be had
    assert f"Question: {question}" in llm.history[-1].user


@pytest.mark.parametrize("question", ["Do I have a brother?", "Do I own a car?", "Am I married?"])
def test_whether_there_is_any_is_not_guessed_from_what_others_have_or_one_only_thinks_of(
    question: str, tmp_path: Path
) -> None:
    store = memory_of(
        "[2025-05-03 09:00] Ann: I'm thinking of getting a car.\n"
        "[2025-05-03 09:01] Bob: My brother got married and bought a car.\n",
        tmp_path,
        me="Ann",
    )
    said, _, _ = ask(question, store, ScriptedLlm())
    assert (said.text, said.known) == (NOT_KNOWN["en"], False)
