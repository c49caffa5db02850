"""What the tagger learns from and is measured by: own labelled messages, and sets of shared/bench/persona.

Each example has the statements that are known to stand in it. `silence` is the weight of what is not labelled: 1 where
a label guide says that everything is, less where annotators noted one statement of several.
"""

import json
import re
import tomllib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from evermem_cli.languages.language import language
from evermem_cli.memory import Stance, Whose

HERE = Path(__file__).parent
MESSAGES = HERE / "messages"
BENCHMARKS = HERE.parent / "benchmarks"
# Each written by a hand of its own, and never learned from: those to report by, and those to choose by.
HELD_HANDS = {
    "en": (
        "07-voice-journal",
        "34-plain-chats",
        "57-first-tries",
        "70-plain-stances-d",
        "78-limits-and-endings",
        "80-mixed-plain-b",
        "83-whole-chats-g",
        "89-new-chats",
        "90-whole-chats-p",
        "96-whole-chats-v",
    ),
    "zh": ("05-plain", "08-family-group", "19-plainest-d", "27-mixed-plain-b"),
}
CHOOSING_HANDS = {
    "en": ("36-chats-as-they-are", "37-assistants-as-they-are", "77-mixed-plain", "84-whole-chats-i"),
    "zh": ("04-everyday", "09-work-study", "24-mixed-plain"),
}
# Words that carry no value of their own.
EMPTY = frozenset(
    """
    a an the my our your his her their its i me we you he she it they is am are was were be been being do does did have
    has had of in on at to for from with and or but so that this these those by as not no s t m re ve ll d
    """.split()
)
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…\n]*")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled statement: characters from `start` to `end`."""

    start: int
    end: int
    kind: str
    whose: Whose = Whose.ME
    stance: Stance = Stance.HOLDS


@dataclass(slots=True)
class Example:
    """A message with its labels; `people` are the words that name somebody else, `telling` stretches that tell or not.

    `part` is learn, choose or report. `gold` is what the set's own scoring needs.
    """

    text: str
    source: str
    part: str = "learn"
    before: str = ""
    spans: list[Span] = field(default_factory=list)
    people: list[tuple[int, int]] = field(default_factory=list)
    telling: list[tuple[int, int, bool]] = field(default_factory=list)
    silence: float = 1.0
    gold: Any = None


def labelled(path: Path, part: str) -> Iterator[Example]:
    """The messages of one file of the label guide's form."""
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        example = Example(record["t"], f"own/{path.stem}", part, record.get("b", ""))
        for kind, words, whose, stance in record["s"]:
            start, end = _free(words, example)
            owner = Whose.OTHER if whose.startswith("@") else Whose(whose)
            example.spans.append(Span(start, end, kind, owner, Stance(stance)))
            if whose.startswith("@"):
                place = record["t"].index(whose[1:])
                example.people.append((place, place + len(whose) - 1))
        told = [span for span in example.spans if span.whose is not Whose.NOBODY]
        example.telling = [
            (start, end, any(span.start < end and span.end > start for span in told))
            for start, end in sentences(record["t"])
        ]
        yield example


def own(language: str) -> list[Example]:
    """All own messages of a language; those of some hands are to report by, or to choose by."""
    parts = dict.fromkeys(HELD_HANDS[language], "report") | dict.fromkeys(CHOOSING_HANDS[language], "choose")
    paths = sorted((MESSAGES / language).glob("*.jsonl"))
    return [each for path in paths for each in labelled(path, parts.get(path.stem, "learn"))]


def wrapped(examples: Sequence[Example], count: int, random: Random) -> list[Example]:
    """So many of the messages that say something, each inside a wrapper of `wrappers.jsonl`.

    What stands in "Please translate: …" is nobody's, and in "By the way, …" as it was: so the tagger learns to tell by
    what is around the words, and not by the words.
    """
    wrappers = list(_records(HERE / "wrappers.jsonl"))
    telling = [each for each in examples if each.spans]
    return [_wrapped(random.choice(telling), random.choice(wrappers)) for _ in range(count)]


def _wrapped(example: Example, wrapper: dict[str, str]) -> Example:
    head, _, tail = wrapper["w"].partition("{}")
    nobodys = wrapper["whose"] == Whose.NOBODY
    made = Example(f"{head}{example.text}{tail}", example.source, example.part, "" if nobodys else example.before)
    shift = len(head)
    made.spans = [
        replace(span, start=span.start + shift, end=span.end + shift, whose=Whose.NOBODY if nobodys else span.whose)
        for span in example.spans
    ]
    if not nobodys:
        made.people = [(start + shift, end + shift) for start, end in example.people]
    made.telling = [(start + shift, end + shift, told and not nobodys) for start, end, told in example.telling]
    return made


