"""What the privacy tiers of areas cover in this memory."""

from evermem_cli.cli.shared.session import Session
from evermem_cli.config import PRIVACY, config_file
from evermem_cli.errors import UsageError
from evermem_cli.memory import Tier
from evermem_cli.memory.privacy import AreaUse, Ground, PrivacyInForce


def in_force(session: Session) -> PrivacyInForce:
    """The tier of each area, and how much of this memory the tiers withhold.

    Raises StoreError, StoreBusy, UsageError.
    """
    store, tiers = session.store, session.settings.privacy
    with store.privacy(write=False) as opened:
        counts = opened.count_areas()
    return PrivacyInForce(
        areas=tuple(_use(area, tier, *counts.get(area, (0, 0))) for area, tier in tiers.items()),
        messages=sum(messages for messages, _ in counts.values()),
        withheld=store.count_withheld((Tier.PRIVATE, Tier.SENSITIVE), tiers),
        withheld_with_reason=store.count_withheld((Tier.PRIVATE,), tiers),
    )


def ground(session: Session, prefix: str) -> Ground | None:
    """Why an assistant is not shown what has this id or beginning of one; None where every assistant is.

    An assistant is not told of that. Raises StoreError, StoreBusy, UsageError for an unknown id.
    """
    if session.settings.agent:
        return None
    with session.store.privacy(write=False) as opened:
        return opened.ground(prefix, session.settings.privacy)


def refuse_area(memory_id: str, tier: str | None) -> None:
    """Raises UsageError that tells where the tier of an area is set, if an area was named in place of an id."""
    if memory_id in PRIVACY:
        line = f'{memory_id} = "{tier or PRIVACY[memory_id]}"'
        hint = f"its tier is set in {config_file()}: a line [privacy], and below it {line}"
        raise UsageError(f"{memory_id} is an area, not an id", f"{hint}; then `evermem privacy` shows what it covers")


def _use(area: str, tier: Tier, messages: int, facts: int) -> AreaUse:
    return AreaUse(area=area, tier=tier, messages=messages, facts=facts)
