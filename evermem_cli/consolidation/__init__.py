"""Phase II, consolidation: MemCells become scenes, and what people say of themselves a profile with its history."""
