"""How memories fade, are restored, and are forgotten."""
