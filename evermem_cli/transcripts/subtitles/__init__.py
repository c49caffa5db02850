"""Captions of meetings and videos."""
