"""The command line: `main` is its entrance, and `commands` has a file for each command."""