# Kinds whose values are mostly names of things, so that one may stand in the place of another.
NAMING_KINDS = frozenset(
    """
    name hometown location languages job employer studies pets allergies medication vehicle belongings likes dislikes
    hobbies skills visited purchased health avoids diet
    """.split()
)


def exchanged(examples: Sequence[Example], count: int, random: Random) -> list[Example]:
    """So many of the messages that name a value, each with other values of the same kind in place of its own.

    The tagger then learns a sentence by what is around the value, and not that peanuts are always a joke. A value takes
    the place of one that stands behind the same word; both begin with a capital letter, or neither.
    """
    values: dict[tuple[str, str, bool], list[str]] = {}
    for each in examples:
        for span in each.spans:
            if span.kind in NAMING_KINDS and span.stance is not Stance.JOKED:
                values.setdefault(_place(each.text, span), []).append(each.text[span.start : span.end])
    naming = [each for each in examples if any(span.kind in NAMING_KINDS for span in each.spans)]
    return [_exchanged(random.choice(naming), values, random) for _ in range(count)]


def _place(text: str, span: Span) -> tuple[str, str, bool]:
    """The kind of a value, the word before it (the character in Chinese), and whether it begins with a capital."""
    before = text[: span.start].split()
    word = before[-1].casefold() if before else ""
    return span.kind, word[-1:] if language(text) == "zh" else word, text[span.start].isupper()


def _exchanged(example: Example, values: dict[tuple[str, str, bool], list[str]], random: Random) -> Example:
    pieces: list[str] = []
    shifts = [0] * (len(example.text) + 1)  # how far each place of the text moves
    end = moved = 0
    for span in sorted(example.spans, key=lambda span: span.start):
        own = example.text[span.start : span.end]
        pieces.append(example.text[end : span.start])
        shifts[end : span.start + 1] = [moved] * (span.start + 1 - end)
        words = random.choice(values.get(_place(example.text, span), [own]))
        pieces.append(words)
        moved += len(words) - len(own)
        shifts[span.start + 1 : span.end + 1] = [moved] * (span.end - span.start)
        end = span.end
    pieces.append(example.text[end:])
    shifts[end:] = [moved] * (len(shifts) - end)

    def place(at: int) -> int:
        return at + shifts[at]

    made = replace(example, text="".join(pieces))
    made.spans = [replace(span, start=place(span.start), end=place(span.end)) for span in example.spans]
    made.people = [(place(start), place(stop)) for start, stop in example.people]
    made.telling = [(place(start), place(stop), told) for start, stop, told in example.telling]
    return made


def whose() -> list[Example]:
    """The 280 messages of which 200 hold statements that are not the writer's, to report by."""
    return list(labelled(BENCHMARKS / "whose_messages.jsonl", "report"))


def remarks() -> list[Example]:
    """The own remarks: the half that lists were written from to choose by, the other to report by."""
    records = tomllib.loads((BENCHMARKS / "profile_messages.toml").read_text("utf-8"))["message"]
    return [
        Example(
            record["text"],
            "remarks",
            "choose" if record["split"] == "dev" else "report",
            before=record["before"][-1].partition(": ")[2] if record.get("before") else "",
            gold=record["says"],
        )
        for record in records
    ]


# Relations of PersonaExt: the kind to learn, how it is meant, and other kinds that are right too.
_HOLDS, _DENIED, _ENDED = Stance.HOLDS, Stance.DENIED, Stance.ENDED
LIKES = """
    like_food like_general like_animal like_watching like_read like_drink like_color like_character favorite_color
    favorite_music_artist favorite_season favorite_place favorite_movie favorite_drink favorite_book favorite_show
    favorite_animal
""".split()
DISLIKES = """dislike dislike_food dislike_activity dislike_animal dislike_color dislike_sport dislike_drink""".split()
RELATIONS: dict[str, tuple[str, Stance, str]] = {
    **dict.fromkeys(LIKES, ("likes", _HOLDS, "hobbies habits diet pets alcohol visited location")),
    **dict.fromkeys(DISLIKES, ("dislikes", _HOLDS, "diet avoids")),
    **dict.fromkeys(("have_family", "have_sibling"), ("family", _HOLDS, "")),
    **dict.fromkeys(("have_chidren", "have_children"), ("children", _HOLDS, "")),
    **dict.fromkeys(("have_no_sibling", "have_no_family"), ("family", _DENIED, "")),
    **dict.fromkeys(("attend_school", "school_status", "has_degree"), ("studies", _HOLDS, "")),
    "like_activity": ("hobbies", _HOLDS, "likes habits plan"),
    "favorite_hobby": ("hobbies", _HOLDS, "likes"),
    "favorite_sport": ("hobbies", _HOLDS, "likes"),
    "doing": ("hobbies", _HOLDS, ""),
    "member_of": ("hobbies", _HOLDS, "employer job"),
    "have_pet": ("pets", _HOLDS, ""),
    "physical_attribute": ("appearance", _HOLDS, "health"),
    "employed_by_general": ("employer", _HOLDS, "job"),
    "employed_by_company": ("employer", _HOLDS, "job"),
    "pre_employed_by_company": ("employer", _ENDED, "job"),
    "job_status": ("job", _HOLDS, "studies"),
    "want_job": ("goal", _HOLDS, "job"),
    "own": ("belongings", _HOLDS, "housing purchased vehicle"),
    "have_vehicle": ("vehicle", _HOLDS, "belongings"),
    "live_in_citystatecountry": ("location", _HOLDS, "hometown"),
    "live_in_general": ("location", _HOLDS, "housing"),
    "has_ability": ("skills", _HOLDS, "hobbies job"),
    "weakness": ("skills", _DENIED, ""),
    "marital_status": ("relationship", _HOLDS, "partner"),
    "relationship": ("partner", _HOLDS, "relationship"),
    "have_no_children": ("children", _DENIED, ""),
    "diet": ("diet", _HOLDS, ""),
    "do_not_eat": ("diet", _DENIED, "dislikes avoids allergies"),
    "do_not_drink": ("alcohol", _DENIED, "dislikes avoids"),
    "health_status": ("health", _HOLDS, ""),
    "name": ("name", _HOLDS, ""),
    "gender": ("gender", _HOLDS, ""),
    "race": ("hometown", _HOLDS, "appearance"),
    "belief": ("belief", _HOLDS, ""),
    "international_exp": ("visited", _HOLDS, "experience location hometown"),
    "used_to": ("experience", _ENDED, "*"),
    "other": ("other", _HOLDS, "*"),
}
CORE = frozenset(
    "location housing employer job family children partner relationship pets diet studies health vehicle".split()
)


