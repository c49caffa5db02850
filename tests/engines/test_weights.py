"""Weights in place are whole; pulls resume, wait for each other, refuse what is damaged and obey `offline`."""

import errno
import hashlib
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from evermem_cli.engines.catalog import HubFile, Model, ModelKind, WeightFile, find, find_embedder
from evermem_cli.engines.downloads import Advance, DownloadSource, SourceUnavailable
from evermem_cli.engines.weights import ensure, from_file, locate, missing, pull, verify
from evermem_cli.errors import ExitCode, ModelError

CONTENT = b"GGUF" + bytes(range(256)) * 40
TOKENIZER = b'{"tokenizer": true}'


def weight_file(name: str, content: bytes) -> WeightFile:
    return WeightFile(
        name=name,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        hub=HubFile(repository="someone/tiny", path=name),
    )


LLM = Model(name="tiny", kind=ModelKind.LLM, description="", license="MIT", files=(weight_file("tiny.gguf", CONTENT),))
EMBEDDER = Model(
    name="tiny-embedder",
    kind=ModelKind.EMBEDDER,
    description="",
    license="MIT",
    files=(weight_file("model.onnx", CONTENT), weight_file("tokenizer.json", TOKENIZER)),
    written={"config.json": "{}"},
)
CONTENTS = {"tiny.gguf": CONTENT, "model.onnx": CONTENT, "tokenizer.json": TOKENIZER}


def deliver(file: WeightFile, staged: Path, advance: Advance) -> None:
    """A source that has everything, and goes on with what is there."""
    begun = staged.read_bytes() if staged.exists() else b""
    advance(len(begun))
    staged.write_bytes(begun + CONTENTS[file.name][len(begun) :])
    advance(file.size)


def deliver_rubbish(file: WeightFile, staged: Path, advance: Advance) -> None:
    advance(0)
    staged.write_bytes(bytes(file.size))


def decline(file: WeightFile, staged: Path, advance: Advance) -> None:
    raise SourceUnavailable("no route to host")


def fail(number: int, file: WeightFile, staged: Path, advance: Advance) -> None:
    raise OSError(number, "the disk says no")


GOOD = (DownloadSource("a good source", deliver),)


def test_pulled_weights_are_located_verified_and_readable_by_the_user_only(tmp_path: Path) -> None:
    models = tmp_path / "cache" / "models"
    path = pull(LLM, models, sources=GOOD)
    assert path == locate(LLM, models) == models / "tiny" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    verify(LLM, models)
    assert {folder.stat().st_mode & 0o777 for folder in (models.parent, models, path.parent)} == {0o700}


def test_an_embedder_is_a_folder_with_all_its_files(tmp_path: Path) -> None:
    folder = pull(EMBEDDER, tmp_path, sources=GOOD)
    assert folder == tmp_path / "tiny-embedder"
    assert {path.name for path in folder.iterdir()} == {"model.onnx", "tokenizer.json", "config.json"}
    assert (folder / "config.json").read_text() == "{}"
    assert (folder / "config.json").stat().st_mode & 0o777 == 0o600


def test_a_finished_pull_leaves_nothing_unfinished(tmp_path: Path) -> None:
    pull(LLM, tmp_path, sources=GOOD)
    assert not list(tmp_path.glob("*.partial"))


def test_progress_counts_the_whole_model_and_the_line_says_what_and_where_from(tmp_path: Path) -> None:
    lines: list[str] = []
    seen: list[tuple[int, int]] = []
    pull(EMBEDDER, tmp_path, lambda done, total: seen.append((done, total)), lines.append, sources=GOOD)
    assert lines == ["fetching tiny-embedder, 0 MB, from a good source"]
    assert {total for _, total in seen} == {EMBEDDER.size}
    assert seen == sorted(seen)
    assert seen[-1][0] == EMBEDDER.size


def test_the_next_source_is_asked_when_one_declines(tmp_path: Path) -> None:
    lines: list[str] = []
    pull(LLM, tmp_path, announce=lines.append, sources=(DownloadSource("the hub", decline), *GOOD))
    assert lines == ["fetching tiny, 0 MB, from a good source"]


