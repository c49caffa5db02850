"""The memory file on the disk: opened, encrypted, copied, written anew, and what is kept beside it."""
