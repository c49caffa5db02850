"""What a check of a scenario claims about the JSON that a command printed, and whether it holds."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pydantic import BaseModel, ConfigDict

# Names that a profile may well give to what a check is about; `@home` in a path stands for all of them.
ATTRIBUTES = {
    "home": "city|town|location|home|home_city|hometown|residence|address|home_address|live*|living*|"
    "current_city|current_location|所在*|居住*",
    "employer": "employer|company|workplace|work|job|work_place|occupation|position|公司|工作*|雇主",
    "job": "job*|occupation|profession|role|position|title|work|career|工作*|职*",
    "salary": "salary|income|pay|wage*|earn*|compensation|工资|薪*|月薪|收入",
    "name": "name|full_name|last_name|surname|family_name|married_name|legal_name|姓名|名字",
    "partner": "partner|girlfriend|boyfriend|spouse|wife|husband|fianc*|dating|relation*|marital*|married|love*",
    "pet": "pet*|dog*|cat*|animal*|宠物*|猫|狗",
    "phone": "*phone*|mobile*|cell*|number|电话|手机*",
    "email": "*email*|*mail*|邮箱",
    "smoking": "smok*|cigarette*|nicotine|habit*|health*|tobacco",
    "health": "health*|*injur*|condition*|illness*|knee*|medical*|diagnos*|symptom*|restriction*",
    "hobby": "hobb*|interest*|sport*|activit*|exercise*|instrument*|pastime*|leisure|training|fitness|music|爱好|运动",
    "car": "car|cars|vehicle*|transport*|commut*|drives|bike*|bicycle*|cycl*|*car",
    "diet": "diet*|food*|drink*|coffee|caffeine|eating*|饮食|咖啡|饮*",
}


class Record(BaseModel):
    """A table of a scenario file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Check(Record):
    """One claim: `run` ends with `exit`, and what it printed is as expected.

    `rows` is the dotted path of lists or single rows in the document (empty: the document is the only row), of which
    those count whose fields contain the phrases of `where`. Then `count` is the number of rows (or its least and most),
    `equals` the values of `field` in order, `any_of` has a phrase that a value contains, `none_of` only phrases that
    none does, `in_order` phrases of which each first stands in a later value than the one before where rows are sorted
    by their `valid_at`, and `same_as` is the claim of an earlier check with the same values.
    """

    claim: str
    run: tuple[str, ...]
    environment: Mapping[str, str] = {}
    exit: int = 0
    rows: str = ""
    where: Mapping[str, str] = {}
    field: str = ""
    count: int | tuple[int, int] | None = None
    equals: tuple[Any, ...] | None = None
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    same_as: str = ""


def normalised(text: str) -> str:
    """Casefolded words and numbers, single-spaced; "£31,000" and "31k" are both "31000"."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"(?<=\d)k\b", "000", text)
    return " ".join(re.findall(r"[^\W_]+", text))


def contains(text: str, phrase: str) -> bool:
    """Whether `phrase` stands in `text`, both normalised, as whole words and numbers; /…/ is a regular expression."""
    if len(phrase) > 2 and phrase[0] == phrase[-1] == "/":
        return re.search(phrase[1:-1], text, re.IGNORECASE) is not None
    words = normalised(phrase)
    if not words:  # signs alone, as "???"
        return phrase in text
    before = r"(?<!\d)" if words[0].isdigit() else r"(?<![a-z])"
    after = r"(?!\d)" if words[-1].isdigit() else r"(?![a-z])"
    return re.search(before + re.escape(words) + after, normalised(text)) is not None


def values(document: Any, path: str) -> Iterator[Any]:
    """Everything at a dotted path; a list on the way stands for each of its items, and what is missing for nothing.

    A name on the path may be several patterns of names, as "job*|work", or @ and a key of ATTRIBUTES.
    """
    if isinstance(document, list):
        for item in document:
            yield from values(item, path)
    elif not path:
        yield document
    elif isinstance(document, dict):
        name, _, rest = path.partition(".")
        patterns = (ATTRIBUTES[name[1:]] if name[0] == "@" else name).split("|")
        for key, value in document.items():
            if any(fnmatchcase(key.casefold().replace(" ", "_"), pattern) for pattern in patterns):
                yield from values(value, rest) if rest else iter([value])


def as_text(value: Any) -> str:
    """A value as a check compares it: text as it is, anything else as JSON ("null", "true", "10")."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def matching_rows(check: Check, document: Any) -> list[Any] | None:
    """The rows that the check is about; None where the document is none or has no such part."""
    first, _, rest = check.rows.partition(".")
    parts = list(values(document, first))
    if document is None or not parts:
        return None
    found = [part for each in parts for part in values(each, rest)] if check.rows else [document]
    rows = [row for part in found for row in (part if isinstance(part, list) else [part])]
    if check.in_order:
        rows.sort(key=lambda row: str(row["valid_at"] or ""))
    return [row for row in rows if all(_has(row, name, phrase) for name, phrase in check.where.items())]


def _has(row: Any, name: str, phrase: str) -> bool:
    return any(contains(as_text(value), phrase) for value in values(row, name))


def holds(check: Check, rows: int, found: Sequence[str], earlier: Mapping[str, Sequence[str]]) -> bool:
    """Whether so many rows with these values meet every expectation; `earlier` has the values of checks before."""
    least, most = check.count if isinstance(check.count, tuple) else (check.count, check.count)
    said = [any(contains(text, phrase) for text in found) for phrase in check.any_of]
    return all(
        (
            least is None or most is None or least <= rows <= most,
            check.equals is None or list(found) == [as_text(value) for value in check.equals],
            not said or any(said),
            not check.none_of or bool(found) or not rows,
            not any(contains(text, phrase) for phrase in check.none_of for text in found),
            _in_order(check.in_order, found),
            not check.same_as or earlier.get(check.same_as) == found,
        )
    )


def _in_order(phrases: Sequence[str], found: Sequence[str]) -> bool:
    places = [next((n for n, text in enumerate(found) if contains(text, phrase)), -1) for phrase in phrases]
    return -1 not in places and places == sorted(set(places))
