"""The commands of `evermem`."""
