"""Gemini in Google's Takeout: `My Activity/Gemini Apps/MyActivity.json`, a log of prompts with their answers.

The log names few conversations or none, so prompts without a long pause between them count as one.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel, ValidationError

from evermem_cli.memory import ChatKind, Role, Transcript
from evermem_cli.transcripts.assemble import APP, Chat, MessageDraft, assemble
from evermem_cli.transcripts.html_text import html_text
from evermem_cli.transcripts.records import Name, first_error
from evermem_cli.transcripts.source import Format, Source, Value

PAUSE = timedelta(minutes=30)  # a pause that begins another conversation
ELSEWHERE = "of other products of Google"

# The log's words before a prompt, and after one with files, in accounts in English; in others a few words with a colon.
_PROMPTED = re.compile(r"(?:Prompted with: |Asked (?:Gemini|Bard): |Prompted |Asked |Said )")
_LABEL = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}\s?[:：]\s*")
_ATTACHED = re.compile(r"\s*Attached \d+ files?\.?\s*\Z")
_CHAT = re.compile(r"/app/(?:c/)?([0-9A-Za-z_-]{6,})")


class _Page(BaseModel):
    html: Name = ""


class _Detail(BaseModel):
    name: Name = ""
    value: Name = ""


class _Activity(BaseModel):
    header: Name = ""
    title: Name = ""
    titleUrl: Name = ""
    time: Name
    products: list[str] = []
    safeHtmlItem: list[_Page] = []
    details: list[_Detail] = []

    def detail(self, name: str) -> str:
        """The entry's detail of a name; "" if there is none."""
        return next((detail.value for detail in self.details if detail.name == name), "")


def is_named(label: str) -> bool:
    """Whether a product, folder or heading has Gemini's name, or the one before."""
    return any(name in label for name in ("Gemini", "Bard"))


def is_of_gemini(source: Source) -> bool:
    """Whether the log is Gemini's: Google logs the activity of its other products in the same form."""
    return any(isinstance(value, dict) and any(map(is_named, _labels(value))) for value in source.peek())


def _labels(value: dict[str, Any]) -> list[str]:
    return [str(label) for label in (value.get("header"), *value.get("products", ()))]


def _matches(source: Source) -> bool:
    return source.is_array and any(isinstance(value, dict) and _is_activity(value) for value in source.peek())


def _is_activity(value: dict[str, Any]) -> bool:
    return {"header", "title", "time"} <= value.keys() and isinstance(value.get("products"), list)


def _read(source: Source) -> Iterator[Transcript]:
    """One conversation per run of prompts, oldest first; the log has the newest first."""
    entries = [entry for item in source.values() if (entry := _entry(item, source))]
    entries.sort(key=lambda entry: entry[0])
    prompted = _PROMPTED if any(_PROMPTED.match(activity.title) for _, activity in entries) else _LABEL
    chats: dict[str, Chat] = {}
    last: tuple[datetime, Chat] | None = None
    for moment, activity in entries:
        named = _CHAT.search(activity.titleUrl)
        if named:
            chat = chats.setdefault(named[1], Chat("gemini", key=f"gemini:{named[1]}", kind=ChatKind.ASSISTANT))
        elif last and moment - last[0] <= PAUSE:
            chat = last[1]
        else:
            chat = chats.setdefault(moment.isoformat(), Chat("gemini", kind=ChatKind.ASSISTANT))
        if not named:
            last = moment, chat
        chat.drafts += _drafts(activity, prompted, source)
    for chat in chats.values():
        yield from assemble(chat, source)


def _entry(item: Value, source: Source) -> tuple[datetime, _Activity] | None:
    """The user's prompt with its time; None for other entries, which are counted or reported."""
    try:
        activity = _Activity.model_validate(item.value)
    except ValidationError as error:
        source.problem(f"{item.prefix}not an entry of the log: {first_error(error)}", item.line)
        return None
    try:
        moment = datetime.fromisoformat(activity.time)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:
        source.problem(f"{item.prefix}not understood as a date: {activity.time[:40]}", item.line)
        return None
    if not any(map(is_named, (activity.header, *activity.products))):
        source.skip(ELSEWHERE)
        return None
    return moment, activity


def _drafts(activity: _Activity, prompted: re.Pattern[str], source: Source) -> list[MessageDraft]:
    """The prompt and its answer, if the log has it; `prompted` is what stands before prompts.

    Notices of the app have neither that nor an answer.
    """
    answer = activity.detail("Response") or "\n\n".join(_shown(page.html, source) for page in activity.safeHtmlItem)
    verb = prompted.match(activity.title)
    prompt = activity.detail("Request") or _ATTACHED.sub("", activity.title[verb.end() if verb else 0 :])
    if not verb and not answer.strip() and not activity.detail("Request"):
        source.skip(APP)
        return []
    said = [MessageDraft("user", prompt, activity.time, Role.USER)]
    return [*said, MessageDraft("Gemini", answer, activity.time, Role.ASSISTANT)] if answer.strip() else said


def _shown(html: str, source: Source) -> str:
    try:
        return html_text(html)
    except RecursionError:
        source.problem("an answer whose page is nested without end; it is left out")
        return ""


FORMAT = Format(
    "gemini",
    "Gemini in Google's Takeout: the zip, or MyActivity.json",
    "takeout.google.com: My Activity, only Gemini Apps, format JSON; the zip is read as it is",
    frozenset({".json"}),
    _matches,
    _read,
)
