"""A story, where a question asks for one: the scenes that fit it best, told by the summaries of their episodes.

The default model told the sample chats' stories from the same episodes: of six, three had somebody else's doings or
made-up ones in them. So this is told without a model, in words that were said.
"""

import re
from collections.abc import Sequence

from evermem_cli.language import language
from evermem_cli.memory import Episode, Evidence, Filter
from evermem_cli.recollection.dated import day
from evermem_cli.recollection.notes import Note, listed
from evermem_cli.recollection.passages import Reading
from evermem_cli.store import Searcher

SCENES = 5  # most scenes of real chats hold one or two topics
MOST = 8  # topics that are told
# "Tell me about the trip", "How did it go?", "What happened to Tom?"; not "What happened when …?" or "… to Tom's car in
# May?", which ask for one thing.
_ASKS = re.compile(
    r"\s*(?:(?:can you |please )?(?:tell (?:me )?(?:the story )?(?:of|about)|summari[sz]e|recap|sum up|describe)\b"
    r"|what do (?:you|we) (?:know|remember) (?:about|of)\b"
    r"|(?:give me (?:a summary|an overview)|what(?:'s| is) the story) of\b"
    r"|how (?:did|was|were|has|have) (?:[\w'’-]+ ){1,6}?(?:go|gone|been going)\b"
    r"|what (?:has |have )?happened(?: (?:to|with)(?: (?!\w+['’]s\b)[\w-]+){1,3})?"
    r"(?: (?:in|on|at|during|last|this)\b.*)?[?.! ]*$"
    r"|.*(?:讲讲|说说|聊聊|总结|概括|发生了什么|怎么回事|经过))",
    re.IGNORECASE,
)


def asks_for_story(question: str) -> bool:
    """Whether the question is for what happened, not for one thing of it."""
    return bool(_ASKS.match(question))


def scenes_of(found: Sequence[Evidence]) -> list[str]:
    """The best scenes, best first: each is as good as its best result."""
    return list(dict.fromkeys(evidence.scene for evidence in found if evidence.scene))[:SCENES]


def story(found: Sequence[Evidence], where: Filter, reader: Searcher, reading: Reading) -> tuple[list[Note], int]:
    """What the episodes of the best scenes tell, a topic a line, oldest first, and how many topics did not fit.

    Nothing where the scenes have no episodes: tier 2 has not read them.
    """
    user_id = where.user_id or ""
    members = {scene.scene_id: scene.memcell_ids for scene in reader.scenes(user_id)}
    cells = [cell for scene in scenes_of(found) for cell in members.get(scene, ())]
    kept = reader.kept(reader.episodes(cells), where, reading.now)
    told = {each.memcell_event_id_list[0]: each for each in _of_all_last(kept, user_id)}
    wanted = [told[cell] for cell in cells if cell in told]
    lines = sorted(wanted[:MOST], key=lambda each: each.said_at)
    return listed([(_line(each, reading), (each.id,)) for each in lines]), len(wanted) - len(lines)


def _of_all_last(episodes: Sequence[Episode], user_id: str) -> list[Episode]:
    """The user's own episodes, then those of the group, which take their place: they tell of everybody by name."""
    own = [each for each in episodes if each.user_id and each.user_id.casefold() == user_id.casefold()]
    return [*own, *(each for each in episodes if each.user_id is None)]


def _line(episode: Episode, reading: Reading) -> str:
    summary = " ".join((episode.summary or episode.subject).split())
    return f"{day(episode.said_at.astimezone(reading.now.tzinfo), language(summary))}: {summary}"
