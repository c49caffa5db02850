"""Assistants: the exports of their accounts and the sessions that their programs keep."""
