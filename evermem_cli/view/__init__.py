"""The HTML page of a memory: what the page shows, how it is written to a file, and how it is served."""
