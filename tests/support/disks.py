"""Disks that take no more."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes; not even the one that the tests print into, so nothing is printed within."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
