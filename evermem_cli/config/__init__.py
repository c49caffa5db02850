"""The settings: what a user can configure, and how the values are read."""

from evermem_cli.config.settings import CONDITION_DAYS, PRIVACY, Doer, Settings, TaskName, config_file, zone

__all__ = ["CONDITION_DAYS", "PRIVACY", "Doer", "Settings", "TaskName", "config_file", "zone"]
