"""A home of its own for the tests, and the real weights that some of them run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from evermem_cli.config import Settings
from evermem_cli.engines import catalog, weights
from evermem_cli.memory.lake_address import LakeAddress
from evermem_cli.store.lake.shared_memory import SharedMemory
from tests.support import postgres
from tests.support.postgres import Postgres

# Properties are about what is read, not how fast: a busy machine is no failure.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Where weights are kept, also between runs: they are large."""
    return Settings.load().models_dir


@pytest.fixture(scope="session", autouse=True)
def own_home(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps every test and its processes away from the user's memory and settings."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as environment:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            environment.setenv(name, str(home))
        environment.setenv("EVERMEM_MODELS_DIR", str(models_dir))
        environment.setenv("EVERMEM_TZ", "UTC")
        yield


def fetched(name: str, models_dir: Path) -> Path:
    return weights.ensure(catalog.find(name), models_dir, lambda done, total: None, lambda line: None)


@pytest.fixture(scope="session")
def smollm(models_dir: Path) -> Path:
    """The weights of the small model that tests the engine's mechanics."""
    return fetched("smollm2-135m", models_dir)


@pytest.fixture(scope="session")
def minilm(models_dir: Path) -> Path:
    """The default embedder's folder."""
    return fetched("all-minilm-l6-v2", models_dir)


@pytest.fixture(scope="session")
def reranker(models_dir: Path) -> Path:
    """The default reranker's folder."""
    return fetched("ms-marco-minilm-l12", models_dir)


@pytest.fixture(scope="session")
def default_llm(models_dir: Path) -> Path:
    """The weights of the default language model."""
    return fetched("qwen2.5-coder-1.5b", models_dir)


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres | None]:
    """A PostgreSQL; None where it is not installed."""
    if postgres.programs() is None:
        yield None
        return
    with postgres.running() as started:
        yield started


@pytest.fixture(params=["file", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path, server: Postgres | None) -> SharedMemory:
    """A memory that machines share, by a catalogue file and by a catalogue in PostgreSQL."""
    if request.param == "file":
        return SharedMemory(LakeAddress.read(f"ducklake:{tmp_path}/catalog.ducklake"), 5)
    if server is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    data = tmp_path / "data"
    data.mkdir()
    return SharedMemory(LakeAddress.read(f"ducklake:postgres:{server.parameters()}?data={data}"), 5)
