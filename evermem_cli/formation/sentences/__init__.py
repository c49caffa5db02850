"""How the sentences of a chat are read by code: what they state, of whom, and how clearly."""