def personaext(folder: Path) -> list[Example]:
    """PersonaExt: one triple noted of each utterance, so what is not labelled is hardly silent."""
    found = []
    for record in _records(folder / "personaext/statements.jsonl"):
        text = record["utterance"]
        example = Example(text, "personaext", _part(record["id"]), silence=0.15, gold=record["gold"])
        for gold in record["gold"]:
            relation, place = RELATIONS.get(gold["relation"]), _locate(gold["value"], text)
            if relation and place:
                example.spans.append(Span(*place, relation[0], Whose.ME, relation[1]))
        found.append(example)
    return found


def msc(folder: Path) -> list[Example]:
    """Multi-Session Chat: which turns say something of their writer, and by the words of it which sentences do."""
    found = []
    for session in _records(folder / "msc/sessions.jsonl"):
        before = ""
        for turn in session["turns"]:
            text, persona = turn["text"], turn["persona"]
            example = Example(text, "msc", _part(session["episode"]), before, silence=0.0 if persona else 0.2)
            example.gold = persona
            for start, end in sentences(text):
                shared = max((_shared(text[start:end], each) for each in persona), default=0.0)
                if not persona or shared >= 0.5 or (not shared and text[start:end].rstrip().endswith("?")):
                    example.telling.append((start, end, bool(persona) and shared >= 0.5))
            found.append(example)
            before = text
    return found


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand."""
    return [match.span() for match in _SENTENCE.finditer(text) if _WORD.search(match[0])]


def content_words(text: str) -> set[str]:
    """The words of a text that carry a value, else all of them."""
    words = set(_WORD.findall(text.lower()))
    return words - EMPTY or words


def _part(key: str) -> str:
    """A fifth to report by, 15 % to choose by, the rest to learn from; the same part in every run."""
    share = zlib.crc32(f"s1:{key}".encode()) % 100
    return "report" if share < 20 else "choose" if share < 35 else "learn"


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _free(words: str, example: Example) -> tuple[int, int]:
    """Where the words stand that no statement before has."""
    for match in re.finditer(re.escape(words), example.text):
        if all(match.end() <= span.start or match.start() >= span.end for span in example.spans):
            return match.span()
    raise ValueError(f"{words!r} does not stand in {example.text!r}")


def _locate(value: str, text: str) -> tuple[int, int] | None:
    """Where a value stands as whole words, else the shortest stretch of eight words that has all of its words."""
    exact = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
    if exact:
        return exact.span()
    wanted = content_words(value)
    words = [(match.start(), match.end(), match[0].lower()) for match in _WORD.finditer(text)]
    stretches = [
        (words[first][0], words[last][1])
        for first in range(len(words))
        for last in range(first, min(len(words), first + 8))
        if wanted <= {word for _, _, word in words[first : last + 1]}
    ]
    return min(stretches, key=lambda place: place[1] - place[0], default=None)


def _shared(sentence: str, persona: str) -> float:
    """How many of the content words of a persona's sentence stand in another, by their first letters."""
    have, wanted = ({word[:5] for word in content_words(text)} for text in (sentence, persona))
    return len(have & wanted) / max(1, len(wanted))
