"""The reason for which an assistant reads, and what it opens."""

from collections.abc import Callable

from evermem_cli.config import Settings
from evermem_cli.errors import UsageError
from evermem_cli.memory import Tier
from evermem_cli.memory.privacy import REASON_LENGTH

BY_OPTION = "--reason"


def check_reason(settings: Settings, note: Callable[[str], None]) -> None:
    """Says that a reason is too short to unlock anything. Raises UsageError where no assistant reads."""
    if not settings.agent:
        raise UsageError("--reason is for an assistant", "add --as NAME; you see everything without it")
    if len(settings.reason.strip()) <= REASON_LENGTH:
        note(f"a reason of {REASON_LENGTH} characters or less unlocks nothing; say more")


def withheld_hint(settings: Settings, argument: str = BY_OPTION) -> str:
    """What an assistant can do about withheld memories. `argument` is what it calls the reason.

    The areas of life are those of the settings, so the hint tells nothing of what the withheld memories are about.
    """
    private = f"private memories{_areas(settings, Tier.PRIVATE)} are shown to the user alone"
    ask = f"{private}: ask the user if your task may depend on them"
    if len(settings.reason.strip()) > REASON_LENGTH:
        return ask
    sensitive = f"sensitive memories{_areas(settings, Tier.SENSITIVE)} are shown if you ask again with {argument}"
    return f"{sensitive}, more than {REASON_LENGTH} characters that say why you need them; {ask}"


def _areas(settings: Settings, tier: Tier) -> str:
    """The areas of life with this tier, in brackets; "" if there are none."""
    areas = ", ".join(area for area, given in settings.privacy.items() if given is tier)
    return f" ({areas})" if areas else ""
