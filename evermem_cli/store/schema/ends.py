"""SQL for the end of a fact: the earlier of the end stated with it and the end that another statement gave it."""


def grain_of_end(at: str, grain: str) -> str:
    """SQL for the grain of a fact's end, whichever of the two ends is earlier."""
    return f"if(coalesce({at} < event_logs.invalid_at, {at} is not null), {grain}, event_logs.invalid_grain)"


OVER_GRAIN = grain_of_end("superseded_at", "superseded_grain")
