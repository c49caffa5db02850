"""What to try where a command knows nothing of somebody. A command is named only where it shows something."""

import shlex

from evermem_cli.cli.lookups import memories
from evermem_cli.cli.shared.formatting import counted
from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Entity, EntityType, Profile
from evermem_cli.recollection.people.network import Network, near, read_network
from evermem_cli.recollection.people.profile import describe_person


def known_of(session: Session, network: Network, entity: Entity) -> str:
    """The command that shows what is known of a person or thing: relationships, a profile, else messages."""
    quoted, now = shlex.quote(entity.name), session.now(None)
    if session.settings.agent:
        return f"search for {entity.name}: that finds what others say"
    if near(session.store, network, entity, 1, now):
        return f"`evermem related {quoted}` shows what is known"
    if entity.user_id is not None:
        described = describe_person(session.store, session.settings.user, entity.user_id, now, None, history=False)
        if described.is_known:
            return f"`evermem profile {quoted}` shows what is known"
    return f"`evermem search {quoted}` finds what was said"


def known_as(session: Session, network: Network, name: str) -> str:
    """What to try for a name that nobody has: the people of whose names it is a part. "" without any."""
    alike = [entity for entity in network.alike(name) if entity.type is EntityType.PERSON]
    if len(alike) != 1:
        return f"perhaps {' or '.join(entity.name for entity in alike)}" if alike else ""
    return f"perhaps {alike[0].name}: {known_of(session, network, alike[0])}"


def beside_profile(session: Session, described: Profile) -> str:
    """What to try where a profile is empty: to form what waits, else where else somebody is known. "" if nothing."""
    if described.is_known:
        return ""
    if waiting := memories.waiting(session):
        return f"{counted(waiting, 'topics')} left for `evermem enrich`"
    network = read_network(session.store, session.settings.user)
    entity = network.index.by_user.get(described.user_id)
    return known_of(session, network, entity) if entity else ""
