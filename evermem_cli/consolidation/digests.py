"""Digests: summaries of old MemCells about one thing, made of sentences from their episodes."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from evermem_cli.formation.episodes import written_date
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.languages.language import language
from evermem_cli.memory import Digest, Episode, MemCell, content_id

FEWEST = 2  # MemCells that make a digest worthwhile
TITLES = 3  # titles of MemCells that make up the digest's title


def due(threads: Iterable[Sequence[str]], known: Iterable[Digest]) -> list[frozenset[str]]:
    """The sets of MemCells that need a digest. `threads` are old MemCells, each about one thing.

    A digest absorbs existing ones that it overlaps, so digests only ever grow.
    """
    digested = [frozenset(digest.memcell_ids) for digest in known]
    sets = []
    for thread in threads:
        cells = frozenset(thread).union(*(group for group in digested if not group.isdisjoint(thread)))
        if len(cells) >= FEWEST and not any(cells <= group for group in digested):
            sets.append(cells)
    return sets


def apart(known: Iterable[Digest], cells: Collection[str]) -> list[Digest]:
    """The digests that cover any of these MemCells."""
    return [digest for digest in known if not set(cells).isdisjoint(digest.memcell_ids)]


def make_digest(cells: Sequence[MemCell], episodes: Mapping[str, Episode]) -> Digest:
    """The digest of MemCells, oldest first, with each one's episode: a dated line with what each adds."""
    sentences: set[str] = set()
    lines = [line for cell in cells if (line := _line(cell, episodes[cell.event_id], sentences))]
    titles = list(dict.fromkeys(episodes[cell.event_id].subject for cell in cells))
    ids = tuple(cell.event_id for cell in cells)
    return Digest(
        id=content_id("digest", *ids),
        conversation_id=cells[-1].conversation_id,
        subject="; ".join(titles[:TITLES]),
        digest="\n".join(lines),
        memcell_ids=ids,
        start_at=cells[0].start_at,
        said_at=max(cell.end_at for cell in cells),
        message_ids=tuple(message.id for cell in cells for message in cell.messages),
    )


def episodes_for_all(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """The episode that covers the whole MemCell, for each MemCell.

    In a chat with an assistant that is the user's episode.
    """
    by_cell: dict[str, Episode] = {}
    for episode in sorted(episodes, key=lambda episode: (episode.user_id is not None, episode.id)):
        by_cell.setdefault(episode.memcell_event_id_list[0], episode)
    return by_cell


def _line(cell: MemCell, episode: Episode, sentences: set[str]) -> str:
    """The sentences of a summary that are not in `sentences` yet, after their day; empty where none is new."""
    new = [sentence for sentence in split_sentences(episode.summary) if sentence.casefold() not in sentences]
    sentences |= {sentence.casefold() for sentence in new}
    tongue = language(episode.summary)
    colon, space = ("：", "") if tongue == "zh" else (": ", " ")
    return written_date(cell.messages[0].local_time, tongue) + colon + space.join(new) if new else ""
