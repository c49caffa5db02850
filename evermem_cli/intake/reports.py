"""What to read of the inputs, and the report of what happened to each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from evermem_cli.memory import Finding, Message, Problem, Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The selection: chats by parts of their titles in any case, messages by time, forgotten ones only with `again`.

    With `prune`, messages that an export no longer has between its first and last one are removed.
    """

    since: datetime | None = None
    until: datetime | None = None
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    again: bool = False
    prune: bool = False

    def takes_chat(self, title: str) -> bool:
        """Whether a chat with this title is selected."""
        folded = title.casefold()
        wanted = not self.only or any(part.casefold() in folded for part in self.only)
        return wanted and not any(part.casefold() in folded for part in self.exclude)

    def takes(self, message: Message) -> bool:
        """Whether this message of a selected chat is read."""
        early = self.since is not None and message.said_at < self.since
        late = self.until is not None and message.said_at > self.until
        return not early and not late


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReport:
    """What would be read of one chat. Times are those of the first and last message."""

    title: str
    participants: tuple[str, ...]
    messages: int
    new_messages: int
    edited_messages: int
    removed_messages: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class InputReport:
    """The result of one input. `status` is ok, unchanged, partial (some of it was unusable) or failed.

    `messages` counts those read; the ones neither new nor edited are unchanged. `skipped` counts messages left out, by
    kind. `guesses` lists what was inferred or assumed. `conversation_ids` are those of the chats read; `chats` is
    filled by a dry run only.
    """

    path: str
    format: str = ""
    conversations: int = 0
    messages: int = 0
    new_messages: int = 0
    edited_messages: int = 0
    completed_messages: int = 0  # edited messages of which only the beginning was stored
    removed_messages: int = 0
    memcells: int = 0
    forgotten: int = 0  # messages left out because the user forgot them
    error: str | None = None
    problems: list[Problem] = field(default_factory=list)
    guesses: dict[str, None] = field(default_factory=dict)  # an ordered set
    skipped: dict[str, int] = field(default_factory=dict)
    conversation_ids: set[str] = field(default_factory=set)
    chats: list[ChatReport] = field(default_factory=list)

    def add_format(self, name: str) -> None:
        """Adds the format of a chat. An account of several products has several, which are listed with commas."""
        self.format = ", ".join(dict.fromkeys([*filter(None, self.format.split(", ")), name]))

    def record(self, finding: Finding) -> None:
        """Records what a reader reports besides conversations."""
        match finding:
            case Problem():
                self.problems.append(finding)
            case Skipped():
                self.skip(finding.reason, finding.messages)

    def skip(self, reason: str, messages: int) -> None:
        """Counts messages that are left out. `reason` names their kind in the plural."""
        if messages:
            self.skipped[reason] = self.skipped.get(reason, 0) + messages

    def remarks(self) -> Iterator[str]:
        """What was guessed, left out or unusable, one line each."""
        if self.guesses:
            yield f"{self.path}: {'; '.join(self.guesses)}"
        if self.skipped:
            kinds = ", ".join(f"{messages} {reason}" for reason, messages in self.skipped.items())
            yield f"{self.path}: left out {kinds}"
        for problem in self.problems:
            line = "" if problem.line is None else f":{problem.line}"
            yield f"{problem.path}{line}: {problem.reason}"
        if self.problems and not self.error:
            yield f"{self.path}: export it again or repair it, and ingest it again; what is known is not added twice"
        if self.error:
            yield self.error
        if self.forgotten:
            stay, them = ("message stays", "it") if self.forgotten == 1 else ("messages stay", "them")
            yield f"{self.path}: {self.forgotten} {stay} forgotten; --again takes {them} in"

    @property
    def unchanged_messages(self) -> int:
        """Messages that were stored already and have not changed; what `watch` read first and saw edited is new."""
        return max(0, self.messages - self.new_messages - self.edited_messages - self.forgotten)

    @property
    def status(self) -> str:
        """The outcome in one word."""
        if self.error and not self.conversations:
            return "failed"
        if self.error or self.problems:
            return "partial"
        return "ok" if self.new_messages or self.edited_messages or self.removed_messages else "unchanged"
