"""Commands that query memory."""
