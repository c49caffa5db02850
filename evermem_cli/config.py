"""Settings: command-line flag > EVERMEM_* environment variable > config file > default."""

import os
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

import platformdirs
from dateutil import tz
from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from evermem_cli.errors import UsageError
from evermem_cli.memory import Policy

UserPath = Annotated[Path, AfterValidator(Path.expanduser)]

# How long a condition named without an end is taken to last, in days (the documents' cold is 7).
CONDITION_DAYS: dict[str, float] = {
    "cold": 7,
    "flu": 10,
    "headache": 1,
    "migraine": 2,
    "sore throat": 7,
    "cough": 14,
    "fever": 5,
    "jet lag": 4,
}


def config_file() -> Path:
    """The config file: $EVERMEM_CONFIG, else config.toml in the XDG config directory."""
    return Path(os.environ.get("EVERMEM_CONFIG") or platformdirs.user_config_path("evermem") / "config.toml")


def zone(name: str) -> tzinfo:
    """The zone that a setting names, as "Europe/Berlin"; "" is the system's. Raises UsageError if there is none."""
    if not name:
        local = tz.gettz()
        if local is None:
            raise UsageError("the system's time zone is not known", "name one, as --tz Europe/Berlin")
        return local
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"no such time zone: {name}", "name one as Europe/Berlin or UTC") from error


class Settings(BaseSettings):
    """Everything a user may change. Field names are the config file's keys and, in capitals, the variables' names."""

    model_config = SettingsConfigDict(env_prefix="EVERMEM_", extra="forbid", env_ignore_empty=True)

    db: UserPath = Field(
        default_factory=lambda: platformdirs.user_data_path("evermem") / "memory.duckdb", description="The memory file."
    )
    models_dir: UserPath = Field(
        default_factory=lambda: platformdirs.user_cache_path("evermem") / "models",
        description="Where weights are kept.",
    )
    offline: bool = Field(default=False, description="Forbid downloads.")
    llm: str = Field(
        default="qwen2.5-coder-1.5b",
        description="Language model: a name of `evermem models list` or the path of a GGUF file.",
    )
    embedder: str = Field(
        default="all-minilm-l6-v2", description="Embedder: a name of `evermem models list` or any fastembed model name."
    )
    threads: int = Field(default=0, ge=0, description="CPU threads of the models; 0: all cores.")
    context_tokens: int = Field(default=8192, ge=1024, description="Context window of the language model.")
    batch: int = Field(default=16, ge=1, le=64, description="Replies decoded together.")

    user: str = Field(default="default", description="Your id: the owner of what you say to an assistant.")
    me: str = Field(default="", description="Your name in chats, where the export calls you something else.")
    tz: str = Field(default="", description="Zone of times that carry none, as Europe/Berlin; empty: the system's.")

    policy: Policy = Field(default=Policy.V1_1, description="What group chats yield: v1.1 episodes; v1.0 facts too.")
    boundary: Literal["auto", "always"] = Field(default="auto", description="Split chats of ten turns or fewer too?")
    max_messages: int = Field(default=50, ge=2, description="Most messages of one MemCell.")
    personal_voice: Literal["first", "third"] = Field(default="first", description="Person of personal episodes.")
    condition_days: dict[str, float] = Field(
        default=CONDITION_DAYS, description="Days that a condition lasts when the chat names no end."
    )

    busy_timeout: float = Field(default=10.0, ge=0, description="Seconds to wait for a memory file in use.")
    context_budget: int = Field(default=600, ge=100, description="Tokens of memory that an answer is read from.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Adds the config file below the environment; dotenv and secret files are not read."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, config_file())

    @classmethod
    def load(cls, **flags: object) -> Self:
        """Settings with `flags` on top; flags that are None were not given.

        Raises UsageError naming the setting that is wrong.
        """
        try:
            return cls(**{name: value for name, value in flags.items() if value is not None})  # type: ignore[arg-type]
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))
            raise UsageError(f"setting {name}: {first['msg']}", f"see `evermem config` and {config_file()}") from error
        except (OSError, ValueError) as error:
            raise UsageError(f"{config_file()}: {error}", "correct the file or move it away") from error
