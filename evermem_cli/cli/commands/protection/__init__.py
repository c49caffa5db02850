"""Commands for privacy, encryption and forgetting."""
