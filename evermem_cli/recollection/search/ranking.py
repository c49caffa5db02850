"""Ranking: how well messages answer a question, as a weighted sum of words, vectors, time and the form of a message.

Each part is measured in tests/benchmarks/locomo.py and tests/benchmarks/longmemeval.py. The ranking rests on:
- A message is understood with its neighbours; the longer the messages are, the less so.
- The names in a question are the "I" of the messages.
- The question before a message tells what the message answers, and a question itself is not evidence.
- The first message of a sitting is the speaker's news.

The strength of a memory is no part of it: otherwise, what was shown once would change what is shown next.
"""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evermem_cli import timespan
from evermem_cli.formation.pieces import QUESTION_MARKS, sentences
from evermem_cli.languages.language import CAPITALS, DIGIT
from evermem_cli.memory import RankReasons
from evermem_cli.memory.pool import Floats, Ints, Pool
from evermem_cli.recollection.dates import Days, local_days
from evermem_cli.recollection.questions.query import Query
from evermem_cli.recollection.search.sittings import Sittings

# Beyond this number of words, the length of a message makes no difference.
PLENTY_OF_WORDS = 54.0
MOST_NAMES = 2.0
# People mention a day within the twelve days after it. A season or a year is weaker evidence than a day or a month.
TELLING_DAYS = 12.0
LONG_INTERVAL = 31
# If a question asks how things are, the latest of the rows whose logits are within `LIKELY` of the best get a bonus of
# up to `LATEST`. So 23 instead of 15 of 26 knowledge updates have the latest value first; LongMemEval loses 2 points of
# all@5 and none of all@10 (tests/benchmarks/knowledge_update.py, tests/benchmarks/longmemeval.py).
LIKELY = 4.0
LATEST = 4.0
FEW = 15
ON_SUBJECT = 0.5
# A derived memory states the content of its messages in words that are nearer to the question: a fact has "Ann" for "I"
# and the day for "yesterday", an episode has the subject of the talk. It adds to its message's score by how far its
# cosine to the question is above the mean. A derived memory itself gets a deduction, because it is less likely to be
# the answer. Chosen on LoCoMo with the weights below (tests/benchmarks/tiers.py).
FACT = 1.0
EPISODE = 1.0
DRAWN = -5.0
# The number of messages whose texts are compared with the question.
SHORTLIST = 200

# One unit of each in logits of "this message is the evidence"; the first `FROM_TEXT` choose the shortlist.
# Learned on LoCoMo and LongMemEval together: `python -m tests.benchmarks.learn_ranking --data DIR`.
WEIGHTS = {
    "words": 0.33,
    "cosine": 3.63,
    "context": 7.71,
    "date": 4.66,
    "speaker": 1.17,
    "length": 0.68,
    "reply": 2.81,
    "asks": -1.39,
    "time": 2.21,
    "names": 1.04,
    "number": 1.36,
    "opens": 1.0,
    "told": 3.49,
}
FEATURES = tuple(WEIGHTS)
PARTS = (*FEATURES, "drawn", "fact", "episode", "latest")
FROM_TEXT = 6  # features from here on need the text

TELLS_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|past|since|soon|recently|few|"
    r"this (?:morning|afternoon|evening|week)|"
    r"weekend|weeks?|months?|years?|days?|summer|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|[昨今明前后去]天|[上下这]个?(?:周|星期|月)|[去今明前]年|\d+[年月日号]|以前|最近",
    re.IGNORECASE,
)
TELLS_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|twice|once)\b|[两二三四五六七八九十]", re.IGNORECASE
)
TEXTS = 4096  # whose features are kept: an agent's question finds them twice, and the next one finds many of them again
CAPITALISED = re.compile(rf"(?<=[\w,;:'\"] )(?!I\b)[{CAPITALS}]\w+|《[^》]+》")


def rank(query: Query, pool: Pool) -> tuple[Ints, Floats]:
    """At most `SHORTLIST` wanted rows that may answer the question, best first, and the parts of their scores.

    A score is the sum of its parts, one for each of `PARTS`; they are logits, comparable within one call only.
    """
    weights = np.array(list(WEIGHTS.values()))
    rows, matrix = features(query, pool, weights)
    parts = np.column_stack([matrix * weights, DRAWN * pool.drawn[rows], _views(pool, rows)])
    scores = parts.sum(axis=1)
    latest = (
        latest_first(scores, pool.cosine[rows], pool.said_at[rows]) if query.wants_latest else np.zeros_like(scores)
    )
    parts = np.column_stack([parts, latest])
    order = np.argsort(-parts.sum(axis=1), kind="stable")
    return rows[order], parts[order]


def reasons(parts: Floats) -> list[RankReasons]:
    """The reasons for the rank of each row: the parts of its score, and its rank by words and by meaning alone.

    A row has no rank by words if neither it nor a message beside it has a word of the query.
    """
    words = parts[:, FEATURES.index("words")]
    by_words, by_meaning = (
        np.argsort(np.argsort(-parts[:, FEATURES.index(view)], kind="stable")) for view in ("words", "context")
    )
    return [
        RankReasons(
            parts=dict(zip(PARTS, map(float, row), strict=True)),
            rank_by_words=int(by_words[place]) + 1 if words[place] else None,
            rank_by_meaning=int(by_meaning[place]) + 1,
        )
        for place, row in enumerate(parts)
    ]


