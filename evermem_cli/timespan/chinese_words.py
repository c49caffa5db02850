"""Chinese words about time, and the tokenizer that labels them."""

import re
from collections.abc import Iterator

from evermem_cli.timespan.grammar import MOST_DIGITS, Token, labelled, words

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "1": 0, "2": 1, "3": 2, "4": 3,
             "5": 4, "6": 5}  # fmt: skip

# Units counted without a measure word: 三天, but 三个月.
_MEASURES: dict[str, object] = {
    "秒": "second", "秒钟": "second", "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "晚": "day",
    "夜": "day", "周": "week", "星期": "week", "礼拜": "week", "季度": "quarter", "年": "year",
}  # fmt: skip
_LABELS: dict[str, dict[str, object]] = {
    "DAYS": {"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "明天": 1, "明日": 1, "后天": 2,
             "大后天": 3},
    "DAYPARTOF": {"昨晚": (-1, 18, 24), "昨夜": (-1, 18, 24), "今早": (0, 4, 12), "今晨": (0, 4, 12),
                  "今晚": (0, 18, 24), "今夜": (0, 18, 24), "明早": (1, 4, 12), "明晨": (1, 4, 12),
                  "明晚": (1, 18, 24), "前晚": (-2, 18, 24)},
    "YEARS": {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2},
    "TOWARDS": {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2},
    "UNIT": _MEASURES | {"日": "day", "周末": "weekend", "月": "month", "季": "quarter", "世纪": "century"},
    "MEASURE": _MEASURES,
    "PARTOF": {"月初": ("month", "start"), "月中": ("month", "middle"), "月底": ("month", "end"),
               "月末": ("month", "end"), "年初": ("year", "start"), "年中": ("year", "middle"),
               "年底": ("year", "end"), "年末": ("year", "end"), "周初": ("week", "start"),
               "月上旬": ("month", "start"), "月中旬": ("month", "middle"),
               "月下旬": ("month", "end")},
    "PART": {"初": "start", "上旬": "start", "中旬": "middle", "下旬": "end", "底": "end", "末": "end"},
    "SEASON": {"春天": 3, "春季": 3, "夏天": 6, "夏季": 6, "暑假": 6, "秋天": 9, "秋季": 9, "冬天": 12, "冬季": 12},
    "DAYPART": {"凌晨": (0, 6), "清晨": (4, 8), "早上": (4, 12), "早晨": (4, 12), "上午": (4, 12), "中午": (11, 14),
                "下午": (12, 19), "傍晚": (17, 19), "晚上": (18, 24), "夜里": (18, 24), "晚间": (18, 24)},
    "VAGUE": {"几": (2, 5), "好几": (3, 7), "数": (2, 5), "若干": (3, 7)},
    "LAST": {"过去": -1, "最近": -1, "近": -1, "前": -1, "未来": 1, "接下来": 1, "今后": 1},
}  # fmt: skip
_PLAIN = words(
    "个 半 的 号 份 点 分 年代 从 自 自从 打 到 至 直到 截至 截止 为止 起 开始 以来 至今 以前 之前 前 以后 之后 后 "
    "内 以内 之内 过 再 大约 大概 左右 那 在 于 每 上半年 下半年 现在 目前 第 整 多 ， 、 , - — ~ ～ / . 。"
)
WORDS: dict[str, dict[str, object]] = {word: {} for word in _PLAIN} | labelled(_LABELS)
_TOKEN = (
    r"(?P<ymd>(?<!\d)(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d))"
    r"|(?P<hhmm>(?<!\d)(?P<hh>[01]?\d|2[0-3])[:：](?P<mm>[0-5]\d)(?!\d))"
    r"|(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天1-6])(?!个|点|[十百]|\d)"
    r"|(?P<number>\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千]+)"
    r"|(?P<word>" + "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True)) + r")"
    r"|(?P<other>\S)"
)  # fmt: skip


def _numeral(text: str) -> int:
    """A numeral, positional ("二〇二三") or with powers of ten ("二十三")."""
    if not any(sign in _POWERS for sign in text):
        return int("".join(str(_DIGITS[sign]) for sign in text))
    total, digit = 0, 0
    for sign in text:
        if sign in _POWERS:
            total += (digit or 1) * _POWERS[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return total + digit


def _labels(match: re.Match[str]) -> dict[str, object]:
    if match["ymd"]:
        return {"DATE": (int(match["y"]), int(match["m"]), int(match["d"]))}
    if match["hhmm"]:
        return {"HHMM": (int(match["hh"]), int(match["mm"]))}
    if match["weekday"]:
        return {"WEEKDAY": _WEEKDAYS[match["weekday"]]}
    return _counted(match["number"]) if match["number"] else WORDS.get(match[0], {})


def _counted(text: str) -> dict[str, object]:
    if "." in text:
        return {"FRACTION": float(text)}
    if len(text) > MOST_DIGITS:
        return {}
    value = int(text) if text.isdecimal() and text.isascii() else _numeral(text)
    by_place = all(sign in _DIGITS for sign in text) or text.isascii()
    labels: dict[str, object] = {"NUM": value}
    if len(text) == 4 and by_place:
        labels["YEAR"] = value
    if len(text) == 2 and by_place and value >= 50:
        labels["YEAR"] = 1900 + value
    return labels


def tokenize(text: str, running: bool) -> list[Token]:
    """The tokens of a text. `running` makes no difference, since Chinese has no ambiguity of case."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    for match in re.finditer(_TOKEN, text):
        yield Token(match[0].casefold(), match.start(), match.end(), _labels(match))
