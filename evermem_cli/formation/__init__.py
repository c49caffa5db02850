"""Formation: messages become MemCells, and MemCells become episodes, facts and foresights."""
