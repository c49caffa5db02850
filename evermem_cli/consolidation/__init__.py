"""Consolidation (phase II): MemCells become scenes, and statements about people become profiles with their history."""
