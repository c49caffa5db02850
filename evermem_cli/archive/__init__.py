"""The workflows of export and import: memory as lines of JSON, and such lines as memory."""

from evermem_cli.archive.exporting import export
from evermem_cli.archive.importing import Import
from evermem_cli.archive.salvaging import salvage

__all__ = ["Import", "export", "salvage"]
