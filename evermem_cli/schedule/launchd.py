"""The timer as a user agent of launchd: a property list with the keys of `man launchd.plist`."""

import plistlib
from pathlib import Path
from typing import Any

from evermem_cli.schedule import cron
from evermem_cli.schedule.timers import Every, Timer, TimerRequest

LABEL = "io.evermem.ingest"
SUNDAY = 0


def timer(wish: TimerRequest) -> Timer:
    """The agent for a request, and the commands that start and stop it."""
    path = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    domain = f"gui/{Path.home().stat().st_uid}"
    agent = {
        "Label": LABEL,
        "ProgramArguments": list(wish.command),
        "EnvironmentVariables": dict(wish.environment),
        "StartCalendarInterval": _calendar(wish),
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 19,
        "Umask": 0o077,
        "StandardErrorPath": str(Path.home() / "Library" / "Logs" / "evermem-ingest.log"),
    }
    # A loaded agent has to be removed before it can be loaded again.
    again = f'launchctl bootout {domain}/{LABEL} 2>/dev/null; launchctl bootstrap {domain} "$0"'
    return Timer(
        "launchd",
        {path: plistlib.dumps(agent).decode()},
        start=[("sh", "-c", again, str(path))],
        stop=[("launchctl", "bootout", f"{domain}/{LABEL}")],
        remedy=f"log in on this machine itself, or {cron.remedy(wish)}",
    )


def _calendar(wish: TimerRequest) -> dict[str, Any]:
    minute = {"Minute": wish.at.minute}
    if wish.every is Every.HOUR:
        return minute
    daily = minute | {"Hour": wish.at.hour}
    return daily | {"Weekday": SUNDAY} if wish.every is Every.WEEK else daily
