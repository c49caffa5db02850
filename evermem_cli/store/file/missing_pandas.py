"""Keeps duckdb from searching the whole Python path for the missing pandas at every value that it converts."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def _stand_in() -> ModuleType:
    """A module with the two objects that duckdb compares values with."""
    module = ModuleType("pandas")
    module.__dict__.update(NaT=object(), NA=object())
    return module


_STAND_IN = None if importlib.util.find_spec("pandas") else _stand_in()


@contextmanager
def looked_up_once() -> Iterator[None]:
    """Provides the stand-in for pandas within the block, to duckdb only."""
    if _STAND_IN is None or "pandas" in sys.modules:
        yield
        return
    sys.modules["pandas"] = _STAND_IN
    try:
        yield
    finally:
        del sys.modules["pandas"]
