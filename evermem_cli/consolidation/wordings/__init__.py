"""Which words assert what about whoever says them, and how they are matched."""
