"""Settings. In order of precedence: command-line flag, EVERMEM_* environment variable, config file, default."""

import json
import os
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from datetime import tzinfo
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import platformdirs
from dateutil import tz

from evermem_cli.config.values import READERS, MemoryFile, names_given, one_of, table, toml_key, toml_value
from evermem_cli.errors import UsageError
from evermem_cli.memory import Policy, Tier
from evermem_cli.memory.lake_address import LakeAddress, is_lake

# How many days an illness lasts if its end is not stated. The 7 days of a cold are from EverMemOS's technical design.
CONDITION_DAYS: dict[str, float] = {
    "cold": 7,
    "flu": 10,
    "headache": 1,
    "migraine": 2,
    "sore throat": 7,
    "cough": 14,
    "fever": 5,
    "jet lag": 4,
    "covid": 10,
    "infection": 14,
    "感冒": 7,
    "流感": 10,
    "发烧": 5,
}


# The privacy tier of each domain, from OwnYou's memory types. Health is private in their table and sensitive in their
# code.
PRIVACY: dict[str, Tier] = {
    "health": Tier.PRIVATE,
    "finance": Tier.SENSITIVE,
    "relationships": Tier.SENSITIVE,
    "work": Tier.PUBLIC,
    "travel": Tier.PUBLIC,
    "general": Tier.PUBLIC,
}


def config_file() -> Path:
    """The path of the config file: $EVERMEM_CONFIG, else config.toml in the XDG config directory."""
    return Path(os.environ.get("EVERMEM_CONFIG") or platformdirs.user_config_path("evermem") / "config.toml")


def copies_folder() -> Path:
    """The folder of this machine's copies of shared memories."""
    return platformdirs.user_data_path("evermem") / "shared"


def zone(name: str) -> tzinfo:
    """The zone of a name such as "Europe/Berlin"; "" is the system's zone. Raises UsageError for an unknown one."""
    if not name:
        local = tz.gettz()
        if local is None:
            raise UsageError("the system's time zone is not known", "name one, for example --tz Europe/Berlin")
        return local
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"no such time zone: {name}", "name one such as Europe/Berlin or UTC") from error


Doer = Literal["model", "code"]  # who does a task
TaskName = Literal["titles", "statements", "answers", "foresights", "narratives"]


