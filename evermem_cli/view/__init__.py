"""The memory as a page: what it shows, by the functions that the commands call, and how it is written and served."""
