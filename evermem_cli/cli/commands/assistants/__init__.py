"""Commands for assistants."""
