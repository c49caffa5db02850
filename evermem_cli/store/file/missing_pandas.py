"""Keeps duckdb from searching the whole Python path for pandas, which is not there, at every value it converts."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def _stand_in() -> ModuleType:
    """A module with the two objects that duckdb compares each value with, to see whether it is missing."""
    module = ModuleType("pandas")
    module.__dict__.update(NaT=object(), NA=object())
    return module


_STAND_IN = None if importlib.util.find_spec("pandas") else _stand_in()


@contextmanager
def looked_up_once() -> Iterator[None]:
    """Within the block, pandas is found at once; nobody else sees the stand-in."""
    if _STAND_IN is None or "pandas" in sys.modules:
        yield
        return
    sys.modules["pandas"] = _STAND_IN
    try:
        yield
    finally:
        del sys.modules["pandas"]
