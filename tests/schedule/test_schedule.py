"""The timer: what is shown is what is written, systemd itself accepts it, and nothing of it stays behind."""

import json
import os
import plistlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from types import ModuleType

import pytest

from evermem_cli.errors import UsageError
from evermem_cli.memory import utc_text
from evermem_cli.schedule import Every, TimerRequest, cron, launchd, systemd, task_scheduler, timer_here

ODD = 'my $chats 100% "of" C:\\ü'


@dataclass
class Machine:
    """A home, and a `systemctl` that takes down what it is asked and does nothing, as no user's systemd runs here."""

    home: Path
    fails: str = ""
    says: str = ""

    @property
    def units(self) -> Path:
        return self.home / ".config" / "systemd" / "user"

    @property
    def asked(self) -> list[str]:
        log = self.home / "asked"
        return log.read_text().splitlines() if log.exists() else []

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        tools = self.home / "bin"
        tools.mkdir(exist_ok=True)
        script = f'#!/bin/sh\necho "$@" >> {self.home}/asked\n'
        script += (
            f'case "$*" in *{self.fails}*) echo "Failed to connect to bus" >&2; exit 1;; esac\n' if self.fails else ""
        )
        script += f'case "$*" in *show*) echo "{self.says}";; esac\n' if self.says else ""
        (tools / "systemctl").write_text(script)
        (tools / "systemctl").chmod(0o700)
        environment = os.environ | {
            "HOME": str(self.home),
            "EVERMEM_DB": str(self.home / "m.duckdb"),
            "EVERMEM_TZ": "UTC",
        }
        environment |= {"PATH": f"{tools}:{os.environ['PATH']}", "NO_COLOR": "1"}
        environment.pop("XDG_CONFIG_HOME", None)
        command = [sys.executable, "-m", "evermem_cli", "schedule", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / ODD).mkdir()
    return Machine(tmp_path)


CRON = "let cron do the same: add this line with `crontab -e`: 30 3 * * * "


