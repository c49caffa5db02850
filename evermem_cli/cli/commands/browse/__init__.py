"""Commands that show what memory holds."""
