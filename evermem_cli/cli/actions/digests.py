"""The steps of `digest`: makes digests of old topics, or removes digests."""

from datetime import UTC, datetime, timedelta

from evermem_cli.cli.lookups import memories
from evermem_cli.cli.lookups.memories import Listing
from evermem_cli.cli.shared.options import moment
from evermem_cli.cli.shared.session import Session
from evermem_cli.digest import Digesting

OLD = timedelta(days=90)


def digests(session: Session, prefix: str | None, before: str | None, *, undo: bool, dry_run: bool) -> Listing:
    """The digests that are, or would be, made or removed. Raises UsageError."""
    session.store.refuse_agent()
    digesting = Digesting(session.store, session.settings.user)
    within = None if prefix is None else {contents.cell.event_id for contents in memories.contents(session, prefix)}
    if undo:
        made = digesting.existing(within)
        if not dry_run:
            digesting.undo(made)
    else:
        old = moment(before, session.zone, end=False) or datetime.now(UTC) - OLD
        made = digesting.planned(old, within)
        if not dry_run:
            digesting.make(made, session.embedder)
    with session.store.read() as reader:
        return Listing(
            items=tuple(made),
            messages=reader.messages.by_id({message_id for digest in made for message_id in digest.message_ids}),
        )
