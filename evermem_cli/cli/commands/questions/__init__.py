"""Commands that ask memory."""
