"""Commands for settings, formats and models."""
