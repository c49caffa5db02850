"""Who may see which memory, and what an agent may not see."""