def wish(*command: str, every: Every = Every.DAY) -> TimerRequest:
    return TimerRequest(command=command, environment={"EVERMEM_TZ": "UTC"}, every=every, at=time(3, 30))


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_what_is_shown_is_written_for_the_owner_alone_and_started(machine: Machine) -> None:
    folder = machine.home / ODD
    done = machine(str(folder), "--me", "Ann Lee", "--me", "Ann", "--every", "week", "--at", "21:05", "--yes")
    assert done.returncode == 0, done.stderr
    service, timer = machine.units / "evermem-ingest.service", machine.units / "evermem-ingest.timer"
    for path in (service, timer):
        assert path.stat().st_mode & 0o777 == 0o600
        assert [line for line in path.read_text().splitlines() if f"+{line}" not in done.stderr.splitlines()] == []
    assert "OnCalendar=Sun *-*-* 21:05:00" in timer.read_text()
    assert '"--me" "Ann Lee" "--me" "Ann"' in service.read_text()
    assert machine.asked[:3] == [
        "--user daemon-reload",
        "--user enable --now evermem-ingest.timer",
        "--user restart evermem-ingest.timer",
    ]
    assert all(f"$ systemctl {line}" in done.stderr for line in machine.asked[:3])


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_undo_leaves_nothing_behind(machine: Machine) -> None:
    assert machine(str(machine.home / ODD), "--yes").returncode == 0
    assert "evermem-ingest.timer" in machine().stdout
    done = machine("--undo", "--yes", "--json")
    nothing = dict.fromkeys(["memory", "every", "at", "next", "last"])
    assert json.loads(done.stdout) == {"system": "systemd", "installed": False, "files": [], "paths": [], **nothing}
    assert not machine.units.exists()
    assert machine.asked[-2:] == ["--user disable --now evermem-ingest.timer", "--user daemon-reload"]
    assert "nothing was changed" in machine("--undo", "--yes").stdout
    assert "nothing is scheduled" in machine().stdout


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_a_second_schedule_adds_its_folders_and_each_can_be_removed(machine: Machine) -> None:
    first, second = machine.home / ODD, machine.home / "notes"
    second.mkdir()
    options = ("--me", "Ann Lee", "--every", "week", "--at", "21:05", "--no-llm")
    assert machine(str(first), *options, "--yes").returncode == 0
    added = machine(str(second), "--yes")
    assert added.stdout.splitlines()[0] == f"added: {second}"
    shown = machine("--json")
    assert json.loads(shown.stdout) == {
        "system": "systemd",
        "installed": True,
        "files": [str(machine.units / "evermem-ingest.service"), str(machine.units / "evermem-ingest.timer")],
        "paths": [str(first), str(second)],
        "memory": str(machine.home / "m.duckdb"),
        "every": "week",
        "at": "21:05",
        "next": None,
        "last": None,
    }
    service = (machine.units / "evermem-ingest.service").read_text()
    assert '"--me" "Ann Lee" "--no-llm"' in service
    again = machine(str(second), "--yes")
    assert again.stdout.startswith("all of that is scheduled already; nothing was changed")
    assert again.stderr == ""
    second.rmdir()
    removed = machine("--undo", str(second), "--yes")
    assert removed.stdout.splitlines()[0] == f"no longer scheduled: {second}"
    assert json.loads(machine("--json").stdout)["paths"] == [str(first)]
    assert machine("--undo", str(first), "--yes").stdout.startswith("the timer is removed")
    assert not machine.units.exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_what_is_scheduled_is_shown_with_its_next_and_last_run(machine: Machine) -> None:
    assert machine(str(machine.home / ODD), "--yes").returncode == 0
    machine.says = (
        "NextElapseUSecRealtime=Mon 2026-11-30 03:30:00 UTC\nLastTriggerUSec=Sun 2026-11-29 03:30:12 UTC\nUnit=x"
    )
    lines = machine().stdout.splitlines()
    assert lines[:3] == [
        f"every day at 03:30, by systemd, into {machine.home / 'm.duckdb'}:",
        f"  {machine.home / ODD}",
        "runs next 30 Nov 2026 03:30; ran last 29 Nov 2026 03:30",
    ]
    assert "--undo PATH" in lines[-1]
    known = json.loads(machine("--json").stdout)
    assert known["next"] == utc_text(datetime(2026, 11, 30, 3, 30).astimezone())
    assert known["last"] == utc_text(datetime(2026, 11, 29, 3, 30, 12).astimezone())
    machine.says = "NextElapseUSecRealtime=\nLastTriggerUSec=n/a"
    assert "runs next" not in machine().stdout


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_the_period_alone_changes_what_is_scheduled_and_keeps_its_folders(machine: Machine) -> None:
    assert "nothing is scheduled" in machine("--every", "hour").stdout
    assert machine(str(machine.home / ODD), "--at", "21:05", "--yes").returncode == 0
    assert machine("--every", "hour", "--yes").stdout.splitlines()[:2] == [
        "changed",
        f"every hour at minute 30, by systemd, into {machine.home / 'm.duckdb'}:",
    ]
    assert json.loads(machine("--json").stdout)["paths"] == [str(machine.home / ODD)]


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_the_folders_of_one_memory_are_not_added_to_those_of_another(machine: Machine) -> None:
    assert machine(str(machine.home / ODD), "--yes").returncode == 0
    before = (machine.units / "evermem-ingest.service").read_text()
    refused = machine(str(machine.home), "--db", str(machine.home / "other.duckdb"), "--yes")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert f"--db {machine.home / 'm.duckdb'}" in refused.stderr
    unknown = machine("--undo", str(machine.home), "--yes")
    assert (unknown.returncode, "is not scheduled" in unknown.stderr) == (2, True)
    assert (machine.units / "evermem-ingest.service").read_text() == before


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_a_unit_that_somebody_else_wrote_is_shown_and_not_replaced(machine: Machine) -> None:
    machine.units.mkdir(parents=True)
    unit = machine.units / "evermem-ingest.service"
    unit.write_text("[Service]\nExecStart=make coffee\n")
    assert "make coffee" in machine().stdout
    refused = machine(str(machine.home / ODD), "--yes")
    assert (refused.returncode, "--undo" in refused.stderr) == (2, True)
    assert "make coffee" in unit.read_text()


@pytest.mark.skipif(sys.platform == "darwin", reason="launchd is asked there")
def test_a_timer_that_cannot_be_started_is_not_left_half_installed(machine: Machine) -> None:
    machine.fails = "enable"
    done = machine(str(machine.home / ODD), "--yes")
    assert done.returncode == 1
    assert "Failed to connect to bus" in done.stderr.splitlines()[-1]
    assert CRON in done.stderr.splitlines()[-1]
    assert not machine.units.parent.exists()


