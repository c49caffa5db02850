"""Assistants: exports of accounts, and sessions that programs keep."""
