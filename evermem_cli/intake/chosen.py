"""The chats of the inputs that the user chose."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from evermem_cli import transcripts
from evermem_cli.errors import InputError
from evermem_cli.intake.plan import Thread
from evermem_cli.intake.reports import Choice, InputReport
from evermem_cli.memory import Transcript
from evermem_cli.transcripts import ReadOptions
from evermem_cli.transcripts.cleaning import clean

NOT_CHOSEN = "messages of chats that were not chosen"


class Incoming(NamedTuple):
    """A chat to take in, the report of its input, and the stored chat that it continues where one is known."""

    transcript: Transcript
    report: InputReport
    thread: Thread | None = None


def every_chat(sources: Iterable[Path | BinaryIO], options: ReadOptions, choice: Choice) -> Iterator[Transcript]:
    """The selected chats of all inputs, without a report."""
    for chat in incoming(sources, options, choice, []):
        yield chat.transcript


def incoming(
    sources: Iterable[Path | BinaryIO], options: ReadOptions, choice: Choice, reports: list[InputReport]
) -> Iterator[Incoming]:
    """The selected chats of all inputs. Adds the report of each input to `reports` when its reading begins."""
    for source in sources:
        report = report_of(source)
        reports.append(report)
        for transcript in chosen_chats(source, options, choice, report):
            yield Incoming(transcript, report)


def in_batches(chats: Iterable[Incoming], size: int) -> Iterator[list[Incoming]]:
    """The chats of all inputs in order, in batches of about `size` messages.

    A chat without a key is alone, since its identity depends on what is stored. One with a key may occur twice, but not
    in one batch. Where reading a later chat fails or is interrupted, the batch before it comes first.
    """
    batch: list[Incoming] = []
    keys: set[str | None] = set()
    turns = 0
    try:
        for chat in chats:
            key = chat.transcript.key
            if batch and (key in keys or None in keys or key is None or turns >= size):
                yield batch
                batch, keys, turns = [], set(), 0
            batch.append(chat)
            keys.add(key)
            turns += len(chat.transcript.turns)
    except (Exception, KeyboardInterrupt):
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def report_of(source: Path | BinaryIO) -> InputReport:
    """The report of an input of which nothing has been read."""
    return InputReport(path=str(source) if isinstance(source, Path) else "-")


def chosen_chats(
    source: Path | BinaryIO, options: ReadOptions, choice: Choice, report: InputReport
) -> Iterator[Transcript]:
    """The selected chats of one input, each with a title. Problems and left-out messages go into the report."""
    try:
        for transcript in transcripts.read(source, options, report.record):
            report.add_format(transcript.format)
            report.guesses |= dict.fromkeys(transcript.guesses)
            named = titled(transcript, report.path)
            if choice.takes_chat(named.title):
                yield named
            else:
                report.skip(NOT_CHOSEN, len(named.turns))
    except InputError as error:
        report.error = f"{error.message}; {error.hint}" if error.hint else error.message


def titled(transcript: Transcript, path: str) -> Transcript:
    """The chat with a title, which is the name of its file where it has none of its own."""
    return transcript if transcript.title else replace(transcript, title=clean(Path(path).stem))
