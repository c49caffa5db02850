"""Tells a story from the summaries of the best scenes' episodes: "Tell me about the trip".

From the same episodes the default model told six stories of the sample chats; three contained other people's doings or
inventions. So a story uses no model, only words that were said.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from evermem_cli.languages.language import language
from evermem_cli.memory import Episode
from evermem_cli.recollection.dates import day
from evermem_cli.recollection.generation.answers import Answer, answer_from
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.passages.scenes import scenes_of
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection

MOST = 8  # topics in a story


def tell_story(question: Question, recollection: Recollection) -> Answer | None:
    """The episodes of the best scenes, one topic per line, oldest first; `left_out` counts what did not fit.

    Where the question names a time, those of that time alone, if there are any. None where the scenes have no episodes
    yet.
    """
    if not question.wants.story or recollection.foresights:
        return None
    memory, user_id = recollection.memory, recollection.memory.user_id or ""
    with memory.store.read() as reader:
        members = {scene.scene_id: scene.memcell_ids for scene in reader.consolidation.scenes(user_id)}
        cells = [cell for scene in scenes_of(recollection.hits) for cell in members.get(scene, ())]
        kept = reader.strengths.kept(reader.topics.episodes(cells), memory.where, memory.now)
    episodes = {episode.memcell_event_id_list[0]: episode for episode in _of_all_last(kept, user_id)}
    whole = [episodes[cell] for cell in cells if cell in episodes]
    wanted = [topic for topic in whole if _is_within(topic, question, memory.now)] or whole
    topics = sorted(wanted[:MOST], key=lambda topic: topic.said_at)
    notes = [Note(_line(topic, memory.now), (topic.id,)) for topic in topics]
    return answer_from(notes, question, replace(recollection, left_out=len(wanted) - len(topics)))


def _is_within(topic: Episode, question: Question, now: datetime) -> bool:
    """Whether people talked about it on a day that the question names, by the asker's clock."""
    on = topic.said_at.astimezone(now.tzinfo).date()
    return any(start <= on < end for start, end in question.query.intervals)


def _of_all_last(episodes: Sequence[Episode], user_id: str) -> list[Episode]:
    """The user's own episodes, then those of the group, which replace them because they name everybody."""
    own = [episode for episode in episodes if episode.user_id and episode.user_id.casefold() == user_id.casefold()]
    return [*own, *(episode for episode in episodes if episode.user_id is None)]


def _line(episode: Episode, now: datetime) -> str:
    summary = " ".join((episode.summary or episode.subject).split())
    return f"{day(episode.said_at.astimezone(now.tzinfo), language(summary))}: {summary}"
