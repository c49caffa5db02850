"""The reason for which an assistant reads."""

from collections.abc import Callable

from evermem_cli.config import Settings
from evermem_cli.errors import UsageError
from evermem_cli.memory.privacy import REASON_LENGTH


def check_reason(settings: Settings, note: Callable[[str], None]) -> None:
    """Says that a reason is too short to unlock anything. Raises UsageError where no assistant reads."""
    if not settings.agent:
        raise UsageError("--reason is for an assistant", "add --as NAME; you see everything without it")
    if len(settings.reason.strip()) <= REASON_LENGTH:
        note(f"a reason of {REASON_LENGTH} characters or less unlocks nothing; say more")
