"""How memories fade, come back, and are forgotten."""
