"""The timer as user units of systemd, with the syntax of `man systemd.service` and `man systemd.timer`."""

import os
from pathlib import Path

from evermem_cli.errors import ExitCode
from evermem_cli.schedule import cron
from evermem_cli.schedule.timers import Every, Timer, TimerRequest

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
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    service = _SERVICE.format(
        command=" ".join([_quoted(wish.command[0]), *map(_argument, wish.command[1:])]),
        environment="".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in wish.environment.items()),
        partial=int(ExitCode.PARTIAL),
    )
    unit = f"{NAME}.timer"
    systemctl = ("systemctl", "--user")
    return Timer(
        "systemd",
        {
            home / f"{NAME}.service": service,
            home / unit: _TIMER.format(every=wish.every, calendar=_calendar(wish)),
        },
        start=[(*systemctl, "daemon-reload"), (*systemctl, "enable", "--now", unit), (*systemctl, "restart", unit)],
        stop=[(*systemctl, "disable", "--now", unit), (*systemctl, "daemon-reload")],
        remedy=_remedy(wish, run),
    )


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
