"""Chats that no app wrote: running text with names in it, and JSON with roles."""
