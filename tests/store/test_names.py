"""Who is called what."""

from datetime import UTC
from pathlib import Path

from evermem_cli.config import Settings
from evermem_cli.ingest import Ingestion
from evermem_cli.store import Store
from evermem_cli.transcripts import ReadOptions
from tests.support.fakes import WordEmbedder

TURN = '{"role": "%s", "content": "%s", "timestamp": "2025-03-0%dT09:00:00Z"}\n'


def test_of_several_names_the_users_own_is_shown_and_not_user(tmp_path: Path) -> None:
    store, chat, session = Store(tmp_path / "memory.duckdb", 1.0), tmp_path / "chat.txt", tmp_path / "session.jsonl"
    chat.write_text("[2025-03-01 09:00] Kim: Hello, Ann.\n[2025-03-01 09:01] Ann: Hello!\n")
    session.write_text("".join(TURN % (role, "Fine.", day) for day in (2, 3) for role in ("user", "assistant")))
    for path, me in ((chat, "Kim"), (session, "")):
        Ingestion(store, WordEmbedder(), Settings(me=me), lambda *_: None).run([path], ReadOptions(tz=UTC))
    with store.read() as reader:
        assert {"Kim", "User"} <= set(reader.names.of_user("default"))
        assert reader.names.display_names("default")["default"] == "Kim"