def setting(
    *,
    description: str,
    default: object,
    ge: float | None = None,
    le: float | None = None,
    known: Sequence[str] = (),
    example: Mapping[str, object] | None = None,
) -> Any:
    """A field of Settings with its description and default. Numbers lie between `ge` and `le`.

    A table has an `example`, and only `known` keys if there are any.
    """
    metadata = {"description": description, "ge": ge, "le": le, "known": known, "example": example}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a user can configure. A field's name is its key in the config file and, in capitals, its variable."""

    db: MemoryFile = setting(
        default=lambda: platformdirs.user_data_path("evermem") / "memory.duckdb",
        description="The memory file; or the address of a shared memory, such as ducklake:FILE.",
    )
    key_file: str = setting(
        default="", description="File with the key of an encrypted memory; empty: the system's keyring has it."
    )
    models_dir: Path = setting(
        default=lambda: platformdirs.user_cache_path("evermem") / "models",
        description="The folder of model weights.",
    )
    offline: bool = setting(default=False, description="Forbid downloads, and models on other machines.")
    llm: str = setting(
        default="qwen2.5-coder-1.5b",
        description="Language model: a name of `evermem models list`, the path of a GGUF file, or the address of a "
        "server, such as http://127.0.0.1:11434/v1#qwen3:4b.",
    )
    tasks: dict[TaskName, Doer] = setting(
        default=dict,
        known=get_args(TaskName),
        example={"titles": "code"},
        description="Who does titles, statements, answers, foresights, narratives: model or code; by default as "
        "`evermem models try` found.",
    )
    allow_remote: bool = setting(
        default=False, description="Allow a model or a shared memory on another machine? Chats are sent there."
    )
    embedder: str = setting(
        default="all-minilm-l6-v2", description="Embedder: a name of `evermem models list` or any fastembed model name."
    )
    reranker: str = setting(
        default="ms-marco-minilm-l12",
        description="The reranker of `search --rerank`: a name of `evermem models list`.",
    )
    threads: int = setting(default=0, ge=0, description="CPU threads of the models; 0: all cores.")
    gpu_layers: int = setting(default=-1, ge=-1, description="Layers of the language model on a GPU; -1: all.")
    context_tokens: int = setting(default=8192, ge=1024, description="Context window of the language model.")
    batch: int = setting(default=16, ge=1, le=64, description="Requests that the language model handles at once.")

    user: str = setting(default="default", description="Whose memory this is, if several people share one file.")
    me: str = setting(default="", description="Your name in chats between people, as `--me` gives it.")
    tz: str = setting(default="", description="Zone of times without one, such as Europe/Berlin; empty: the system's.")

    policy: Policy = setting(
        default=Policy.ALL,
        description="Memories from chats between people: all (one episode, facts and foresights), v1.1 (an episode for "
        "all and one per speaker, no facts or foresights) or v1.0 (as v1.1, with facts and foresights per episode).",
    )
    boundary: Literal["auto", "always"] = setting(
        default="auto", description="auto: do not split chats of ten turns or fewer; always: split them, too."
    )
    max_messages: int = setting(default=50, ge=2, description="Most messages of one topic.")
    personal_voice: Literal["first", "third"] = setting(
        default="first", description="Grammatical person of personal episodes."
    )
    condition_days: dict[str, float] = setting(
        default=CONDITION_DAYS.copy,
        example={"cold": 7},
        description="Days that an illness lasts if the chat states no end.",
    )

    scene_threshold: float = setting(
        default=0.7, ge=-1, le=1, description="Least cosine to a scene's mean at which a topic joins the scene."
    )
    max_gap_days: float = setting(
        default=7, ge=0, description="Days of silence after which a new scene begins; 0: never."
    )

    decay: float = setting(
        default=0.95, ge=0.01, le=1, description="Share of a memory's strength left after a week without access."
    )
    archive_below: float = setting(
        default=0.1, ge=0, le=1, description="Strength below which memories are left out of answers; 0: never."
    )

    agent: str = setting(
        default="", description="The agent for which memory is read; empty: the owner, who sees everything."
    )
    reason: str = setting(default="", description="The agent's reason, which unlocks sensitive memories.")
    privacy: dict[str, Tier] = setting(
        default=PRIVACY.copy,
        known=tuple(PRIVACY),
        example={"health": "private"},
        description="Tier of each domain: public, sensitive (needs a reason) or private.",
    )

    agents_may_remember: bool = setting(
        default=False, description="Allow assistants to add notes? Notes are marked as theirs."
    )

    busy_timeout: float = setting(default=10.0, ge=0, description="Seconds to wait for a memory file in use.")
    context_budget: int = setting(
        default=600,
        ge=100,
        description="Tokens of memory read for an answer; half as many again for a list, two thirds for one thing.",
    )

    # Set by `db` where that is the address of a shared memory; then `db` is this machine's copy of it.
    lake: LakeAddress | None = None
    # Set by `me` where a command is given several names.
    also_me: tuple[str, ...] = ()

    @classmethod
    def options(cls) -> tuple[Field[Any], ...]:
        """The fields that a user can set."""
        return tuple(option for option in fields(cls) if option.metadata)

    @property
    def own_names(self) -> frozenset[str]:
        """All names of the user in chats that were given."""
        return frozenset((self.me, *self.also_me)) - {""}

    @property
    def memory(self) -> str:
        """What another process can give as --db for the same memory."""
        return self.lake.text if self.lake else str(self.db.absolute())

    @property
    def key_path(self) -> Path | None:
        """The path of the key file; None where none is set."""
        return Path(self.key_file).expanduser() if self.key_file else None

    @classmethod
    def load(cls, **flags: object) -> Self:
        """The settings, with `flags` on top; a flag that is None was not given.

        `me` may be a list, whose first name is also that of messages without a name. Raises UsageError that names the
        wrong setting.
        """
        environment = _from_environment()
        given = _from_file() | environment | {name: flag for name, flag in flags.items() if flag is not None}
        kinds = get_type_hints(cls)
        given |= names_given(given, flags)
        known = {option.name: option for option in cls.options()}
        values: dict[str, Any] = {}
        if is_lake(named := str(given.get("db", ""))):
            values["lake"] = LakeAddress.read(named)
            given["db"] = copies_folder() / values["lake"].name / "memory.duckdb"
        if isinstance(names := given.get("me"), list):
            given["me"], *also = names
            values["also_me"] = tuple(also)
        for name, value in given.items():
            try:
                if name not in known:
                    raise ValueError("there is no such setting")
                values[name] = _read(known[name], kinds[name], value)
            except ValueError as error:
                form = _form(known[name], in_file=name not in environment) if name in known else ""
                hint = form or f"see `evermem config` and {config_file()}"
                raise UsageError(f"setting {name}: {error}", hint) from error
        if "privacy" in values:
            values["privacy"] = PRIVACY | values["privacy"]
        return cls(**values)


def _from_file() -> dict[str, object]:
    path = config_file()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}", "correct the file or move it away") from error


def _from_environment() -> dict[str, object]:
    """The settings in EVERMEM_* variables. An empty variable counts as unset."""
    named = {option.name: os.environ.get(f"EVERMEM_{option.name.upper()}") for option in Settings.options()}
    return {name: text for name, text in named.items() if text}


def _form(described: Field[Any], *, in_file: bool) -> str:
    """How to write a table, in the config file or in the environment; "" for other settings."""
    example = described.metadata["example"]
    if example is None:
        return ""
    if not in_file:
        return f"write it as JSON: EVERMEM_{described.name.upper()}={shlex.quote(json.dumps(example))}"
    lines = " ".join(f"{toml_key(key)} = {toml_value(value)}" for key, value in example.items())
    return f"write it as a table in {config_file()}: a line [{described.name}], and below it lines such as {lines}"


def _read(described: Field[Any], kind: Any, value: object) -> object:
    """A value of the setting's type, parsed if it is text. Raises ValueError that says what is expected."""
    if get_origin(kind) is Literal:
        return one_of(get_args(kind), value)
    if get_origin(kind) is dict:
        entries, known = table(value), described.metadata["known"]
        return {
            one_of(known or (name,), name): _read(described, get_args(kind)[1], entry)
            for name, entry in entries.items()
        }
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(one_of([member.value for member in kind], value))
    read = READERS[kind](value)
    least, most = described.metadata["ge"], described.metadata["le"]
    if (least is not None and read < least) or (most is not None and read > most):
        raise ValueError(f"{read} is not " + (f"{least} or more" if most is None else f"between {least} and {most}"))
    return read
