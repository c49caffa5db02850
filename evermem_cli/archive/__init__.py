"""The workflows of export, import and salvage: memory as lines of JSON, and back."""

from evermem_cli.archive.exporting import export
from evermem_cli.archive.importing import Import
from evermem_cli.archive.salvaging import salvage

__all__ = ["Import", "export", "salvage"]
