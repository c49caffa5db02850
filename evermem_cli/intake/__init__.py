"""What a transcript brings: ids made from content, what is new in it, and the report of what became of it."""