def latest_first(scores: Floats, cosine: Floats, said_at: NDArray[np.datetime64]) -> Floats:
    """The bonus of each row for being late: none for the oldest of the likely rows, `LATEST` for the newest.

    Only the best few rows on the question's subject get one, so the bonus changes their order and adds no new row.
    """
    bonus = np.zeros_like(scores)
    few = np.argsort(-scores, kind="stable")[:FEW]
    if len(few):
        likely = few[(scores[few] > scores.max() - LIKELY) & (cosine[few] >= ON_SUBJECT * cosine[few].max())]
        times = said_at[likely].astype("datetime64[s]").astype(np.float64)
        if len(likely):
            bonus[likely] = LATEST * (times - times.min()) / max(times.max() - times.min(), 1.0)
    return bonus


def features(query: Query, pool: Pool, weights: Floats) -> tuple[Ints, Floats]:
    """The shortlisted rows of the pool and their features, shape (rows, len(FEATURES))."""
    sittings = Sittings(pool)
    cheap = np.column_stack(
        [
            sittings.bm25(pool),
            pool.cosine,
            sittings.soft_maximum(pool.cosine),
            _closeness(query, pool.said_at.astype("datetime64[D]")),
            _spoken_by(query, pool.speaker),
            np.log1p(np.minimum(pool.length, PLENTY_OF_WORDS)),
        ]
    )
    promise = np.where(pool.wanted, cheap @ weights[:FROM_TEXT] + DRAWN * pool.drawn, -np.inf)
    rows = np.sort(np.argsort(-promise, kind="stable")[: min(SHORTLIST, int(pool.wanted.sum()))])
    texts = [pool.text[row] for row in rows]
    from_text = np.column_stack(
        [
            _reply(pool, sittings, rows),
            [not query.wants_advice and question_share(text) for text in texts],
            [query.wants_time and tells_time(text) for text in texts] * sittings.carry[rows],
            [query.wants_name * min(len(CAPITALISED.findall(text)), MOST_NAMES) for text in texts],
            [query.wants_number and bool(TELLS_NUMBER.search(text)) for text in texts],
            sittings.opens[rows],
            _told_share(query, texts, pool.said_at[rows]),
        ]
    )
    return rows, np.hstack([cheap[rows], from_text])


def _views(pool: Pool, rows: Ints) -> Floats:
    """What the memories derived from each row add to its score, compared with the other rows; 0 if there are none."""
    views = pool.views(rows)
    return np.column_stack([FACT * _above_mean(views.fact), EPISODE * _above_mean(views.episode)])


def _above_mean(cosine: Floats) -> Floats:
    """Each cosine less their mean; 0 for a row without one."""
    known = np.isfinite(cosine)
    return np.where(known, cosine - np.mean(cosine, where=known), 0) if known.any() else np.zeros_like(cosine)


@lru_cache(TEXTS)
def tells_time(text: str) -> bool:
    """Whether a text names a time."""
    return bool(TELLS_TIME.search(text))


@lru_cache(TEXTS)
def question_share(text: str) -> float:
    """The share of a text's characters that are in questions."""
    parts = sentences(text)
    return sum(len(part) for part in parts if part.endswith(QUESTION_MARKS)) / max(sum(map(len, parts)), 1)


def forget_texts() -> None:
    """Lets the texts go whose features are kept."""
    tells_time.cache_clear()
    question_share.cache_clear()


def _closeness(query: Query, days: NDArray[np.datetime64]) -> Floats:
    """1 within a time that the question names, falling to 0 over `TELLING_DAYS` after it; the best of several."""
    best = np.zeros(len(days))
    for start, end in query.intervals:
        first, after = np.datetime64(start), np.datetime64(end)
        late = np.maximum((days - after).astype(np.int64) + 1, 0)
        strength = 1.0 if after - first <= np.timedelta64(LONG_INTERVAL, "D") else 0.5
        fading = strength * np.maximum(0, 1 - late / TELLING_DAYS)
        best = np.maximum(best, np.where(days < first, 0, fading))
    return best


def _told_share(query: Query, texts: list[str], said_at: NDArray[np.datetime64]) -> Floats:
    """How well a time in the text ("last week") matches a time in the question: 1 if they are the same."""
    if not query.intervals:
        return np.zeros(len(texts))
    moments = [moment.replace(tzinfo=UTC) for moment in said_at.astype("datetime64[s]").astype(datetime)]
    return np.array([_same_time(query.intervals, text, at) for text, at in zip(texts, moments, strict=True)])


def _same_time(asked: tuple[Days, ...], text: str, at: datetime) -> float:
    """The overlap of two times as a share of the longer one, for the best pair. Open-ended times are left out."""
    spans = timespan.find(text, at) if TELLS_TIME.search(text) or DIGIT.search(text) else []
    stretches = [days for days in (local_days(span.interval) for span in spans) if _is_bounded(days)]
    shares = [
        (min(end, until) - max(start, since)).days / max(end - start, until - since).days
        for start, end in stretches
        for since, until in filter(_is_bounded, asked)
    ]
    return max([0.0, *shares])


def _is_bounded(days: Days) -> bool:
    return date.min < days[0] < days[1] < date.max


def _spoken_by(query: Query, speakers: NDArray[np.str_]) -> Floats:
    """1 for the one speaker that the question names, less if it names several; 0.5 for everybody if it names none."""
    if not query.speakers:
        return np.full(len(speakers), 0.5)
    named = np.isin(speakers, sorted(query.speakers)).astype(np.float64)
    return named / min(query.people or len(query.speakers), 2)


def _reply(pool: Pool, sittings: Sittings, rows: Ints) -> Floats:
    """How well the question that a message answers matches: the cosine of the message before it by somebody else."""
    before = sittings.neighbour(np.maximum(pool.cosine, 0), -1)[rows]
    other = pool.speaker[np.maximum(rows - 1, 0)] != pool.speaker[rows]
    asked = np.array([question_share(pool.text[max(row - 1, 0)]) > 0 for row in rows], dtype=bool)
    replies: Floats = before * other * asked
    return replies
