"""What a command says that Ctrl-C ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from typing import cast

import pytest

from evermem_cli.cli.actions.intake import Intake
from evermem_cli.cli.actions.intake_outcome import tell_stored
from evermem_cli.cli.shared.engines import Engines
from evermem_cli.cli.shared.session import Session
from evermem_cli.config.values import MemoryFile
from evermem_cli.engines import Vectors
from evermem_cli.engines.catalog import DEFAULT_EMBEDDER
from evermem_cli.engines.embedder import PassageEmbedder
from evermem_cli.errors import ExitCode
from evermem_cli.intake.reports import Choice
from evermem_cli.memory import Selection
from evermem_cli.terminal.stopping import INTERRUPTED_QUERY, when_interrupted
from evermem_cli.transcripts import ReadOptions
from tests.support.fakes import WordEmbedder
from tests.test_ingest import CHAT, Memory

LONG = "".join(f"[2025-03-01 10:{n // 60:02}:{n % 60:02}] Ann: My cat has {n} toys.\n" for n in range(1500))


class InterruptedEmbedder(WordEmbedder):
    """An embedder during whose work Ctrl-C is pressed, once it has embedded so many lots of texts."""

    lots = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not self.lots:
            raise KeyboardInterrupt
        self.lots -= 1
        return super().embed(texts)


@dataclass
class InterruptedEngines(Engines):
    """Models of which the embedder is interrupted."""

    lots: int = 0

    @property
    def embedder(self) -> PassageEmbedder:
        embedder = InterruptedEmbedder(DEFAULT_EMBEDDER)
        embedder.lots = self.lots
        return cast(PassageEmbedder, embedder)


def session_of(memory: Memory, lots: int) -> Session:
    settings = replace(memory.settings, db=MemoryFile(memory.store.path), models_dir=memory.folder)

    def no_console() -> None:
        raise AssertionError("nothing is downloaded")

    engines = InterruptedEngines(settings, console=no_console, note=lambda line: None, lots=lots)  # type: ignore[arg-type]
    return Session(settings, lent=engines)


def test_an_interrupted_forget_says_that_it_has_forgotten_and_what_forms_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = Memory(tmp_path)
    memory.ingest(memory.file(CHAT))
    memory.enrich()
    with pytest.raises(SystemExit) as ended:
        session_of(memory, 0).forget(Selection(user_id="default", words=("miso",)))
    assert ended.value.code == ExitCode.INTERRUPTED
    assert "what was named is forgotten, and `evermem enrich` forms anew" in capsys.readouterr().err
    assert memory.counts()["messages"] == 2


@pytest.mark.parametrize(("lots", "told"), [(0, "0 new messages stored, and"), (1, "1,000 new messages stored; `ever")])
def test_an_interrupted_ingest_says_how_much_is_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lots: int, told: str
) -> None:
    memory = Memory(tmp_path)
    session = session_of(memory, lots)
    intake = Intake.of(session, [str(memory.file(LONG))], ReadOptions(tz=UTC), Choice())
    with pytest.raises(SystemExit) as ended, when_interrupted(lambda: tell_stored(session, intake.action)):
        intake.ingest()
    assert ended.value.code == ExitCode.INTERRUPTED
    assert told in capsys.readouterr().err


def test_an_error_is_no_interruption() -> None:
    lines: list[str] = []
    with pytest.raises(RuntimeError, match="broken"), when_interrupted(lambda: lines.append("told")):
        raise RuntimeError("broken")
    assert lines == []
    with pytest.raises(SystemExit), when_interrupted(lambda: lines.append("told")):
        raise RuntimeError(INTERRUPTED_QUERY)
    assert lines == ["told"]
