"""Settings from flags, environment and file; what is wrong is named."""

import json
import os
from pathlib import Path

import pytest

from evermem_cli.cli.presentation import documents, screens
from evermem_cli.config import CONDITION_DAYS, PRIVACY, Settings
from evermem_cli.errors import UsageError
from evermem_cli.memory import Policy, Tier
from tests.cli.test_screens import wrapped


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config file that is not there yet, and an environment without settings."""
    for name in [name for name in os.environ if name.startswith("EVERMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVERMEM_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path / "config.toml"


def test_a_flag_beats_the_environment_and_that_the_file_and_that_the_default(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Settings.load() == Settings()
    config.write_text('user = "file"\nme = "file"\ntz = "UTC"')
    monkeypatch.setenv("EVERMEM_USER", "variable")
    monkeypatch.setenv("EVERMEM_ME", "variable")
    settings = Settings.load(user="flag", llm=None)
    assert (settings.user, settings.me, settings.tz, settings.llm) == ("flag", "variable", "UTC", Settings().llm)


def test_variables_are_read_as_the_type_of_their_setting_and_empty_ones_not_at_all(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "db": "~/m.duckdb", "offline": "Yes", "threads": "2", "busy_timeout": "0.5", "policy": "v1.0",
        "boundary": "always", "condition_days": '{"cold": 9}', "me": "",
    }  # fmt: skip
    for name, text in given.items():
        monkeypatch.setenv(f"EVERMEM_{name.upper()}", text)
    settings = Settings.load()
    assert settings.db == Path.home() / "m.duckdb"
    assert settings.offline is True
    assert (settings.threads, settings.busy_timeout, settings.condition_days) == (2, 0.5, {"cold": 9})
    assert (settings.policy, settings.boundary, settings.me) == (Policy.V1_0, "always", "")


def test_the_file_has_numbers_and_tables(config: Path) -> None:
    config.write_text("threads = 3\noffline = true\n[condition_days]\ncold = 4.5")
    settings = Settings.load()
    assert (settings.threads, settings.offline, settings.condition_days) == (3, True, {"cold": 4.5})
    assert Settings().condition_days == CONDITION_DAYS


def test_tiers_of_domains_are_changed_one_by_one(config: Path) -> None:
    config.write_text('[privacy]\nhealth = "sensitive"')
    assert Settings.load().privacy == PRIVACY | {"health": Tier.SENSITIVE}
    config.write_text('[privacy]\nhealth = "secret"')
    with pytest.raises(UsageError, match="setting privacy: secret is not one of public, sensitive, private"):
        Settings.load()
    config.write_text('[privacy]\nheath = "private"')
    with pytest.raises(UsageError, match="setting privacy: heath is not one of health"):
        Settings.load()


@pytest.mark.parametrize(
    "value", ["health private, work public", '["health"]', '{"heath": "private"}', '{"health": 1}']
)
def test_a_wrong_table_is_told_in_one_line_with_its_form_where_it_was_given(
    config: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    config.write_text(f"privacy = {value!r}")
    with pytest.raises(UsageError, match="setting privacy: ") as refused:
        Settings.load()
    assert refused.value.hint.startswith(f"write it as a table in {config}: a line [privacy], and below it")
    assert refused.value.hint.endswith('health = "private"')
    assert "\n" not in refused.value.explanation
    monkeypatch.setenv("EVERMEM_PRIVACY", value)
    with pytest.raises(UsageError, match="setting privacy: ") as refused:
        Settings.load()
    assert refused.value.hint == """write it as JSON: EVERMEM_PRIVACY='{"health": "private"}'"""


def test_entries_of_a_table_have_known_names_and_an_example_that_is_right(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for option in Settings.options():
        if option.metadata["example"]:
            monkeypatch.setenv(f"EVERMEM_{option.name.upper()}", json.dumps(option.metadata["example"]))
    assert Settings.load().tasks == {"titles": "code"}
    monkeypatch.delenv("EVERMEM_TASKS")
    config.write_text('[tasks]\ntitels = "code"')
    with pytest.raises(
        UsageError, match=r"setting tasks: titels is not one of titles, statements, answers, foresights, narratives"
    ):
        Settings.load()


def test_what_config_shows_is_what_is_in_force_and_can_be_pasted(config: Path) -> None:
    config.write_text('db = "m.duckdb"\nuser = "Zoë"\n[privacy]\nhealth = "sensitive"')
    settings = Settings.load()
    assert documents.config(settings)["settings"]["privacy"] == PRIVACY | {"health": "sensitive"}
    *lines, last = wrapped(screens.config(settings), 500)
    assert str(config) in last
    config.write_text("\n".join(line for line in lines if not line.startswith(" ")))
    assert Settings.load() == settings


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('threads = "two"', "setting threads: two is not a number"),
        ("threads = 1.5", "setting threads: 1.5 is not a whole number"),
        ("threads = true", "setting threads: True is not a number"),
        ("threads = -1", "setting threads: -1 is not 0 or more"),
        ("batch = 65", "setting batch: 65 is not between 1 and 64"),
        ("user = 7", "setting user: 7 is not text"),
        ('offline = "perhaps"', "setting offline: perhaps is neither true nor false"),
        ('policy = "v2"', r"setting policy: v2 is not one of all, v1\.0, v1\.1"),
        ('boundary = "never"', "setting boundary: never is not one of auto, always"),
        ("condition_days = 7", "setting condition_days: not a table"),
        ('db = "s3://team/m.duckdb"', "setting db: an address is no path"),
        ('db = "."', r"setting db: \. is a folder; name a file in it"),
        ('db = "/dev/null"', r"setting db: /dev/null is a pipe, a device or a link to itself; name a file"),
        ("colour = 1", "setting colour: there is no such setting"),
        ("colour", r"config\.toml: "),
    ],
)
def test_what_is_wrong_is_a_usage_error_that_names_the_setting(config: Path, line: str, reason: str) -> None:
    config.write_text(line)
    with pytest.raises(UsageError, match=reason):
        Settings.load()


def test_a_memory_that_is_a_link_to_itself_is_refused(config: Path) -> None:
    loop = config.with_name("loop.duckdb")
    loop.symlink_to(loop)
    with pytest.raises(UsageError, match="a link to itself; name a file"):
        Settings.load(db=loop)
