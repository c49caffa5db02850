"""`python -m evermem_cli`, and the command `evermem`."""

import gc
import os
import sys
from contextlib import suppress

from evermem_cli.errors import EvermemError, ExitCode, OutOfMemory
from evermem_cli.terminal.streams import ReaderGoneError, guard


def run() -> None:
    """Runs the command line and exits.

    The exit skips Python's clean-up, which would take a tenth of the time of a search.
    """
    _start_fast()
    guard()
    try:
        from evermem_cli.cli.main import main

        main()
    except KeyboardInterrupt:  # while modules are loaded
        _leave(ExitCode.INTERRUPTED)
    except (ImportError, MemoryError) as error:  # while modules are loaded
        if not OutOfMemory.explains(error):
            raise
        print(f"evermem: {OutOfMemory().explanation}", file=sys.stderr)  # noqa: T201
        _leave(ExitCode.FAILED)
    except SystemExit as left:
        if not isinstance(left.code, int):
            raise
        if "evermem_cli.store" in sys.modules:
            from evermem_cli.store import let_go

            let_go()
        _leave(left.code)


def _start_fast() -> None:
    """Prepares a fast start: NumPy multiplies little here, and freshly loaded modules contain no garbage.

    NumPy's threads would take a tenth of a second of a search, and garbage collection among modules a twentieth.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000)


def _leave(code: int) -> None:
    """Ends the process. Unread output is lost."""
    with suppress(ReaderGoneError, EvermemError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
