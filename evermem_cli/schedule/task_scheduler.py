"""The command that lets Windows' Task Scheduler do what a timer does: `schtasks`, for a command prompt."""

import subprocess

from evermem_cli.schedule.timers import Every, TimerRequest

NAME = "evermem-ingest"
# What a command prompt would act on, within quotes or not. PowerShell needs none of this, but has no one way to quote.
_ESCAPED = str.maketrans({mark: f"^{mark}" for mark in '"%&()<>^|'})


def remedy(wish: TimerRequest) -> str:
    """What to do on Windows, where evermem makes no timer."""
    return f"let Task Scheduler do the same, in a command prompt: {line(wish)}; `schtasks /delete /tn {NAME}` ends it"


def line(wish: TimerRequest) -> str:
    """The line for a command prompt. A task gets its environment from the user's, where `setx` keeps a setting."""
    settings = [("setx", name, value) for name, value in wish.environment.items()]
    task = subprocess.list2cmdline(wish.command)
    create = ("schtasks", "/create", "/tn", NAME, *_calendar(wish), "/st", f"{wish.at:%H:%M}", "/tr", task)
    return " && ".join(subprocess.list2cmdline(command).translate(_ESCAPED) for command in (*settings, create))


def _calendar(wish: TimerRequest) -> tuple[str, ...]:
    match wish.every:
        case Every.HOUR:
            return ("/sc", "hourly")
        case Every.DAY:
            return ("/sc", "daily")
        case Every.WEEK:
            return ("/sc", "weekly", "/d", "SUN")