def test_the_next_source_is_asked_when_one_delivers_rubbish(tmp_path: Path) -> None:
    pull(LLM, tmp_path, sources=(DownloadSource("a bad source", deliver_rubbish), *GOOD))
    verify(LLM, tmp_path)


def test_a_wrong_hash_is_deleted_and_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="a bad source: the SHA-256 was wrong"):
        pull(LLM, tmp_path, sources=(DownloadSource("a bad source", deliver_rubbish),))
    assert not list(tmp_path.rglob("tiny.gguf"))
    assert missing(LLM, tmp_path) == ["tiny.gguf"]


def test_no_source_is_a_model_error_that_says_why_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the hub: no route to host") as caught:
        pull(LLM, tmp_path, sources=(DownloadSource("the hub", decline),))
    assert "evermem models pull tiny --from-file PATH" in caught.value.hint


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_refuses_is_a_model_error(number: int, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the disk says no") as caught:
        pull(LLM, tmp_path, sources=(DownloadSource("any", partial(fail, number)),))
    assert "EVERMEM_MODELS_DIR" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot keep weights"):
        pull(LLM, tmp_path / "file" / "models", sources=GOOD)


def test_a_disk_that_is_too_small_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    huge = replace(LLM, files=(replace(LLM.files[0], size=10**18),))
    with pytest.raises(ModelError, match=r"tiny.gguf needs \d+.\d GB, the disk has .* free"):
        pull(huge, tmp_path, sources=(DownloadSource("any", partial(fail, 0)),))


def test_an_interrupted_pull_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def stop(file: WeightFile, staged: Path, advance: Advance) -> None:
        staged.write_bytes(CONTENT[:1000])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(LLM, tmp_path, sources=(DownloadSource("any", stop),))
    seen: list[int] = []
    pull(LLM, tmp_path, lambda done, total: seen.append(done), sources=GOOD)
    assert seen[0] == 1000


def test_a_pull_of_what_is_there_fetches_nothing(tmp_path: Path) -> None:
    pull(EMBEDDER, tmp_path, sources=GOOD)
    pull(EMBEDDER, tmp_path, offline=True, sources=(DownloadSource("none", decline),))


def test_a_damaged_file_is_found_by_verify_and_mended_by_pull(tmp_path: Path) -> None:
    path = pull(LLM, tmp_path, sources=GOOD)
    path.write_bytes(bytes(len(CONTENT)))
    with pytest.raises(ModelError, match="damaged") as caught:
        verify(LLM, tmp_path)
    assert "evermem models pull tiny" in caught.value.hint
    pull(LLM, tmp_path, sources=GOOD)
    verify(LLM, tmp_path)


def test_a_file_cut_short_counts_as_missing(tmp_path: Path) -> None:
    pull(LLM, tmp_path, sources=GOOD).write_bytes(CONTENT[:-1])
    assert missing(LLM, tmp_path) == ["tiny.gguf"]


def test_missing_weights_are_a_model_error_with_the_command_that_fetches_them(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no model\.onnx, tokenizer\.json, config\.json") as caught:
        locate(EMBEDDER, tmp_path)
    assert caught.value.hint == "run `evermem models pull tiny-embedder`"
    assert caught.value.exit_code is ExitCode.MODEL


def test_verifying_what_is_not_there_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not in"):
        verify(LLM, tmp_path)


def test_offline_forbids_fetching_and_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        ensure(LLM, tmp_path, offline=True)
    assert "evermem models pull tiny" in caught.value.hint
    assert caught.value.exit_code is ExitCode.MODEL


def test_offline_is_no_hindrance_when_the_weights_are_there(tmp_path: Path) -> None:
    path = pull(LLM, tmp_path, sources=GOOD)
    assert ensure(LLM, tmp_path, offline=True) == path


def test_any_gguf_file_may_be_the_language_model(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(CONTENT)
    assert ensure(path, tmp_path / "models") == path


def test_a_path_that_is_no_gguf_file_is_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    with pytest.raises(ModelError, match="No such file"):
        locate(path, tmp_path)
    path.write_text("version https://git-lfs")
    with pytest.raises(ModelError, match="not a GGUF file"):
        locate(path, tmp_path)


def test_fastembeds_own_models_have_a_folder_and_need_no_pull(tmp_path: Path) -> None:
    model = find_embedder("BAAI/bge-small-en-v1.5")
    assert ensure(model, tmp_path, offline=True) == tmp_path / "BAAI" / "bge-small-en-v1.5"


def test_a_file_that_the_user_has_is_taken(tmp_path: Path) -> None:
    mine = tmp_path / "downloads" / "any name"
    mine.parent.mkdir()
    mine.write_bytes(CONTENT)
    path = from_file(LLM, mine, tmp_path / "models")
    assert path == locate(LLM, tmp_path / "models")
    assert path.samefile(mine)


def test_a_folder_of_files_that_the_user_has_is_taken(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (mine / name).write_bytes(CONTENTS[name])
    assert from_file(EMBEDDER, mine, tmp_path / "models") == tmp_path / "models" / "tiny-embedder"
    verify(EMBEDDER, tmp_path / "models")


def test_one_file_of_two_is_kept_and_the_other_named(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(CONTENT)
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        from_file(EMBEDDER, mine, tmp_path / "models")
    assert missing(EMBEDDER, tmp_path / "models") == ["tokenizer.json"]


def test_a_file_with_another_hash_is_not_taken(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(bytes(len(CONTENT)))
    with pytest.raises(ModelError, match="has no weights of tiny") as caught:
        from_file(LLM, mine, tmp_path / "models")
    assert LLM.files[0].sha256 in caught.value.hint
    assert mine.exists()


def test_a_file_that_is_not_there_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        from_file(LLM, tmp_path / "nothing", tmp_path)


def deliver_slowly(seconds: float, log: Path, file: WeightFile, staged: Path, advance: Advance) -> None:
    """Notes how much was there when asked, and pauses in the middle."""
    with log.open("a") as lines:
        lines.write(f"from {staged.stat().st_size if staged.exists() else 0}\n")
    staged.write_bytes(CONTENT[:5000])
    time.sleep(seconds)
    staged.write_bytes(CONTENT)


def pull_slowly(folder: Path, seconds: float) -> None:
    pull(LLM, folder / "models", sources=(DownloadSource("slow", partial(deliver_slowly, seconds, folder / "log")),))


@contextmanager
def other_process(folder: Path, seconds: float) -> Iterator[BaseProcess]:
    """A process that pulls the tiny model and pauses in the middle."""
    process = multiprocessing.get_context("spawn").Process(target=pull_slowly, args=(folder, seconds))
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()
        process.close()


def test_two_processes_that_pull_the_same_model_fetch_it_once(tmp_path: Path) -> None:
    with other_process(tmp_path, 0.5) as one, other_process(tmp_path, 0.5) as two:
        for process in (one, two):
            process.join()
            assert process.exitcode == 0
    assert (tmp_path / "log").read_text() == "from 0\n"
    verify(LLM, tmp_path / "models")


def test_a_killed_pull_leaves_no_lock_and_is_gone_on_with(tmp_path: Path) -> None:
    staged = tmp_path / "models" / "tiny.partial" / "tiny.gguf"
    with other_process(tmp_path, 600) as process:
        while process.is_alive() and not (staged.exists() and staged.stat().st_size == 5000):
            time.sleep(0.01)
    pull_slowly(tmp_path, 0)
    assert (tmp_path / "log").read_text() == "from 0\nfrom 5000\n"
    verify(LLM, tmp_path / "models")


@pytest.mark.model
def test_the_default_embedder_comes_from_its_real_source(tmp_path: Path) -> None:
    model = find("all-minilm-l6-v2")
    folder = pull(model, tmp_path)
    verify(model, tmp_path)
    assert sum(path.stat().st_size for path in folder.iterdir()) < model.size + 1000
