"""Fixtures: a memory file of its own for each test, and the real weights that some tests run."""

from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.engines import weights


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps tests away from the user's memory and settings; weights stay where they are, they are large."""
    models = Settings().models_dir
    home = tmp_path_factory.mktemp("home")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("EVERMEM_MODELS_DIR", str(models))
    monkeypatch.setenv("EVERMEM_TZ", "UTC")


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Where the real weights are kept, also between runs."""
    return Settings().models_dir


@pytest.fixture(scope="session")
def smollm(models_dir: Path) -> Path:
    """The weights of the small model that tests the engine."""
    return weights.ensure("smollm2-135m", models_dir)
