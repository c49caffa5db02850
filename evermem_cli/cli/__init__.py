"""The command line: `main` is the entry point, and `commands` has one file per command."""
