"""Formation: messages become MemCells, and MemCells episodes, facts and foresights."""
