"""Chats that no app exported: running text with names, and JSON with roles."""
