"""`python -m evermem_cli`."""

from evermem_cli.cli import main

main()
