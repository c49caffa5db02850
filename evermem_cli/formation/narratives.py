"""Narratives that the model writes of a MemCell for everybody: a few sentences, held to what a title is held to.

A sentence stays if the statements of one speaker support it, and if it is about whom they are about. Where too little
stays, code writes the narrative.
"""

from collections.abc import Sequence

from evermem_cli.engines import Completion, Request
from evermem_cli.formation.episodes import View, Writing, stated
from evermem_cli.formation.grounding import CitedWords, is_repeated, name_words
from evermem_cli.formation.sentences.clarity import is_clear_about
from evermem_cli.formation.sentences.statements import split_sentences
from evermem_cli.formation.sentences.third_person import tell
from evermem_cli.formation.titles import carrying, free_names, passages, supports
from evermem_cli.languages.language import language
from evermem_cli.languages.words import amounts
from evermem_cli.memory import ChatKind

FEWEST, MOST = 2, 6  # sentences
_KEPT = 0.5  # least share of the reply's sentences that are supported; of a reply with fewer, none is trusted
# Least share of the words of the statements that the narrative tells, beside every number: search finds an episode by
# its words, and a narrative without the amounts and dates is worse than code's.
_TOLD = 0.5
_SAYS = {"en": (" says ", " said "), "zh": ("说",)}
NARRATIVE = Writing(step="narrative", labels={"en": "Story: ", "zh": "经过："}, room=1500, length=(10, 900), tokens=200)


def narrative_request(view: View) -> Request | None:
    """A request for a narrative of a chat between people; None where `FEWEST` sentences cannot tell it, or `MOST`.

    In a chat with an assistant, code's narrative also has what the assistant said.
    """
    sentences = sum(len(retelling.sentences) for retelling in view.retellings)
    is_tellable = sentences >= FEWEST and len(_stated(view)) <= NARRATIVE.room
    return NARRATIVE.request(view) if view.cell.kind is ChatKind.GROUP and is_tellable else None


def model_narrative(view: View, reply: Completion) -> tuple[str, int]:
    """The narrative of a reply, and how many of its sentences were dropped because nobody said them.

    The narrative is empty where too little of the reply stays. A sentence that was cut off does not count.
    """
    proposed = split_sentences(NARRATIVE.text(reply.text, view.language))
    proposed = (proposed if reply.complete else proposed[:-1])[:MOST]
    kept: list[str] = []
    speaker = ""
    for sentence in proposed:
        speaker = _teller(sentence, view, speaker)
        if speaker and not is_repeated(sentence, kept):
            kept.append(sentence)
    story = ("" if view.language == "zh" else " ").join(kept)
    is_enough = len(kept) >= max(FEWEST, _KEPT * len(proposed)) and _tells_enough(story, view)
    return story if is_enough else "", len(proposed) - len(kept)


def _tells_enough(story: str, view: View) -> bool:
    """Whether the story has all numbers of the statements and enough of their words."""
    text, names = _stated(view), name_words(*view.cell.participants)
    return set(amounts(text)) <= set(amounts(story)) and CitedWords([story], names).confidence(text) >= _TOLD


def _stated(view: View) -> str:
    return " ".join(stated(retelling, view) for retelling in view.retellings)


def _teller(sentence: str, view: View, before: str) -> str:
    """Who said what a sentence tells; empty if nobody did. `before` is who said that of the sentence before it."""
    people = [*dict.fromkeys([*view.cell.participants, *(retelling.name for retelling in view.retellings)])]
    return next(
        (
            name
            for name, said in passages(view.retellings)
            if _supports(said, sentence, name, people) and _is_clear(sentence, name, people, before)
        ),
        "",
    )


def _supports(said: Sequence[str], sentence: str, name: str, people: Sequence[str]) -> bool:
    """Whether what was said supports the sentence, about the same person: "I sold Bob my car" tells nothing Bob did.

    Of "Bob says that …" this holds for the rest.
    """
    text = _report(sentence, name) or sentence
    own = carrying(said, text, name_words(*people))
    person = _first_named(text, people)
    return supports(said, text, free_names(name, own)) and person in {None, _first_named(" ".join(own), people)}


def _report(sentence: str, name: str) -> str:
    """What the sentence reports that the person says; empty where it reports nothing."""
    reports = (sentence.removeprefix(f"{name}{says}") for says in _SAYS[language(sentence)])
    return next((report for report in reports if report != sentence), "")


def _is_clear(sentence: str, name: str, people: Sequence[str], before: str) -> bool:
    """Whether a sentence in the third person can be understood, if need be by its speaker's sentence before it."""
    person = _first_named(sentence, people)
    if tell(sentence, name) != sentence or (person is None and name != before):
        return False
    who = person or name
    return is_clear_about(sentence if sentence.startswith(who) else f"{who} {sentence}", who)


def _first_named(text: str, people: Sequence[str]) -> str | None:
    """Who of these people is named first, the longest name if several begin there."""
    named = [person for person in people if person in text]
    return min(named, key=lambda person: (text.index(person), -len(person)), default=None)
