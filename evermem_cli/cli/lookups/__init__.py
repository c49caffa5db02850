"""What commands look up in memory, and how much of it is withheld from an agent."""