def test_the_line_for_cron_runs_the_same_command_with_the_same_settings(tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = TimerRequest(
        command=("sh", "-c", 'printf "%s\n" "$EVERMEM_TZ" "$1" > "$2"', "sh", ODD, str(out)),
        environment={"EVERMEM_TZ": "50% of Ann's"},
        every=Every.DAY,
        at=time(3, 30),
    )
    command = cron.line(asked).removeprefix("30 3 * * * ")
    assert "%" not in command.replace("\\%", "")
    subprocess.run(["/bin/sh", "-c", command.replace("\\%", "%")], check=True)  # as cron does
    assert out.read_text().splitlines() == ["50% of Ann's", ODD]


@pytest.mark.parametrize(
    ("every", "fields"), [(Every.HOUR, "30 * * * *"), (Every.DAY, "30 3 * * *"), (Every.WEEK, "30 3 * * 0")]
)
def test_the_line_for_cron_has_the_times_of_the_timer(every: Every, fields: str) -> None:
    assert cron.line(wish("/bin/true", every=every)) == f"{fields} EVERMEM_TZ=UTC nice -n 19 /bin/true >/dev/null"


def test_the_line_for_task_scheduler_keeps_the_settings_and_quotes_what_a_prompt_would_act_on() -> None:
    asked = wish(r"C:\Program Files\evermem.exe", "ingest", r"C:\chats & 100%")
    assert task_scheduler.line(asked) == (
        "setx EVERMEM_TZ UTC && schtasks /create /tn evermem-ingest /sc daily /st 03:30"
        r' /tr ^"\^"C:\Program Files\evermem.exe\^" ingest \^"C:\chats ^& 100^%\^"^"'
    )


@pytest.mark.parametrize(
    ("every", "times"),
    [(Every.HOUR, "/sc hourly"), (Every.DAY, "/sc daily"), (Every.WEEK, "/sc weekly /d SUN")],
)
def test_on_windows_task_scheduler_is_named(every: Every, times: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(UsageError, match="no timer on Windows") as refused:
        timer_here(wish("evermem.exe", every=every))
    assert f"schtasks /create /tn evermem-ingest {times} /st 03:30 /tr evermem.exe" in refused.value.hint


def test_lingering_is_advised_where_systemd_runs_but_not_for_the_user(tmp_path: Path) -> None:
    assert systemd.timer(wish("/bin/true"), tmp_path).remedy.startswith(CRON)
    (tmp_path / "systemd" / "system").mkdir(parents=True)
    assert "loginctl enable-linger" in systemd.timer(wish("/bin/true"), tmp_path).remedy
    assert CRON in systemd.timer(wish("/bin/true"), tmp_path).remedy
    (tmp_path / "user" / str(os.getuid()) / "systemd").mkdir(parents=True)
    assert systemd.timer(wish("/bin/true"), tmp_path).remedy.startswith(CRON)


def test_every_hour_has_no_time_of_day(machine: Machine) -> None:
    done = machine(str(machine.home / ODD), "--every", "hour", "--at", "03:30", "--yes")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "--at" in done.stderr
    assert machine.asked == []


def test_nothing_is_written_where_nobody_can_be_asked_or_a_path_is_missing(machine: Machine) -> None:
    for arguments in ([str(machine.home / ODD)], [str(machine.home / "gone"), "--yes"], ["--undo", "x", "--yes"]):
        assert machine(*arguments).returncode == 2
    assert not machine.units.exists()
    assert machine.asked == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
@pytest.mark.parametrize("every", list(Every))
def test_systemd_itself_accepts_the_units(every: Every, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    timer = systemd.timer(wish("/bin/true", "ingest", f"/home/ann/{ODD}", every=every))
    for path, text in timer.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", *map(str, timer.files)], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "evermem-ingest" in line]
    assert said == []
    calendar = next(line for line in "".join(timer.files.values()).splitlines() if line.startswith("OnCalendar="))
    subprocess.run(["systemd-analyze", "calendar", calendar.partition("=")[2]], check=True, capture_output=True)


@pytest.mark.parametrize("every", list(Every))
@pytest.mark.parametrize("system", [systemd, launchd])
def test_what_is_installed_is_read_back_as_it_was_asked_for(
    system: ModuleType, every: Every, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    asked = wish("/bin/ever mem", "ingest", f"/home/ann/{ODD}", "a\nb\\n", every=every)
    for path, text in system.timer(asked).files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    read = system.installed()
    assert (read.command, read.environment, read.every) == (asked.command, asked.environment, every)
    assert read.at == (time(0, 30) if every is Every.HOUR else asked.at)


@pytest.mark.parametrize(
    ("every", "calendar"),
    [
        (Every.HOUR, {"Minute": 30}),
        (Every.DAY, {"Hour": 3, "Minute": 30}),
        (Every.WEEK, {"Hour": 3, "Minute": 30, "Weekday": 0}),
    ],
)
def test_the_property_list_says_the_same_as_the_wish(every: Every, calendar: dict[str, int]) -> None:
    asked = wish("/bin/evermem", "ingest", f"/Users/ann/{ODD}", every=every)
    ((path, text),) = launchd.timer(asked).files.items()
    agent = plistlib.loads(text.encode())
    assert path.name == f"{agent['Label']}.plist"
    assert agent["ProgramArguments"] == list(asked.command)
    assert (agent["StartCalendarInterval"], agent["EnvironmentVariables"]) == (calendar, dict(asked.environment))
