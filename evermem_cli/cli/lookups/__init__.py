"""Look-ups in memory, and how much of each is withheld from an agent."""
