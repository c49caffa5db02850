"""Who may see which memory, and what is hidden from agents."""
