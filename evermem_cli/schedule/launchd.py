"""The timer as a user agent of launchd: a property list with the keys of `man launchd.plist`."""

import plistlib
from datetime import time
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from evermem_cli.schedule import cron
from evermem_cli.schedule.timers import Every, Timer, TimerRequest

LABEL = "io.evermem.ingest"
SUNDAY = 0


def timer(wish: TimerRequest) -> Timer:
    """The agent for a request, and the commands that start and stop it."""
    path = _path()
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


def installed() -> TimerRequest:
    """What the agent that is installed runs. Raises OSError, ValueError, LookupError where it is not evermem's."""
    try:
        agent = plistlib.loads(_path().read_bytes())
    except ExpatError as error:
        raise ValueError(str(error)) from error
    calendar = agent["StartCalendarInterval"]
    return TimerRequest(
        command=tuple(agent["ProgramArguments"]),
        environment=agent["EnvironmentVariables"],
        every=Every.WEEK if "Weekday" in calendar else Every.DAY if "Hour" in calendar else Every.HOUR,
        at=time(calendar.get("Hour", 0), calendar["Minute"]),
    )


def _path() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _calendar(wish: TimerRequest) -> dict[str, Any]:
    minute = {"Minute": wish.at.minute}
    if wish.every is Every.HOUR:
        return minute
    daily = minute | {"Hour": wish.at.hour}
    return daily | {"Weekday": SUNDAY} if wish.every is Every.WEEK else daily
