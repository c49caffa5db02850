"""When facts end, in SQL: of the end that one was told with and the one that another gave it the earlier counts."""


def grain_of_end(at: str, grain: str) -> str:
    """SQL for the grain of a fact's end: that of its own, or that of the one another gave it, whichever is earlier."""
    return f"if(coalesce({at} < event_logs.invalid_at, {at} is not null), {grain}, event_logs.invalid_grain)"


OVER_GRAIN = grain_of_end("superseded_at", "superseded_grain")
