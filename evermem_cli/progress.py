"""The signature with which workflows report progress."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many (0: unknown)
