"""Search within the memory file: its SQL and the candidates that it finds."""
