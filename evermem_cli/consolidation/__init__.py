"""Consolidation: MemCells become scenes, and statements about people become profiles with their history."""
