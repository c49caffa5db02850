"""Facts of a profile in words: a value with the period in which it holds or held."""

from datetime import datetime

from evermem_cli.consolidation.attributes import beginning, is_outgrown, translated
from evermem_cli.languages.labels import label_of
from evermem_cli.memory import ProfileFact, Time
from evermem_cli.recollection.dates import since_when
from evermem_cli.recollection.notes import Note
from evermem_cli.recollection.people.histories import Histories

_SINCE = {"en": "{} (since {})", "zh": "{}（{}起）"}
_AS_OF = {"en": "{} (as of {})", "zh": "{}（{}时）"}


def since(fact: ProfileFact, tongue: str) -> str:
    """A value, and since when it holds; an age with the day of which it was told."""
    value, start = translated(fact.value, tongue), beginning(fact)
    if start is None:
        return value
    dated = _AS_OF if is_outgrown(fact) else _SINCE
    return dated[tongue].format(value, since_when(start, tongue))


def until(fact: ProfileFact, tongue: str) -> str:
    """A value that has ended, and until when it held."""
    value, end = translated(fact.value, tongue), _moment(fact.invalid_at, tongue)
    return f"{end}以前{value}" if tongue == "zh" else f"until {end} it was {value}"


def lasted(fact: ProfileFact, tongue: str) -> str:
    """A value with its period."""
    if fact.invalid_at is None or is_outgrown(fact):
        return since(fact, tongue)
    value, end = translated(fact.value, tongue), _moment(fact.invalid_at, tongue)
    start = _moment(fact.valid_at, tongue)
    if tongue == "zh":
        return f"{value}（{start}到{end}）" if start else f"{value}（到{end}为止）"
    return f"{value} ({start} to {end})" if start else f"{value} (until {end})"


def settled(fact: ProfileFact, tongue: str) -> str:
    """A value that is settled for the future."""
    value, start = translated(fact.value, tongue), _moment(fact.valid_at, tongue)
    return f"{start}起{value}" if tongue == "zh" else f"from {start} on {value}"


def described(histories: Histories, tongue: str, now: datetime) -> list[Note]:
    """Everything that holds now about one person, one attribute per line."""
    holding = {name: [fact for fact in facts if fact.holds_at(now)] for name, facts in sorted(histories.items())}
    return [
        Note(
            f"{label_of(attribute, tongue)}: {', '.join(since(fact, tongue) for fact in facts)}",
            tuple(message for fact in facts for message in fact.message_ids),
        )
        for attribute, facts in holding.items()
        if facts
    ]


def _moment(time: Time | None, tongue: str) -> str:
    return since_when(time, tongue) if time else ""
