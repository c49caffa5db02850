"""The memory file on disk: opened, encrypted, copied and rewritten, with the files beside it."""
