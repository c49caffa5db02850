"""The memory as a page: what it shows, gathered from the same functions that the commands call, and how it is written."""
