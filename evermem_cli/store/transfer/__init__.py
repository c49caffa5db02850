"""The memory file as rows: exported, imported, or salvaged from a damaged file."""
