"""The line of a crontab that does what a timer does, for a user for whom no timer can run; see `man 5 crontab`."""

import shlex

from evermem_cli.schedule.timers import Every, TimerRequest


def remedy(wish: TimerRequest) -> str:
    """What to do where no timer can run."""
    return f"let cron do the same: add this line with `crontab -e`: {line(wish)}"


def line(wish: TimerRequest) -> str:
    """The line of the crontab. cron mails what the command writes to stderr."""
    settings = [f"{name}={shlex.quote(value)}" for name, value in wish.environment.items()]
    command = " ".join([*settings, "nice", "-n", "19", shlex.join(wish.command), ">/dev/null"])
    return f"{_fields(wish)} {_escaped(command)}"


def _fields(wish: TimerRequest) -> str:
    """Minute, hour, day of the month, month and day of the week."""
    match wish.every:
        case Every.HOUR:
            return f"{wish.at.minute} * * * *"
        case Every.DAY:
            return f"{wish.at.minute} {wish.at.hour} * * *"
        case Every.WEEK:
            return f"{wish.at.minute} {wish.at.hour} * * 0"


def _escaped(command: str) -> str:
    """A command with "%" escaped, which ends the command within quotes too."""
    return command.replace("%", "\\%")
