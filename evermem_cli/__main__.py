"""`python -m evermem_cli`, and the command `evermem`."""

import gc
import os
import sys
from contextlib import suppress

from evermem_cli.errors import EvermemError
from evermem_cli.terminal.streams import guard


def run() -> None:
    """Runs the command line and leaves.

    Python would first take apart all that was loaded, object by object, in a tenth of the time of a search.
    """
    _start_fast()
    guard()
    from evermem_cli.cli.main import main

    try:
        main()
    except SystemExit as left:
        if not isinstance(left.code, int):
            raise
        if "evermem_cli.store" in sys.modules:
            from evermem_cli.store import let_go

            let_go()
        _leave(left.code)


def _start_fast() -> None:
    """Before anything is loaded: what NumPy multiplies here is small, and what was loaded is no garbage.

    NumPy's threads, one for each core, would take a tenth of a second of a search, and looking for garbage among
    modules a twentieth.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000)


def _leave(code: int) -> None:
    """Ends the process; what is left to print is lost where nobody reads it."""
    with suppress(BrokenPipeError, EvermemError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    run()
