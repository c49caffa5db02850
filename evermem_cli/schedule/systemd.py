"""The timer as user units of systemd, with the syntax of `man systemd.service` and `man systemd.timer`."""

import os
from datetime import datetime, time
from json import JSONDecoder
from pathlib import Path

from evermem_cli.errors import ExitCode
from evermem_cli.schedule import cron
from evermem_cli.schedule.timers import Every, Timer, TimerRequest, TimerRuns

NAME = "evermem-ingest"
RUN = Path("/run")  # where systemd keeps what tells whether it runs, and for whom

_SERVICE = """\
[Unit]
Description=evermem takes in what is new

[Service]
Type=oneshot
ExecStart={command}
{environment}SuccessExitStatus={partial}
Nice=19
IOSchedulingClass=idle
UMask=0077
"""
_TIMER = """\
[Unit]
Description=evermem takes in what is new, every {every}

[Timer]
OnCalendar={calendar}
Persistent=true

[Install]
WantedBy=timers.target
"""


def timer(wish: TimerRequest, run: Path = RUN) -> Timer:
    """The units for a request, and the commands that start and stop them."""
    service = _SERVICE.format(
        command=" ".join([_quoted(wish.command[0]), *map(_argument, wish.command[1:])]),
        environment="".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in wish.environment.items()),
        partial=int(ExitCode.PARTIAL),
    )
    unit = _timer_file().name
    systemctl = ("systemctl", "--user")
    return Timer(
        "systemd",
        {
            _service_file(): service,
            _timer_file(): _TIMER.format(every=wish.every, calendar=_calendar(wish)),
        },
        start=[(*systemctl, "daemon-reload"), (*systemctl, "enable", "--now", unit), (*systemctl, "restart", unit)],
        stop=[(*systemctl, "disable", "--now", unit), (*systemctl, "daemon-reload")],
        remedy=_remedy(wish, run),
        show=(*systemctl, "show", unit, "--property=NextElapseUSecRealtime,LastTriggerUSec"),
        runs_of=_runs,
    )


def installed() -> TimerRequest:
    """What the units that are installed run. Raises OSError, ValueError, LookupError where they are not evermem's."""
    service = [line.partition("=") for line in _service_file().read_text(encoding="utf-8").splitlines()]
    known = dict(line.split("=", 1) for line in _timer_file().read_text(encoding="utf-8").splitlines() if "=" in line)
    (program, *arguments) = _words(next((text for key, _, text in service if key == "ExecStart"), ""))
    settings = [_words(text)[0].partition("=") for key, _, text in service if key == "Environment"]
    calendar = known["OnCalendar"]
    hour, minute, _ = calendar.split()[-1].split(":")
    is_daily = calendar.startswith("*")
    return TimerRequest(
        command=(program, *(argument.replace("$$", "$") for argument in arguments)),
        environment={name: value for name, _, value in settings},
        every=Every.HOUR if hour == "*" else Every.DAY if is_daily else Every.WEEK,
        at=time(0 if hour == "*" else int(hour), int(minute)),
    )


def _runs(shown: str) -> TimerRuns:
    """The times that `systemctl show` has told, as "Mon 2026-11-30 03:30:00 UTC" in the zone of the system."""
    known = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
    return TimerRuns(_moment(known.get("NextElapseUSecRealtime", "")), _moment(known.get("LastTriggerUSec", "")))


def _moment(told_as: str) -> datetime | None:
    try:
        return datetime.fromisoformat(" ".join(told_as.split()[1:3])).astimezone()
    except ValueError:
        return None


def _folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"


def _service_file() -> Path:
    return _folder() / f"{NAME}.service"


def _timer_file() -> Path:
    return _folder() / f"{NAME}.timer"


def _remedy(wish: TimerRequest, run: Path) -> str:
    """What to do if the units cannot be started: systemd may not run at all, as in a container, or not for the user.

    The folder that tells whether it runs is that of `man sd_booted`; the home belongs to the user.
    """
    user = Path.home().stat().st_uid  # os.getuid is not there on every system that types are checked for
    is_booted, serves_user = (run / "systemd/system").is_dir(), (run / f"user/{user}/systemd").is_dir()
    if is_booted and not serves_user:
        return f"run `loginctl enable-linger`, log in anew and try again; or {cron.remedy(wish)}"
    return cron.remedy(wish)


def _calendar(wish: TimerRequest) -> str:
    match wish.every:
        case Every.HOUR:
            return f"*-*-* *:{wish.at:%M}:00"
        case Every.DAY:
            return f"*-*-* {wish.at:%H:%M}:00"
        case Every.WEEK:
            return f"Sun *-*-* {wish.at:%H:%M}:00"


def _argument(text: str) -> str:
    """An argument of a command line, with "$" escaped, which begins a variable."""
    return _quoted(text).replace("$", "$$")


def _quoted(text: str) -> str:
    """A quoted word with the special characters escaped. "%" begins a specifier even within quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    return f'"{escaped}"'


def _words(line: str) -> list[str]:
    """The words that `_quoted` has written, which escapes what JSON escapes. Raises ValueError for others."""
    decoder, words = JSONDecoder(strict=False), list[str]()
    while line:
        word, end = decoder.raw_decode(line)
        words.append(word.replace("%%", "%"))
        line = line[end:].lstrip()
    return words
